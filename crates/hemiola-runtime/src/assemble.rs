//! Assembles a robot: checks modules and configuration, plans, and creates every part that runs.
//!
//! | file | what |
//! |---|---|
//! | `robot` | modules, sources and configuration that fit together; nothing is created yet |
//! | `wiring` | all blackboards, and the channels between them |
//! | `cycles`, `workers`, `instances` | the parts that run a cycle |
//! | `sources` | the parts that run a source |
//! | `feedback` | values that return to a cycle from which they derive |
//! | `course` | whether a recording can be followed |
//! | `observers` | the ends at which cycles and sources are observed |
//! | `assembly` | the robot during its assembly |
//! | `parts` | the parts of a robot in several processes |

mod assembly;
mod course;
mod cycles;
mod feedback;
mod instances;
mod observers;
mod parts;
mod periods;
mod robot;
mod sources;
mod wiring;
mod workers;

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_bus::RobotClock;
use hemiola_bus::exchange::queue;
use hemiola_model::Time;
use hemiola_realtime::KernelThread;
use hemiola_trace::WorkerId;

use crate::controls::Controls;
use crate::cycle::Cycle;
use crate::error::RuntimeError;
use crate::lock::own;
use crate::monitor::Monitor;
use crate::observe::Viewpoints;
use crate::present::Present;
use crate::robot_state::RobotState;
use crate::script::Script;
use crate::source::SourceRunner;
use crate::stand_in::{Course, RecordedMessages};
use crate::watchdog::Watchdog;

use assembly::Assembly;

pub use cycles::group_exports;
pub use instances::instances;
pub use parts::LinkBetweenParts;
pub use robot::{Provider, Robot, TopicEnd, durations_from};
pub use workers::thread_settings;

/// A robot whose parts exist and are ready to run.
pub struct Launched {
    pub cycles: Vec<Cycle>,
    pub sources: Vec<SourceRunner>,
    pub controls: Controls,
    pub monitor: Monitor,
    pub viewpoints: Arc<Viewpoints>,
    /// The workers that already have their threads: all but the first of each cycle.
    pub helpers: Vec<(WorkerId, KernelThread)>,
    /// The watchdog, which may have no cycle to watch.
    pub watchdog: Watchdog,
    pub state: Arc<RobotState>,
    /// The recorded runs to repeat, if any.
    pub script: Option<Script>,
    /// The recorded messages that no cycle publishes, by topic.
    pub messages: BTreeMap<String, Box<dyn RecordedMessages>>,
    /// The time at which the replay ends, if nothing else determines it.
    pub end: Option<Time>,
}

/// The number of reports of the watchdog that can be in transit.
const REPORTS: usize = 16;

/// Creates everything that a robot needs to run.
pub fn launch(mut robot: Robot, clock: RobotClock) -> Result<Launched, RuntimeError> {
    periods::check_rates(&robot)?;
    let heartbeat = own(&mut robot.heartbeat).take();
    let Course { mut feeds, taken, messages, script, end } = std::mem::take(own(&mut robot.course));
    let mut assembly = Assembly::of(&robot, clock, taken, script.as_ref())?;
    let made = (0..robot.configuration.cycles.len()).map(|index| assembly.cycle(index));
    let (mut cycles, controls): (Vec<_>, Vec<_>) = made.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let mut sources = Vec::new();
    for (number, source) in robot.sources.iter().enumerate() {
        sources.push(assembly.source(number, feeds.remove(source.name()))?);
    }
    assembly.listen(&mut cycles)?;
    let outlets = cycles.iter().map(|cycle| &cycle.outlets).chain(sources.iter().map(|source| &source.outlets));
    let viewpoints = Arc::new(Viewpoints::new(outlets.map(|outlets| outlets.viewpoint().clone()).collect()));
    let Assembly { state, catalog, available, mut monitor, silences, demotions, helpers, .. } = assembly;
    let (reports, reader) = queue(REPORTS);
    monitor.set_watchdog(reader);
    let watchdog = Watchdog { silences, demotions, robot: state.clone(), reports, heartbeat };
    let modules = robot.configuration.modules.iter();
    let controls = Controls {
        present: Arc::new(Present::new(robot.without_course())),
        cycles: controls,
        state: state.clone(),
        catalog,
        available,
        parameters: modules.map(|(name, module)| (name.clone(), module.parameters.clone())).collect(),
        // The changes of a recording that is followed already have their numbers.
        next_change: script.as_ref().map_or(0, Script::next_change),
        restarted_by_recording: script.iter().flat_map(Script::restarted).collect(),
        robot,
    };
    Ok(Launched { cycles, sources, controls, monitor, viewpoints, helpers, watchdog, state, script, messages, end })
}
