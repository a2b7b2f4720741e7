//! Short answers to frequent questions.

use std::time::Duration;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
pub struct Gyro {
    /// In radians per second.
    pub yaw_rate: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Heading {
    pub radians: f64,
}

// ANCHOR: samples
/// Integrates every sample of a sensor that is faster than the cycle.
#[derive(Module)]
pub struct Compass {
    pub last: Option<Time>,
}

#[module]
impl Compass {
    #[update]
    pub fn heading(&mut self, gyro: Samples<Gyro>, before: Previous<Heading>, heading: &mut Heading) {
        heading.radians = before.radians;
        for sample in &gyro {
            let last = self.last.replace(sample.stamp()).unwrap_or(sample.stamp());
            heading.radians += sample.yaw_rate * sample.stamp().since(last).as_secs_f64();
        }
    }
}
// ANCHOR_END: samples

#[derive(Representation, Clone, Default)]
pub struct Battery {
    pub volts: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Smoothed {
    pub volts: f64,
}

// ANCHOR: smooth
/// Smooths a value over runs, without state in the module.
#[derive(Module)]
pub struct Smoother {}

#[module]
impl Smoother {
    #[update]
    pub fn smooth(&self, battery: &Battery, before: Previous<Smoothed>, clock: &Clock, smoothed: &mut Smoothed) {
        let weight = (clock.step().as_secs_f64() / TIME_CONSTANT).min(1.0);
        smoothed.volts = before.volts + weight * (battery.volts - before.volts);
    }
}

/// The time constant, in seconds.
const TIME_CONSTANT: f64 = 2.0;
// ANCHOR_END: smooth

#[derive(Representation, Clone, Default)]
pub struct Lamp {
    pub is_on: bool,
}

// ANCHOR: states
/// The states of a state machine: each variant holds the data of its state.
#[derive(Data, Clone, Default)]
pub enum Blink {
    #[default]
    Dark,
    Lit {
        since: Time,
    },
}

#[derive(Module)]
pub struct Blinker {
    pub state: Blink,
}

#[module]
impl Blinker {
    #[update]
    pub fn blink(&mut self, battery: &Battery, clock: &Clock, lamp: &mut Lamp) {
        self.state = match self.state {
            Blink::Dark if battery.volts < 11.0 => Blink::Lit { since: clock.now() },
            Blink::Lit { since } if clock.now().since(since) > Duration::from_secs(1) => Blink::Dark,
            _ => self.state.clone(),
        };
        lamp.is_on = matches!(self.state, Blink::Lit { .. });
    }
}
// ANCHOR_END: states

#[derive(Representation, Clone, Default)]
pub struct Picture {
    pub rows: Vec<Vec<u8>>,
}

#[derive(Representation, Clone, Default)]
pub struct Brightness {
    pub mean: f64,
}

// ANCHOR: parallel
/// Distributes its work over the cycle's workers, and reuses its memory from run to run.
#[derive(Module)]
pub struct Photometer {
    /// Scratch memory: no later run depends on it.
    #[stateless]
    sums: Vec<u64>,
}

#[module]
impl Photometer {
    #[update]
    pub fn brightness(&mut self, picture: &Picture, scope: &Scope, brightness: &mut Brightness) {
        self.sums.resize(picture.rows.len(), 0);
        scope.for_each(&mut self.sums, |row, sum| {
            *sum = picture.rows[row].iter().map(|&pixel| u64::from(pixel)).sum();
        });
        let pixels: usize = picture.rows.iter().map(Vec::len).sum();
        brightness.mean = self.sums.iter().sum::<u64>() as f64 / pixels.max(1) as f64;
    }
}
// ANCHOR_END: parallel

#[derive(Representation, Clone, Default)]
pub struct Candidates {
    pub all: Vec<Candidate>,
}

/// A place in an image, and what is there on the field.
#[derive(Data, Clone, Default)]
pub struct Candidate {
    /// In pixels.
    pub center: [f32; 2],
    /// In pixels.
    pub radius: f32,
    /// In metres.
    pub on_field: [f32; 2],
}

#[derive(Representation, Clone, Default)]
pub struct Ball {
    pub position: Option<[f32; 2]>,
}

#[derive(Module)]
pub struct BallFinder {}

#[module]
impl BallFinder {
    // ANCHOR: draw
    #[update]
    pub fn ball(&self, candidates: &Candidates, ball: &mut Ball, debug: &Debug) {
        ball.position = candidates.all.first().map(|first| first.on_field);
        debug.plot("ball.candidates", candidates.all.len());
        debug.draw("field/ball", |canvas| {
            ball.position.iter().for_each(|at| canvas.circle(*at, 0.05, Color::ORANGE));
        });
        debug.draw("UpperImage/candidates", |canvas| {
            candidates.all.iter().for_each(|one| canvas.circle(one.center, one.radius, Color::RED));
        });
    }
    // ANCHOR_END: draw
}

#[derive(Representation, Clone, Default)]
pub struct Place {
    pub translation: [f32; 2],
    /// In radians.
    pub rotation: f32,
}

#[derive(Module)]
pub struct Artist {}

#[module]
impl Artist {
    #[update]
    pub fn show(&self, place: &Place, ball: &Ball, debug: &Debug) {
        // ANCHOR: place
        debug.draw("robot/ball", |canvas| {
            ball.position.iter().for_each(|at| canvas.circle(*at, 0.05, Color::ORANGE));
        });
        debug.draw("field/pose", |canvas| canvas.place("robot", place.translation, place.rotation)); // metres, radians
        // ANCHOR_END: place
    }
}

// ANCHOR: renamed
#[derive(Representation, Clone, Default)]
pub struct Target {
    #[data(was = "range")]
    pub distance: f32,
}
// ANCHOR_END: renamed

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Clock {
        Clock::new(Time::from_seconds(seconds), Duration::from_secs(1), 0)
    }

