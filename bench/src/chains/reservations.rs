use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hemiola_analysis::system::{self, Beginning, Reservation, Span};
use hemiola_analysis::{Analysis, Bound, System, TimeSpan};
use hemiola_realtime::scheduler_tick;
use hemiola_schedulability::simulation::{Callback, Dispatch, Executor, Missed, Model, Source};

use super::executed::execute;
use super::latencies::Latencies;
use super::mapping::Taken;
use super::sentinels::Sentinels;
use super::simulated::simulate;
use super::table::{Row, remarks, table};
use crate::error::BenchError;

const SIMULATED: TimeSpan = TimeSpan::milliseconds(60_000);

/// The level at which an executor is scheduled.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// A priority, on the first core.
    Priority(u32),
    /// A budget in every period, in ms, on any core.
    Reserved { budget: u64, period: u64 },
}

/// A planner that must not keep a controller from running, and how both are scheduled.
struct Arrangement {
    what: &'static str,
    controller: Level,
    planner: Level,
    /// The time for which the planner computes in each of its periods, in ms.
    planning: u64,
}

const CONTROL: (u64, u64) = (20, 2);
const PLAN: u64 = 60;

const ARRANGEMENTS: [Arrangement; 4] = [
    Arrangement {
        what: "the planner has a higher priority, and takes 12 ms",
        controller: Level::Priority(50),
        planner: Level::Priority(60),
        planning: 12,
    },
    Arrangement {
        what: "the same, and takes 58 ms, which leaves the controller too little of the core",
        controller: Level::Priority(50),
        planner: Level::Priority(60),
        planning: 58,
    },
    Arrangement {
        what: "the same with a reservation of 5 ms in 20 ms for the planner",
        controller: Level::Priority(50),
        planner: Level::Reserved { budget: 5, period: 20 },
        planning: 58,
    },
    Arrangement {
        what: "the same with a reservation of 3 ms in 10 ms for the controller",
        controller: Level::Reserved { budget: 3, period: 10 },
        planner: Level::Priority(60),
        planning: 58,
    },
];

/// An arrangement, and the latencies in it.
pub struct Trial {
    what: &'static str,
    rows: Vec<Row>,
    remarks: String,
}

/// Executes each arrangement for that long, and simulates the same.
pub fn run(length: Duration) -> Result<Vec<Trial>, BenchError> {
    let sentinels = Sentinels::start()?;
    let taken = Taken::measure()?;
    let trial = |arrangement: &Arrangement| {
        let system = arrangement.system(&taken);
        let model = arrangement.model();
        let analysis = Analysis::of(&system);
        let bounds: Vec<Bound> = analysis.verdicts.into_iter().map(|verdict| verdict.bound).collect();
        let application = Arc::new(Latencies::new(&[0, 1]).within(&bounds));
        let executed = execute(&model, length, &application)?;
        let in_simulation = Latencies::new(&[0, 1]);
        simulate(&model, SIMULATED, &in_simulation);
        let observed = in_simulation.observed().into_iter().zip(application.observed());
        let rows: Vec<Row> = (system.chains.iter().zip(bounds).zip(observed).enumerate())
            .map(|(chain, ((described, bound), (simulated, executed)))| Row {
                chain: described.name.clone(),
                period: described.period,
                bound,
                simulated,
                executed,
                beyond: application.beyond(chain),
            })
            .collect();
        let remarks = remarks(&rows, &executed, &sentinels.since(executed.zero));
        Ok(Trial { what: arrangement.what, rows, remarks })
    };
    ARRANGEMENTS.iter().map(trial).collect()
}

impl Arrangement {
    /// Returns the period, the work and the level of the controller, and of the planner.
    fn both(&self) -> [(&'static str, TimeSpan, TimeSpan, Level); 2] {
        let ms = TimeSpan::milliseconds;
        let (period, takes) = CONTROL;
        [("controller", ms(period), ms(takes), self.controller), ("planner", ms(PLAN), ms(self.planning), self.planner)]
    }

    /// Returns the description to be bounded, with what this machine takes for itself.
    fn system(&self, taken: &Taken) -> System {
        let mut system = System { cores: cores(), costs: taken.costs, ..System::default() };
        system.costs.budget_overrun = scheduler_tick().unwrap_or_default().into();
        for (name, period, takes, level) in self.both() {
            let executor = system::Executor::new(name, level.priority());
            let core = level.core();
            system.executors.push(system::Executor { core, reservation: level.reservation(), ..executor });
            let takes = Span::upto(TimeSpan::nanoseconds((takes.as_nanoseconds() as f64 * (1.0 + taken.share)) as u64));
            let (executor, priority) = (Some(name.to_owned()), Some(1));
            system.chains.push(system::Chain {
                name: name.to_owned(),
                period,
                begins: Beginning::WakeUp,
                offset: None,
                deadline: None,
                callbacks: vec![system::Callback { executor, priority, ..system::Callback::new(name, takes) }],
            });
        }
        system
    }

    /// Returns the model to be executed.
    fn model(&self) -> Model {
        let mut model = Model { cores: cores(), ..Model::default() };
        for (executor, (_, period, takes, level)) in self.both().into_iter().enumerate() {
            let (core, priority, reservation) = (level.core(), level.priority(), level.reservation());
            model.executors.push(Executor { core, priority, reservation, dispatch: Dispatch::Priority });
            model.callbacks.push(Callback {
                executor,
                source: Source::Timer { first: period, period, missed: Missed::Skip },
                takes: Span::upto(takes),
                priority: 1,
                publishes: Vec::new(),
                releases: Vec::new(),
                joins: Vec::new(),
            });
        }
        model
    }
}

impl Level {
    fn priority(self) -> u32 {
        match self {
            Self::Priority(priority) => priority,
            Self::Reserved { .. } => 0,
        }
    }

    fn core(self) -> Option<usize> {
        matches!(self, Self::Priority(_)).then_some(0)
    }

    fn reservation(self) -> Option<Reservation> {
        match self {
            Self::Priority(_) => None,
            Self::Reserved { budget, period } => {
                let [budget, period] = [budget, period].map(TimeSpan::milliseconds);
                Some(Reservation { budget, period })
            }
        }
    }
}

fn cores() -> usize {
    hemiola_realtime::Affinity::of_this_thread().cores().len()
}

/// Returns the tables of all arrangements.
pub fn text(trials: &[Trial]) -> String {
    let (period, takes) = CONTROL;
    let mut text = format!(
        "A controller needs {takes} ms every {period} ms, and a planner computes every {PLAN} ms. Threads with a priority stay on one\n\
         core; those with a reservation may use all (Linux' SCHED_DEADLINE). Latencies in ms, from the timer's expiry to the end; bounds\n\
         are those with what this machine took before, and with a tick of its scheduler that a thread may overrun its budget by.\n"
    );
    for Trial { what, rows, remarks } in trials {
        // Writing to a String cannot fail.
        _ = write!(text, "\n{what}\n{}{remarks}", table(rows));
    }
    text
}
