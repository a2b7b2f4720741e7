//! A cycle, and an arm's executor beside it that is more important: a timer and a topic.
//! `cargo run -p hemiola --example arm -- run --duration 20s` ends with a table of how long each
//! may take and did; `analyze --what-if "arm priority 20"` shows what would be if the arm were less
//! important.
#![allow(missing_docs, reason = "an example explains itself")]
use std::cell::RefCell;
use std::time::{Duration, Instant};

use hemiola::bus::{BusError, Priority, RunningExecutor, WhenFull};
use hemiola::prelude::*;
use hemiola::realtime::{Affinity, CoreId, Policy, ThreadSettings};
use hemiola::{Application, RobotHandle};

/// What the hand wants of the arm.
#[derive(Representation, Clone, Default)]
pub struct Reach {
    pub metres: f32,
}

#[derive(Representation, Clone, Default)]
pub struct Plan {
    pub steps: u64,
}

#[derive(Module)]
struct Hand;

#[module]
impl Hand {
    /// Thinks for two milliseconds, and tells the arm.
    #[update]
    fn plan(&self, clock: &Clock, reaches: &mut Publisher<Reach>, plan: &mut Plan) {
        work(Duration::from_millis(2));
        plan.steps = clock.run();
        reaches.publish(Reach { metres: 0.3 });
    }
}

fn work(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

const ROBOT: &str = r#"
[cycle.hand]
rate = 50.0
deadline = "8 ms"
priority = 30

[guard]
command = ["sh", "-c", "echo engaged > arm.brake"]

[output]
profile = "arm.profile.json"
"#;

/// Commands the servos a hundred times a second; a wish of the hand waits until that is done.
fn start_arm(robot: &RobotHandle) -> Result<Arm, Box<dyn std::error::Error>> {
    let mut arm = robot.executor("arm")?;
    arm.every(Duration::from_millis(10), Priority(20), |_| work(Duration::from_millis(1)))?;
    subscribe(&mut arm, robot)?;
    let fifo = Policy::Fifo(hemiola::realtime::Priority::new(60)?);
    let running = arm.spawn(ThreadSettings::new("arm").policy(fifo).affinity(Affinity::of([CoreId(0)])))?;
    std::fs::write(BRAKE, "released\n")?;
    Ok(Arm { _running: running })
}

/// The file that stands for the pin of the arm's brake. It engages when the program ends, and when
/// its process is gone: `[guard]`.
const BRAKE: &str = "arm.brake";

struct Arm {
    _running: RunningExecutor,
}

impl Drop for Arm {
    fn drop(&mut self) {
        if let Err(error) = std::fs::write(BRAKE, "engaged\n") {
            eprintln!("the brake does not engage: {error}");
        }
    }
}

fn subscribe(arm: &mut hemiola::bus::Executor, robot: &RobotHandle) -> Result<(), BusError> {
    let reaches = robot.bus().topic::<Reach>(Reach::NAME)?;
    arm.subscribe(&reaches, Priority(10), 16, WhenFull::DropOldest, |_: &Reach| work(Duration::from_micros(500)))?;
    Ok(())
}

fn main() -> std::process::ExitCode {
    let arm = RefCell::new(None);
    let start = move |robot: &RobotHandle| match start_arm(robot) {
        Ok(running) => _ = arm.replace(Some(running)),
        Err(error) => robot.note(format!("there is no arm: {error}")),
    };
    Application::embedded(ROBOT).started(start).run()
}
