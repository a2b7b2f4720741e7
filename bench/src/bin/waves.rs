//! A robot with what the NAO lacks: twenty numbers that change a thousand times a second, and a
//! camera of 640 x 480 pixels. `hemiola-bench live` observes it.

use hemiola::prelude::*;

/// The numbers, each a wave of its own.
#[derive(Representation, Clone, Default)]
pub struct Waves {
    /// The numbers, from -1 to 1.
    pub values: [f64; 20],
}

/// Computes the waves.
#[derive(Module)]
struct WaveMaker {}

#[module]
impl WaveMaker {
    #[update]
    fn make(&self, clock: &Clock, waves: &mut Waves) {
        let seconds = clock.now().seconds();
        for (number, value) in (1_i32..).zip(&mut waves.values) {
            let slow = (seconds * f64::from(number) * 0.7).sin();
            *value = 0.8 * slow + 0.2 * (seconds * 300.0 * f64::from(number)).sin();
        }
    }
}

/// An image of a robot's camera, with two bytes per pixel.
#[derive(Representation, Clone, Default)]
pub struct Picture {
    /// The width, in pixels.
    pub width: u32,
    /// The height, in pixels.
    pub height: u32,
    /// The pixels, row by row.
    pub pixels: Vec<u8>,
}

/// A camera that sees a moving ramp.
#[derive(Source)]
struct WaveCamera {
    shown: u8,
}

const WIDTH: u32 = 640;
const HEIGHT: u32 = 480;

#[source]
impl WaveCamera {
    #[sample(rate = 30.0)]
    fn sample(&mut self, picture: &mut Picture) {
        self.shown = self.shown.wrapping_add(1);
        (picture.width, picture.height) = (WIDTH, HEIGHT);
        picture.pixels.resize((2 * WIDTH * HEIGHT) as usize, 0);
        picture.pixels.fill(self.shown);
    }
}

const ROBOT: &str = "[cycle.waves]\nrate = 1000.0\ndeadline = '1 ms'\npriority = 60\n";

fn main() -> std::process::ExitCode {
    hemiola::Application::embedded(ROBOT).run()
}