    #[test]
    fn a_value_is_smoothed() {
        let mut smoothed = Smoothed::default();
        let before = Smoothed { volts: 12.0 };
        Smoother {}.smooth(&Battery { volts: 10.0 }, Previous::new(&before), &at(1.0), &mut smoothed);
        assert_eq!(smoothed.volts, 11.0);
    }

    #[test]
    fn the_lamp_is_lit_for_a_second() {
        let (mut blinker, mut lamp) = (Blinker { state: Blink::Dark }, Lamp::default());
        let lit = [(0.0, 12.0), (1.0, 10.0), (1.9, 12.0), (2.1, 12.0)].map(|(seconds, volts)| {
            blinker.blink(&Battery { volts }, &at(seconds), &mut lamp);
            lamp.is_on
        });
        assert_eq!(lit, [false, true, true, false]);
    }

    #[test]
    fn every_row_counts() {
        let mut brightness = Brightness::default();
        let picture = Picture { rows: vec![vec![10, 20], vec![30, 40]] };
        Photometer { sums: Vec::new() }.brightness(&picture, &Scope::default(), &mut brightness);
        assert_eq!(brightness.mean, 25.0);
    }

    #[test]
    fn without_candidates_there_is_no_ball() {
        let mut ball = Ball { position: Some([1.0, 0.0]) };
        BallFinder {}.ball(&Candidates::default(), &mut ball, &Debug::default());
        Artist {}.show(&Place::default(), &ball, &Debug::default());
        assert_eq!(ball.position, None);
    }

    #[test]
    fn every_sample_counts() {
        let mut heading = Heading::default();
        let (gyro, zero) = ([Gyro { yaw_rate: 0.5 }, Gyro { yaw_rate: 0.5 }], Heading::default());
        Compass { last: None }.heading(Samples::of(&gyro), Previous::new(&zero), &mut heading);
        assert_eq!(heading.radians, 0.0, "samples of one time turn nothing");
    }
}
