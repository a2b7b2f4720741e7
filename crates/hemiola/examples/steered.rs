//! A robot that a program steers while it runs: it turns a parameter, switches a provider and
//! overrides a value, and says so on a topic. `cargo run -p hemiola --example steered -- run
//! --duration 5s --log steered.mcap`, then `log verify steered.mcap`.
#![allow(missing_docs, reason = "an example explains itself")]
use std::thread;
use std::time::Duration;

use hemiola::data::Value;
use hemiola::prelude::*;
use hemiola::runtime::Change;
use hemiola::{Application, RobotHandle};

const ROBOT: &str = r#"
[cycle.motion]
trigger = "Wheels"
modules = ["Pilot"]

[cycle.planning]
rate = 31.0
modules = ["Careful", "Bold", "Judge"]

[providers]
Goal = "Careful"

[log]
snapshot = "500 ms"
"#;

/// How fast the wheels turn.
#[derive(Representation, Clone, Default)]
pub struct WheelSpeed {
    pub metres_per_second: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub step: u64,
    pub metres_per_second: f64,
    /// Of all remarks that were received so far.
    pub remarks: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Goal {
    pub metres: f64,
    pub calls: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Verdict {
    pub sum: f64,
}

/// A message: how far it is to the goal, whenever that was judged.
#[derive(Representation, Clone, Default)]
pub struct Remark {
    pub number: u64,
    pub metres: f64,
}

#[derive(Source)]
struct Wheels {
    count: u32,
}

#[source]
impl Wheels {
    #[sample(rate = 100.0)]
    fn sample(&mut self, speed: &mut WheelSpeed) {
        self.count += 1;
        speed.metres_per_second = f64::from(self.count).sin();
    }
}

#[derive(Parameters)]
struct PilotParameters {
    /// How much of the way to the goal is driven in a second.
    #[parameter(default = 1.0, range = 0.0..=10.0, unit = "1/s")]
    gain: f64,
}

#[derive(Module)]
struct Pilot {
    #[parameters]
    parameters: PilotParameters,
    way: f64,
}

#[module]
impl Pilot {
    #[update]
    fn drive(
        &mut self,
        speed: &WheelSpeed,
        goal: &Goal,
        verdict: &Verdict,
        remarks: &Subscription<Remark>,
        last: Previous<Drive>,
        drive: &mut Drive,
    ) {
        self.way += 0.01 * speed.metres_per_second;
        drive.step = last.step + 1;
        drive.metres_per_second = self.parameters.gain * (goal.metres - self.way) + 1e-3 * verdict.sum;
        drive.remarks = last.remarks.wrapping_mul(31).wrapping_add(remarks.iter().map(|remark| remark.number).sum());
    }
}

#[derive(Parameters)]
struct GoalParameters {
    #[parameter(default = 1.0, range = -100.0..=100.0, unit = "m")]
    distance: f64,
}

#[derive(Module)]
struct Careful {
    #[parameters]
    parameters: GoalParameters,
    metres: f64,
    calls: u64,
}

#[module]
impl Careful {
    #[update]
    fn goal(&mut self, drives: Samples<Drive>, goal: &mut Goal) {
        self.calls += 1;
        let driven: f64 = drives.iter().map(|drive| drive.metres_per_second).sum();
        self.metres += 0.1 * (self.parameters.distance - self.metres) + 1e-3 * driven;
        *goal = Goal { metres: self.metres, calls: self.calls };
    }
}

#[derive(Module)]
struct Bold {
    #[parameters]
    parameters: GoalParameters,
    calls: u64,
}

#[module]
impl Bold {
    #[update]
    fn goal(&mut self, drive: &Drive, goal: &mut Goal) {
        self.calls += 1;
        *goal = Goal { metres: self.parameters.distance + 0.1 * drive.metres_per_second, calls: self.calls };
    }
}

#[derive(Module)]
struct Judge {
    count: u64,
}

#[module]
impl Judge {
    #[update]
    fn verdict(
        &mut self,
        goal: &Goal,
        last: Previous<Verdict>,
        remarks: &mut Publisher<Remark>,
        verdict: &mut Verdict,
    ) -> Result<(), String> {
        self.count += 1;
        if self.count.is_multiple_of(37) {
            return Err("undecided".into());
        }
        verdict.sum = 0.99 * last.sum + goal.metres;
        if self.count.is_multiple_of(3) {
            remarks.publish(Remark { number: self.count, metres: goal.metres });
        }
        Ok(())
    }
}

/// Turns one knob after the other until the robot ends.
fn steer(robot: RobotHandle) {
    for number in 0.. {
        thread::sleep(Duration::from_millis(40));
        if robot.is_stopping() {
            return;
        }
        let fraction = f64::from(number % 100) / 100.0;
        let change = match number % 6 {
            0 => Change::parameter("Pilot", "gain", 0.5 + fraction),
            1 => Change::provider("Goal", if number % 12 == 1 { "Bold" } else { "Careful" }),
            2 => Change::parameter("Bold", "distance", fraction),
            3 => {
                let fields = [("metres", Value::Float(fraction)), ("calls", Value::Integer(7))];
                let fields = fields.map(|(name, value)| (name.to_owned(), value));
                Change::override_with("Goal", Value::Table(fields.into_iter().collect()))
            }
            4 => Change::release("Goal"),
            _ => Change::parameter("Careful", "distance", 1.0 + fraction),
        };
        // A robot that ends does not answer any more.
        if let Err(error) = robot.change(change).wait()
            && !robot.is_stopping()
        {
            robot.note(format!("not changed: {error}"));
        }
    }
}

fn main() -> std::process::ExitCode {
    Application::embedded(ROBOT)
        .started(|robot| {
            _ = thread::spawn({
                let robot = robot.clone();
                move || steer(robot)
            })
        })
        .run()
}
