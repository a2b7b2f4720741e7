//! A cart that drives in a circle and publishes where it is. Another program, `follower`, receives
//! that over a link, reads how it drives, asks whether there is room for other circles, and wishes
//! for them. In two terminals, in any order:
//! `cargo run -p hemiola --example leader`, `cargo run -p hemiola --example follower`.
#![allow(missing_docs, reason = "an example explains itself")]
use std::cell::RefCell;

use hemiola::bus::RunningServer;
use hemiola::prelude::*;
use hemiola::realtime::ThreadSettings;
use hemiola::{Application, RobotHandle};

/// A topic that goes out.
#[derive(Representation, Clone, Default)]
pub struct Odometry {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

/// A topic that comes in.
#[derive(Representation, Clone, Default)]
pub struct Wish {
    pub radius: f64,
}

/// A representation that goes out, too.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub radius: f64,
    pub heading: f64,
}

/// What others may ask: whether there is room for such a circle. The answer is a truth value.
#[derive(Representation, Clone, Default)]
pub struct IsRoom {
    pub radius: f64,
}

#[derive(Module)]
struct Pilot {}

#[module]
impl Pilot {
    #[update]
    fn drive(
        &self,
        last: Previous<Drive>,
        wishes: &Subscription<Wish>,
        odometry: &mut Publisher<Odometry>,
        drive: &mut Drive,
    ) {
        let wanted = wishes.last().map_or(last.radius, |wish| wish.radius);
        drive.radius = wanted.clamp(0.5, 2.0);
        drive.heading = (last.heading + 0.01) % std::f64::consts::TAU;
        let (y, x) = drive.heading.sin_cos();
        odometry.publish(Odometry { x: drive.radius * x, y: drive.radius * y, heading: drive.heading });
    }
}

const ROBOT: &str = "
[cycle.control]
rate = 100.0
[link.follower]
listen = 'tcp:127.0.0.1:7400'
send = [{ topic = 'Odometry', rate = 20.0, keep = 'newest' }, { representation = 'Drive', rate = 50.0 }]
receive = ['Wish']
serve = ['IsRoom']
";

/// Answers on a thread of its own, which may take its time.
fn serve(robot: &RobotHandle) -> Result<RunningServer, Box<dyn std::error::Error>> {
    robot.bus().allow_calls::<IsRoom, bool>(IsRoom::NAME);
    let server = robot.bus().server(IsRoom::NAME, 4)?;
    Ok(server.spawn(ThreadSettings::new("room"), |asked: &IsRoom| asked.radius <= 2.0)?)
}

fn main() -> std::process::ExitCode {
    let circle = |drive: &Drive| format!("driving in a circle of {:.2} m", drive.radius);
    let server = RefCell::new(None);
    let start = move |robot: &RobotHandle| match serve(robot) {
        Ok(running) => _ = server.replace(Some(running)),
        Err(error) => robot.note(format!("nobody may ask for room: {error}")),
    };
    Application::embedded(ROBOT).started(start).live(move |robot| robot.with_value(circle).into_iter().collect()).run()
}
