use serde::{Deserialize, Serialize};

use crate::TimeSpan;
use crate::time::text;

/// The overheads of a computer, each as the maximum per occurrence: costs that most models ignore.
/// All are zero by default; `doctor` measures them on the machine.
///
/// Where each cost enters:
///
/// | cost | is | enters |
/// |---|---|---|
/// | `dispatch` | work | every task and callback takes longer by it |
/// | `hand_over` | waiting | [`crate::dag::pool`]: each task of a path, if there are others to do it |
/// | `wake_up` | waiting | the same, for workers that sleep; a cycle that begins after something; a chain that begins so; a message to another executor |
/// | `timer_lateness` | release jitter | a cycle or chain begins that late after its time, and the next one need not |
/// | `spin` | useless work | [`crate::dag::pool`]: a worker holds a core for so long each time that it finds no work, and others do not have it |
/// | `earliness` | the same | for so long before each run |
/// | `budget_overrun` | waiting | chains on an executor with a reservation, and whether reservations are given in time |
/// | `preemption` | work | whatever has a higher priority preempts something on each core, at most once whenever a thread of it begins to run |
///
/// A thread that begins to run preempts at most one thread of lower priority; that one may continue
/// on the core of another, of still lower priority, and so on: each core switches once.
///
/// ```
/// use hemiola_analysis::{Analysis, Costs, System, TimeSpan};
/// let text = r#"
///     cores = 1
///     [costs]
///     dispatch = "1 us"
///     timer_lateness = "60 us"
///     [[cycle]]
///     name = "motion"
///     begins = { every = "12 ms" }
///     priority = 80
///     tasks = [{ name = "imu", takes = "1 ms" }, { name = "walk", takes = "2 ms", after = ["imu"] }]
/// "#;
/// let mut system = System::from_toml(text, "system.toml").unwrap();
/// assert_eq!(Analysis::of(&system).find("motion").unwrap().bound, Ok(TimeSpan::microseconds(3062)));
/// system.costs = Costs::default();
/// assert_eq!(Analysis::of(&system).find("motion").unwrap().bound, Ok(TimeSpan::milliseconds(3)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Costs {
    /// The time to choose the next task or callback and to begin it.
    #[serde(with = "text")]
    pub dispatch: TimeSpan,
    /// The time from the end of a task until another worker that looks for work can begin what
    /// became ready by that.
    #[serde(with = "text")]
    pub hand_over: TimeSpan,
    /// The time from waking a thread that sleeps until it runs, if nothing of higher priority does.
    #[serde(with = "text")]
    pub wake_up: TimeSpan,
    /// The time from when a timer should expire until the thread that waits for it runs, if nothing
    /// of higher priority does.
    #[serde(with = "text")]
    pub timer_lateness: TimeSpan,
    /// The time for which a worker of a cycle that finds no work spins before it sleeps.
    #[serde(with = "text")]
    pub spin: TimeSpan,
    /// The time by which a worker of a cycle wakes up before the release, so as to be ready for it.
    #[serde(with = "text")]
    pub earliness: TimeSpan,
    /// The time that each preemption adds to the preempted thread: both context switches, and the
    /// cache misses afterwards.
    #[serde(with = "text")]
    pub preemption: TimeSpan,
    /// The time for which the thread of a reservation may run on when its budget is used up, until
    /// the kernel stops it: a tick of its scheduler, at most. Later budgets are shorter by that.
    #[serde(with = "text")]
    pub budget_overrun: TimeSpan,
}

impl Costs {
    /// Returns the time until another worker, which may be asleep, can begin a task that one made
    /// ready.
    pub fn to_other_worker(self) -> TimeSpan {
        self.hand_over.max(self.wake_up)
    }

    /// Returns the time that all preempted threads take longer, on `cores` together, if threads
    /// begin to run that often.
    pub(crate) fn of_switches(self, begins: u64, cores: usize) -> TimeSpan {
        self.preemption * begins * cores as u64
    }
}
