//! The kernel's accounts around a moment: who had the core, if no thread of the robot did.

use super::{
    BlockingChain, Cause, Reason,
    history::{History, Slice},
};
use crate::{
    clock::{Core, Ticks},
    ids::{TaskId, WorkerId},
};

/// The kernel's accounts of a thread and its core, from one reading to another. All times are in
/// nanoseconds.
///
/// Readings are some tens of milliseconds apart, so an account covers what was lost around a
/// moment, not only in it.
///
/// ```
/// use hemiola_trace::{Core, Ticks, WorkerId, causes::{Account, Taker}};
///
/// let account = Account {
///     worker: WorkerId(0), core: Core(1), begin: Ticks(0), end: Ticks(50_000_000),
///     running: 4_000_000, in_tasks: 3_900_000, waiting: 1_750_000, for_ours: 50_000, stolen: Some(0),
/// };
/// assert_eq!(account.taker_before_it_ran(1_800_000), (Taker::OtherPrograms, 1_700_000));
/// assert_eq!(account.taker_before_it_ran(9_000_000), (Taker::Nobody, 0)); // it did not wait long enough for that
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Account {
    /// The thread that the account is about.
    pub worker: WorkerId,
    /// The core that the thread was on.
    pub core: Core,
    /// The time of the reading at which the account begins.
    pub begin: Ticks,
    /// The time of the reading at which the account ends.
    pub end: Ticks,
    /// The time for which the thread was on a core.
    pub running: u64,
    /// The time for which the thread was in tasks, on a core or not.
    pub in_tasks: u64,
    /// The time for which the thread waited for a core, whoever had it.
    pub waiting: u64,
    /// The part of the waiting time, at most, for which other threads of the robot had the core.
    pub for_ours: u64,
    /// The time for which the host took the core, in steps of 10 ms; `None` if that was not
    /// counted.
    pub stolen: Option<u64>,
}

/// The one that had a core while a thread of the robot needed it.
///
/// See [`Loss`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taker {
    /// Threads other than those of the robot's cycles, sources and executors: of other programs, or
    /// of the kernel.
    OtherPrograms,
    /// The host of a virtual machine.
    Host,
    /// Threads of the robot or others, which cannot be distinguished: the thread waited for a core.
    OursOrOthers,
    /// Nobody: the thread was not waiting for a core, and the host took none that it counts. The
    /// event that should have woken it was late.
    Nobody,
    /// Nobody: the thread was on a core, so the update itself took that long.
    Update,
    /// Nobody: the thread slept within an update, for a lock, a page or a device; or the host took
    /// less than it counts.
    Sleep,
}

/// The time that a run lost, and who took it: [`Explanation::loss`](super::Explanation::loss).
///
/// ```
/// use hemiola_trace::{Core, Ticks, WorkerId, causes::{Account, Loss, Taker}};
///
/// let account = Account {
///     worker: WorkerId(0), core: Core(1), begin: Ticks(0), end: Ticks(50_000_000),
///     running: 0, in_tasks: 0, waiting: 0, for_ours: 0, stolen: Some(20_000_000),
/// };
/// let loss = Loss::before_it_ran(account, 12_000_000);
/// assert_eq!((loss.taker, loss.taken), (Taker::Host, 12_000_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The kernel's accounts around the loss.
    pub account: Account,
    /// The update within which it was lost; `None` if it was lost before or between updates.
    pub within: Option<TaskId>,
    /// The lost time, in nanoseconds.
    pub nanoseconds: u64,
    /// The one that took the greater part.
    pub taker: Taker,
    /// The part of the loss that the accounts cover, in nanoseconds: never more than the loss.
    pub taken: u64,
}

impl Loss {
    /// Judges the loss of a thread that had work and had not begun with it.
    pub fn before_it_ran(account: Account, nanoseconds: u64) -> Self {
        let (taker, taken) = account.taker_before_it_ran(nanoseconds);
        Self { account, within: None, nanoseconds, taker, taken }
    }

    /// Judges the loss of a thread within an update that took `nanoseconds` longer than usual.
    pub fn within(task: TaskId, account: Account, nanoseconds: u64) -> Self {
        let (taker, taken) = account.taker_within_an_update(nanoseconds);
        Self { account, within: Some(task), nanoseconds, taker, taken }
    }
}

impl Account {
    /// Returns who had the core for most of a time in which the thread had work and had not begun
    /// with it, and how much of that time this covers.
    pub fn taker_before_it_ran(&self, lost: u64) -> (Taker, u64) {
        let stolen = self.stolen.unwrap_or(0);
        // A thread whose core the host has taken counts as waiting, too; others are not blamed for
        // that.
        let others = self.waiting.saturating_sub(self.for_ours).saturating_sub(stolen);
        if is_most(others, lost) {
            (Taker::OtherPrograms, others.min(lost))
        } else if stolen > 0 {
            (Taker::Host, stolen.min(lost))
        } else if is_most(self.waiting, lost) {
            (Taker::OursOrOthers, self.waiting.min(lost))
        } else {
            (Taker::Nobody, 0)
        }
    }

