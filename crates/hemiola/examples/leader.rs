//! A cart that drives in a circle and publishes where it is. Another program, `follower`, receives
//! that over a link, reads how it drives, and wishes for other circles. In two terminals, in any
//! order:
//! `cargo run -p hemiola --example leader`, `cargo run -p hemiola --example follower`.
#![allow(missing_docs, reason = "an example explains itself")]
use hemiola::prelude::*;

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
";

fn main() -> std::process::ExitCode {
    let circle = |drive: &Drive| format!("driving in a circle of {:.2} m", drive.radius);
    hemiola::Application::embedded(ROBOT).live(move |robot| robot.with_value(circle).into_iter().collect()).run()
}
