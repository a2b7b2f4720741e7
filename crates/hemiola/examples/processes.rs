//! A robot in two processes: what sees may crash, and what drives goes on.
//! `cargo run -p hemiola --example processes`, then `kill -9` the process `vision`, whose number is
//! printed at the start.
#![allow(missing_docs, reason = "an example explains itself")]
use hemiola::prelude::*;

const ROBOT: &str = r#"
[cycle.driving]
rate = 100.0
modules = ["Pilot"]

[cycle.seeing]
trigger = "Camera"
modules = ["LineDetector"]

# Without this table it is the same robot in a single process.
[process.vision]
cycles = ["seeing"]
restart = "30 per minute"
"#;

#[derive(Representation, Clone, Default)]
pub struct Image {
    pub number: u64,
    pub pixels: Vec<u8>,
}

/// Where the line is, from the middle of the image to its left edge: -1 to 1.
#[derive(Representation, Clone, Default)]
pub struct Line {
    pub image: u64,
    pub offset: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub turn: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Trip {
    pub runs: u64,
    /// The number of images with a line that came, the last of them, and its age in seconds.
    pub seen: u64,
    pub image: u64,
    pub age: f64,
}

/// A camera above a line on the ground: it sees the line move as the robot turns.
#[derive(Source)]
struct Camera {
    number: u64,
    offset: f64,
}

#[source]
impl Camera {
    #[sample(rate = 30.0)]
    fn image(&mut self, drive: &Drive, image: &mut Image) {
        const WIDTH: usize = 320;
        self.number += 1;
        self.offset = (self.offset + 0.02 - drive.turn / 30.0).clamp(-1.0, 1.0);
        let line = (WIDTH - 1) as f64 * (1.0 - self.offset) / 2.0;
        image.number = self.number;
        image.pixels.resize(WIDTH, 0);
        image.pixels[line as usize] = 255;
    }
}

#[derive(Module)]
struct LineDetector {}

#[module]
impl LineDetector {
    #[update]
    fn line(&self, image: &Image, line: &mut Line) {
        let brightest = image.pixels.iter().enumerate().max_by_key(|(_, pixel)| **pixel);
        if let Some((column, _)) = brightest {
            line.image = image.number;
            line.offset = 1.0 - 2.0 * column as f64 / image.pixels.len() as f64;
        }
    }
}

#[derive(Module)]
struct Pilot {}

#[module]
impl Pilot {
    /// Turns to the line, less the longer ago it was seen.
    #[update]
    fn drive(&self, last: Previous<Trip>, line: Fresh<Line>, drive: &mut Drive, trip: &mut Trip) {
        *trip = (*last).clone();
        trip.runs += 1;
        trip.age = line.age().as_secs_f64();
        if line.image != trip.image {
            trip.seen += 1;
        }
        trip.image = line.image;
        drive.turn = if line.image == 0 { 0.0 } else { line.offset * (1.0 - trip.age).max(0.0) };
    }
}

fn main() -> std::process::ExitCode {
    let trip =
        |trip: &Trip| format!("seen {} times, the last one {:.3} s ago, {} runs", trip.seen, trip.age, trip.runs);
    hemiola::Application::embedded(ROBOT).live(move |robot| robot.with_value(trip).into_iter().collect()).run()
}
