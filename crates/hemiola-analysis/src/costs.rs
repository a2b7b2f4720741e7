use serde::{Deserialize, Serialize};

use crate::TimeSpan;
use crate::time::text;

/// What a computer takes for itself, at most, each time: costs that most models ignore. All are
/// zero by default; `doctor` measures them on the machine.
///
/// Where each cost enters, and why that holds:
///
/// | cost | is | enters |
/// |---|---|---|
/// | `dispatch` | work | every task and callback takes that much longer |
/// | `hand_over` | waiting | [`crate::dag::pool`]: each task of a path, if there are others to do it |
/// | `wake_up` | waiting | the same, for workers that sleep; a cycle that begins after something; a chain that begins so; a message to another executor |
/// | `timer_lateness` | release jitter | a cycle or chain begins that late after its time, and the next one need not |
/// | `spin` | work of no use | [`crate::dag::pool`]: a worker has a core so long each time that it finds nothing to do, and others do not |
/// | `earliness` | the same | so long before each run |
/// | `preemption` | work | whatever is more important interrupts something on each core, at most once whenever a thread of it begins to run |
///
/// A thread that begins to run takes the core of at most one less important thread; that one may go
/// on with the core of another, less important still, and so on: each core changes hands once.
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
    /// The time to find out what is next, and to begin it: for every task and callback.
    #[serde(with = "text")]
    pub dispatch: TimeSpan,
    /// The time from the end of a task until another worker that looks for work can begin what
    /// became ready by that.
    #[serde(with = "text")]
    pub hand_over: TimeSpan,
    /// The time from waking a thread that sleeps until it runs, if nothing more important does.
    #[serde(with = "text")]
    pub wake_up: TimeSpan,
    /// The time from when a timer should expire until the thread that waits for it runs, if nothing
    /// more important does.
    #[serde(with = "text")]
    pub timer_lateness: TimeSpan,
    /// How long a worker of a cycle that finds nothing to do keeps its core before it sleeps.
    #[serde(with = "text")]
    pub spin: TimeSpan,
    /// How long before its time a worker of a cycle is awake, so as to be there when it comes.
    #[serde(with = "text")]
    pub earliness: TimeSpan,
    /// The time that an interrupted thread takes longer, for both switches and for what it no
    /// longer finds in its caches: every time.
    #[serde(with = "text")]
    pub preemption: TimeSpan,
}

impl Costs {
    /// Returns the time until another worker, which may sleep, can begin a task that one made
    /// ready.
    pub fn to_other_worker(self) -> TimeSpan {
        self.hand_over.max(self.wake_up)
    }

    /// Returns the time that all interrupted threads take longer, on `cores` together, if threads
    /// begin to run that often.
    pub(crate) fn of_switches(self, begins: u64, cores: usize) -> TimeSpan {
        self.preemption * begins * cores as u64
    }
}
