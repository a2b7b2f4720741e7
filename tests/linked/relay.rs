//! A robot in two processes that send each other messages: `planning` gives goals, `main` reports
//! those that it has reached, and a callback beside its cycle thanks for each.
#![allow(missing_docs, reason = "a robot of a test")]
#![forbid(unsafe_code)]
use std::cell::RefCell;

use hemiola::RobotHandle;
use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::prelude::*;
use hemiola::realtime::ThreadSettings;

const ROBOT: &str = r#"
[cycle.driving]
rate = 100.0
modules = ["Driver"]
[cycle.planning]
rate = 40.0
modules = ["Planner"]
[process.planning]
cycles = ["planning"]
"#;

#[derive(Representation, Clone, Default)]
pub struct Goal {
    pub number: u64,
    pub x: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Reached {
    pub number: u64,
    pub run: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Thanks {
    pub number: u64,
}

/// What came of the messages: another position if one came in another run.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub runs: u64,
    pub x: f64,
    pub goals: u64,
    pub thanks: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Plan {
    pub runs: u64,
    pub reached: u64,
    pub delay: f64,
}

#[derive(Module)]
struct Driver {
    drive: Drive,
    goal: Goal,
}

#[module]
impl Driver {
    #[update]
    fn drive(
        &mut self,
        goals: &Subscription<Goal>,
        thanks: &Subscription<Thanks>,
        reached: &mut Publisher<Reached>,
        drive: &mut Drive,
    ) {
        let Self { drive: now, goal: last } = self;
        now.runs += 1;
        for goal in goals.iter() {
            now.goals += 1;
            *last = goal.value().clone();
            reached.publish(Reached { number: goal.number, run: now.runs });
        }
        for thanks in thanks.iter() {
            now.thanks += 1;
            now.x += thanks.number as f64 * 1e-3;
        }
        now.x += (last.x - now.x) * 0.1;
        *drive = now.clone();
    }
}

#[derive(Module)]
struct Planner {
    plan: Plan,
}

#[module]
impl Planner {
    #[update]
    fn plan(&mut self, reached: &Subscription<Reached>, goals: &mut Publisher<Goal>, plan: &mut Plan) {
        let now = &mut self.plan;
        now.runs += 1;
        for reached in reached.iter() {
            now.reached += 1;
            now.delay += (reached.run as f64 - now.delay) * 0.1;
        }
        goals.publish(Goal { number: now.runs, x: (now.runs as f64 * 0.2).sin() + now.delay });
        *plan = now.clone();
    }
}

fn main() -> std::process::ExitCode {
    let thanking: RefCell<Vec<RunningExecutor>> = RefCell::default();
    let start = move |robot: &RobotHandle| -> Result<(), Box<dyn std::error::Error>> {
        let mut polite = robot.executor("polite")?;
        let (goals, mut thanks) = (
            robot.bus().readable_topic::<Goal>(Goal::NAME)?,
            robot.bus().readable_topic::<Thanks>(Thanks::NAME)?.publisher(),
        );
        let thank = move |goal: &Goal| thanks.publish(Thanks { number: goal.number });
        polite.subscribe(&goals, Priority(1), 16, WhenFull::DropOldest, thank)?;
        thanking.borrow_mut().push(polite.spawn(ThreadSettings::new("polite"))?);
        Ok(())
    };
    let robot = hemiola::Application::embedded(ROBOT);
    robot.started(move |robot| start(robot).unwrap_or_else(|error| robot.note(error.to_string()))).run()
}
