//! A robot whose cognition hangs: two modules, one for each core, that never return.

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_runtime::{Pace, Robot, RunningRobot};

use crate::contest::discipline::COGNITION_RATE;
use crate::contestant::ContestantError;
use crate::sync::{AtomicBool, Ordering};

/// True as long as the modules are to hang.
static IS_HANGING: AtomicBool = AtomicBool::new(false);

/// Starts the robot, which hangs at once. There is never more than one.
pub fn start(priority: u8) -> Result<RunningRobot, ContestantError> {
    IS_HANGING.store(true, Ordering::Relaxed);
    let mut cognition = CycleConfiguration::new("cognition", Trigger::Rate(COGNITION_RATE));
    cognition.modules = vec!["LeftHang".into(), "RightHang".into()];
    cognition.scheduling = Scheduling::Fifo(priority);
    cognition.workers = Some(2);
    let robot = Robot::assemble(Configuration { cycles: vec![cognition], ..Configuration::default() })?;
    Ok(robot.start(Pace::RealTime)?)
}

/// Lets the modules return, and waits for the robot's end.
pub fn stop(robot: RunningRobot) {
    IS_HANGING.store(false, Ordering::Relaxed);
    robot.stop();
}

#[derive(Representation, Clone, Default)]
struct Left {}

#[derive(Representation, Clone, Default)]
struct Right {}

#[derive(Module)]
struct LeftHang {}

#[module]
impl LeftHang {
    #[update]
    fn left(&self, _left: &mut Left) {
        hang();
    }
}

#[derive(Module)]
struct RightHang {}

#[module]
impl RightHang {
    #[update]
    fn right(&self, _right: &mut Right) {
        hang();
    }
}

fn hang() {
    while IS_HANGING.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
}
