//! A module in the style of B-Human and Nao Devils, in Rust.

// ANCHOR: data
use std::time::Duration;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
pub struct InertialData {
    /// Inclination of the torso around x and y, in radians.
    pub angle: [f32; 2],
}

#[derive(Data, Clone, Default, PartialEq)]
pub enum Motion {
    #[default]
    Stand,
    Walk,
    GetUp,
}

#[derive(Representation, Clone, Default)]
pub struct MotionRequest {
    pub motion: Motion,
}

#[derive(Representation, Clone, Default)]
pub struct Posture {
    pub upright: bool,
}
// ANCHOR_END: data

// ANCHOR: module
#[derive(Parameters)]
pub struct UprightDetectorParameters {
    /// The inclination beyond which the robot is tilted.
    #[parameter(default = 0.7, range = 0.1..=1.5, unit = "rad")]
    pub max_tilt: f32,
    /// The time without tilt after which the robot counts as upright.
    #[parameter(default = Duration::from_millis(300), unit = "s")]
    pub settle: Duration,
}

#[derive(Module)]
pub struct UprightDetector {
    #[parameters]
    pub parameters: UprightDetectorParameters,
    pub last_tilted: Time,
}

#[module]
impl UprightDetector {
    #[update]
    pub fn posture(
        &mut self,
        inertial: &InertialData,
        request: Previous<MotionRequest>,
        before: Previous<Posture>,
        clock: &Clock,
        debug: &Debug,
        posture: &mut Posture,
    ) {
        let tilt = inertial.angle[0].abs().max(inertial.angle[1].abs());
        debug.plot("UprightDetector.tilt", tilt);
        if tilt > self.parameters.max_tilt && request.motion != Motion::GetUp {
            self.last_tilted = clock.now();
        }
        posture.upright = clock.now().since(self.last_tilted) > self.parameters.settle;
        if before.upright && !posture.upright {
            debug.annotate("UprightDetector", "fell");
        }
    }
}
// ANCHOR_END: module

#[cfg(test)]
mod tests {
    use super::*;

    // ANCHOR: test
    #[test]
    fn a_robot_is_upright_when_it_has_not_been_tilted_for_a_while() {
        let parameters = UprightDetectorParameters::default();
        let mut detector = UprightDetector { parameters, last_tilted: Time::ZERO };
        let (walk, mut before) = (MotionRequest { motion: Motion::Walk }, Posture::default());
        let mut upright_after = |seconds: f64, tilt: f32| {
            let clock = Clock::new(Time::from_seconds(seconds), Duration::from_millis(12), 0);
            let mut posture = Posture::default();
            detector.posture(
                &InertialData { angle: [0.0, tilt] },
                Previous::new(&walk),
                Previous::new(&before),
                &clock,
                &Debug::default(),
                &mut posture,
            );
            before = posture.clone();
            posture.upright
        };
        assert!(upright_after(1.0, 0.1));
        assert!(!upright_after(2.0, 1.2), "it has fallen");
        assert!(!upright_after(2.2, 0.1), "it sways");
        assert!(upright_after(2.5, 0.1));
    }
    // ANCHOR_END: test
}
