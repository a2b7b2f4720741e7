//! A robot in two processes, with an example of everything that commands are about: `main` follows
//! a line that `vision` sees.
#![allow(missing_docs, reason = "a robot of a test")]
#![forbid(unsafe_code)]
use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
pub struct Image {
    pub number: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Line {
    pub image: u64,
    pub offset: f64,
    /// How often somebody honked, as vision heard it.
    pub honks: u64,
    /// Whether the robot was in its safe state.
    pub is_safe: bool,
}

#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub run: u64,
    pub turn: f64,
    pub offset: f64,
    /// How often somebody honked, as main heard it.
    pub honks: u64,
}

/// A message that `main` publishes at each run.
#[derive(Representation, Clone, Default)]
pub struct Lap {
    pub run: u64,
}

/// A message that comes from outside, to both.
#[derive(Representation, Clone, Default)]
pub struct Honk {
    pub loudness: f64,
}

#[derive(Source)]
struct Camera {
    number: u64,
}

#[source]
impl Camera {
    #[sample(rate = 50.0)]
    fn image(&mut self, image: &mut Image) {
        self.number += 1;
        image.number = self.number;
    }
}

#[derive(Parameters)]
pub struct LineDetectorParameters {
    #[parameter(default = 0.25, range = -1.0..=1.0)]
    offset: f64,
}

/// Its constructor waits while there is a file `hang`.
#[derive(Module)]
struct LineDetector {
    #[parameters]
    parameters: LineDetectorParameters,
    honks: u64,
    #[stateless]
    _gate: Gate,
}

struct Gate;

impl Default for Gate {
    fn default() -> Self {
        while std::path::Path::new("hang").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Self
    }
}

#[module]
impl LineDetector {
    #[update]
    fn line(
        &mut self,
        image: &Image,
        safe_state: &SafeState,
        heard: &Subscription<Honk>,
        laps: &Subscription<Lap>,
        line: &mut Line,
    ) {
        self.honks += heard.iter().count() as u64;
        _ = laps.iter().count();
        line.image = image.number;
        line.offset = self.parameters.offset;
        line.honks = self.honks;
        line.is_safe = safe_state.is_active();
    }
}

/// A detector that sees no line.
#[derive(Module)]
struct BlindDetector;

#[module]
impl BlindDetector {
    #[update]
    fn line(&self, image: &Image, line: &mut Line) {
        line.image = image.number;
        line.offset = -1.0;
    }
}

#[derive(Parameters)]
pub struct PilotParameters {
    #[parameter(default = 2.0)]
    gain: f64,
}

#[derive(Module)]
struct Pilot {
    #[parameters]
    parameters: PilotParameters,
    honks: u64,
}

#[module]
impl Pilot {
    #[update]
    fn drive(
        &mut self,
        line: &Line,
        clock: &Clock,
        heard: &Subscription<Honk>,
        laps: &mut Publisher<Lap>,
        drive: &mut Drive,
    ) {
        self.honks += heard.iter().count() as u64;
        laps.publish(Lap { run: clock.run() });
        drive.run = clock.run();
        drive.turn = line.offset * self.parameters.gain;
        drive.offset = line.offset;
        drive.honks = self.honks;
    }
}

fn main() -> std::process::ExitCode {
    hemiola::Application::new("robot.toml").run()
}
