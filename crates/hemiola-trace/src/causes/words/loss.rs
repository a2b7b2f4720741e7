//! Losses of the core, in sentences for people.

use crate::{
    catalog::CatalogGuard,
    causes::{Account, Loss, Taker},
    clock::{Core, TickScale},
};
use hemiola_words::nanoseconds;

impl Loss {
    /// Describes what the kernel counted, and what follows from it.
    ///
    /// ```
    /// use hemiola_trace::{Core, TickScale, Ticks, WorkerId, causes::{Account, Loss}};
    ///
    /// let account = Account {
    ///     worker: WorkerId(0), core: Core(1), begin: Ticks(0), end: Ticks(50_000_000),
    ///     running: 4_000_000, in_tasks: 3_900_000, waiting: 1_750_000, for_ours: 0, stolen: Some(0),
    /// };
    /// assert_eq!(
    ///     Loss::before_it_ran(account, 1_800_000).sentence(&TickScale::nanoseconds_per_tick_one()),
    ///     "in the 50.0 ms around it its thread waited 1.75 ms for a core that other programs had, or the kernel itself"
    /// );
    /// ```
    pub fn sentence(&self, scale: &TickScale) -> String {
        let Account { begin, end, running, in_tasks, waiting, for_ours, .. } = self.account;
        let around = format!("in the {} around it", nanoseconds(scale.nanoseconds_between(begin, end)));
        let [on, tasks, waited, ours] = [running.min(in_tasks), in_tasks, waiting, for_ours].map(nanoseconds);
        let in_updates = format!("of the {tasks} that its thread spent in updates {around}, it was on a core for {on}");
        let ours = match for_ours {
            0 => String::new(),
            _ => format!(", the robot's own threads for at most {ours} of it"),
        };
        let host = self.host();
        let not_long = if waiting == 0 { "did not wait".to_owned() } else { format!("waited only {waited}") };
        match (self.taker, self.within) {
            (Taker::OtherPrograms, None) => {
                format!(
                    "{around} its thread waited {waited} for a core that other programs had, or the kernel itself{ours}"
                )
            }
            (Taker::OtherPrograms, Some(_)) => {
                format!("{in_updates}, and waited {waited} for one that other programs had, or the kernel itself{ours}")
            }
            (Taker::Host, None) => format!("{around} {host}, and its thread waited {waited} for a core"),
            (Taker::Host, Some(_)) => format!("{in_updates}; {host}"),
            (Taker::OursOrOthers, None) => format!(
                "{around} its thread waited {waited} for a core that others had{ours}; which of them had it when this was late is not known"
            ),
            (Taker::OursOrOthers, Some(_)) => {
                format!(
                    "{in_updates}, and waited {waited} for one that others had{ours}; how long it waited within updates is not known"
                )
            }
            (Taker::Nobody | Taker::Sleep, None) => format!(
                "{around} its thread {not_long} for a core, and {host}: the timer or the wake-up itself was late, \
                 or the host took the core for less than it counts"
            ),
            (Taker::Update, _) | (Taker::Nobody, Some(_)) => {
                format!("{in_updates}, waited {waited} for one, and {host}: so the update itself took that long")
            }
            (Taker::Sleep, Some(_)) => format!(
                "{in_updates}, waited {waited} for one, and {host}: so the update slept \
                 (for a lock, a page, a device), or the host took the core for less than it counts"
            ),
        }
    }

    /// Returns the remedy for the loss.
    pub fn remedy(&self, names: &CatalogGuard<'_>, cycle: &str) -> String {
        let update = self.within.map(|task| names.task_name(task));
        match (self.taker, update) {
            (Taker::OtherPrograms | Taker::OursOrOthers, _) => format!(
                "a priority above theirs, or cores that they do not have (`priority`, `cores` in [cycle.{cycle}]); \
                 `doctor` shows what else can be done"
            ),
            (Taker::Host, _) => "cores of its own for this virtual machine, or a real one".to_owned(),
            (Taker::Update, Some(update)) => format!("look at what {update} did at that time"),
            (Taker::Sleep, Some(update)) => {
                format!("look at what {update} waited for at that time: real-time code neither locks, allocates nor calls the system")
            }
            (Taker::Nobody | Taker::Update | Taker::Sleep, _) => {
                "that is the kernel, or a host that took less than it counts: `doctor` measures late timers and wake-ups, \
                 and shows what can be done"
                    .to_owned()
            }
        }
    }

    fn host(&self) -> String {
        let core = match self.account.core {
            Core::UNKNOWN => "its core".to_owned(),
            Core(number) => format!("core {number}"),
        };
        match self.account.stolen {
            None => format!("what the host took of {core} was not counted"),
            Some(0) => format!("the host took less than 10 ms of {core}"),
            Some(stolen) => {
                format!("the host took {core} away for {} (counted in steps of 10 ms)", nanoseconds(stolen))
            }
        }
    }
}
