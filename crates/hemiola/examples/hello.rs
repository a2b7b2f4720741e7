//! A whole robot in one file: a cart that drives up to a wall and stops.
//! `cargo run -p hemiola --example hello`
#![allow(missing_docs, reason = "an example explains itself")]
use hemiola::prelude::*;

// ANCHOR: data
#[derive(Representation, Clone, Default)]
pub struct Wall {
    pub metres: f32,
}

#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub metres_per_second: f32,
}
// ANCHOR_END: data

// ANCHOR: source
/// The world: the cart moves as its wheels turn, and its range finder sees the wall.
#[derive(Source)]
struct World {
    driven: f32,
}

#[source]
impl World {
    #[sample(rate = 100.0)]
    fn wall(&mut self, drive: &Drive, wall: &mut Wall) {
        self.driven += drive.metres_per_second / 100.0;
        wall.metres = 3.0 - self.driven;
    }
}
// ANCHOR_END: source

// ANCHOR: module
#[derive(Parameters)]
struct PilotParameters {
    /// Distance from the wall at which the cart stops.
    #[parameter(default = 0.5, range = 0.1..=2.0, unit = "m")]
    distance: f32,
}

#[derive(Module)]
struct Pilot {
    #[parameters]
    parameters: PilotParameters,
}

#[module]
impl Pilot {
    /// Drives, more slowly the closer the wall is, and never changes speed abruptly.
    #[update]
    fn drive(&self, wall: &Wall, last: Previous<Drive>, drive: &mut Drive) {
        let wanted = (wall.metres - self.parameters.distance).clamp(-0.5, 0.5);
        drive.metres_per_second = 0.9 * last.metres_per_second + 0.1 * wanted;
    }
}
// ANCHOR_END: module

// ANCHOR: main
pub const ROBOT: &str = "[cycle.control]\ntrigger = 'World'\ndeadline = '5 ms'\n";

fn main() -> std::process::ExitCode {
    let speed = |drive: &Drive| format!("driving at {:.2} m/s", drive.metres_per_second);
    hemiola::Application::embedded(ROBOT).live(move |robot| robot.with_value(speed).into_iter().collect()).run()
}
// ANCHOR_END: main