    /// Returns who had the core during an update, for most of the time by which the update took
    /// longer than usual, and how much of that time this covers.
    pub fn taker_within_an_update(&self, lost: u64) -> (Taker, u64) {
        let stolen = self.stolen.unwrap_or(0);
        // This is a lower bound, because the thread may have been on a core outside of updates,
        // too.
        let absent = self.in_tasks.saturating_sub(self.running).min(lost);
        let others = self.waiting.saturating_sub(self.for_ours).saturating_sub(stolen).min(absent);
        if !is_most(absent, lost) {
            return match is_most(self.waiting.max(stolen), lost) {
                // Some kernels count a stolen core as one that the thread was on.
                true if stolen > 0 => (Taker::Host, stolen.min(lost)),
                true => (Taker::OursOrOthers, 0),
                false => (Taker::Update, 0),
            };
        }
        if is_most(others, absent) {
            (Taker::OtherPrograms, others)
        } else if stolen > 0 {
            (Taker::Host, stolen.min(absent))
        } else if is_most(self.waiting, absent) {
            (Taker::OursOrOthers, self.waiting.min(absent))
        } else {
            (Taker::Sleep, absent.saturating_sub(self.waiting))
        }
    }

    /// Returns for how much of the time by which an update took longer than others of its kind its
    /// core was taken by other programs, the kernel, or the host; zero if that is not most of it.
    /// `elsewhere` is the time, at most, for which the thread was without a core in other updates
    /// between the readings. Whatever is in doubt does not count: what the robot's own threads may
    /// have had, what the thread slept, what the host took where less was lost than one of its
    /// counting steps, and where the kernel counts a stolen core as one that the thread was on.
    pub fn taken_by_others(&self, lost: u64, elsewhere: u64) -> u64 {
        // This is a lower bound, because the thread was on a core outside of updates, too.
        let absent = self.in_tasks.saturating_sub(self.running).saturating_sub(elsewhere);
        let stolen = self.stolen.filter(|_| lost >= STOLEN_STEP).unwrap_or(0);
        // A thread whose core the host has taken counts as waiting, too; that is not counted twice.
        let others = self.waiting.saturating_sub(self.for_ours).max(stolen);
        let taken = others.min(absent).min(lost);
        if is_most(taken, lost) { taken } else { 0 }
    }
}

/// The step, in nanoseconds, in which Linux counts stolen time.
const STOLEN_STEP: u64 = 10_000_000;

fn is_most(part: u64, whole: u64) -> bool {
    part >= whole.div_ceil(2).max(1)
}

impl History {
    /// Returns what took the greatest part of what a run lost for this reason, if the kernel's
    /// accounts show it.
    pub(super) fn loss(&self, chain: &BlockingChain, reason: Reason, excess: u64) -> Option<Loss> {
        let run = self.runs.get(&(chain.cycle, chain.run))?;
        if let Reason::LongExecution(task) = reason {
            let slice =
                run.tasks.iter().filter(|slice| slice.task == task).max_by_key(|slice| slice.end.since(slice.begin))?;
            let account = self.account(slice.worker, slice.core, slice.begin, slice.end)?;
            return Some(Loss::within(task, account, excess));
        }
        let leader = run.begin?.0;
        let waited = |cause| match (reason, cause) {
            (Reason::Late, Cause::Late) => Some(leader),
            (Reason::Woken, Cause::Woken { worker }) | (Reason::Stalled(_), Cause::Stalled { worker }) => Some(worker),
            (Reason::HandedOver, Cause::HandedOver { to, .. }) => Some(to),
            _ => None,
        };
        let stretches = chain.stretches.iter().filter_map(|stretch| Some((stretch, waited(stretch.cause)?)));
        let (stretch, worker) = stretches.max_by_key(|(stretch, _)| stretch.ticks())?;
        // The core on which a thread ends is the one that it waited for.
        let of_worker = run.tasks.iter().filter(|slice| slice.worker == worker);
        let next = of_worker.min_by_key(|slice: &&Slice| slice.begin.0.abs_diff(stretch.end.0));
        let core = next.map_or(Core::UNKNOWN, |slice| slice.core);
        let account = self.account(worker, core, stretch.begin, stretch.end)?;
        Some(Loss::before_it_ran(account, self.scale.nanoseconds_between(stretch.begin, stretch.end).min(excess)))
    }
}

#[cfg(test)]
mod tests;
