//! A robot in two processes with a chain from one to the other: the motors of `main` turn towards
//! the ball that `vision` sees.
#![allow(missing_docs, reason = "a robot of a test")]
#![forbid(unsafe_code)]
use hemiola::prelude::*;

const ROBOT: &str = r#"
[cycle.motion]
rate = 100.0
modules = ["HeadMotors"]
[cycle.seeing]
trigger = "Camera"
modules = ["BallFinder"]
[process.vision]
cycles = ["seeing"]
[chain.image-to-motors]
from = "Camera"
to = "HeadMotors"
reaction = "10 s"
"#;

#[derive(Representation, Clone, Default)]
pub struct Image {
    pub number: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Ball {
    pub image: u64,
    pub angle: f64,
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

#[derive(Module)]
struct BallFinder {}

#[module]
impl BallFinder {
    #[update]
    fn ball(&self, image: &Image, ball: &mut Ball) {
        ball.image = image.number;
        ball.angle = (image.number as f64 * 0.1).sin();
    }
}

#[derive(Module)]
struct HeadMotors {
    angle: f64,
}

#[module]
impl HeadMotors {
    #[update]
    fn turn(&mut self, ball: &Ball) {
        self.angle += (ball.angle - self.angle) * 0.2;
    }
}

fn main() -> std::process::ExitCode {
    hemiola::Application::embedded(ROBOT).run()
}
