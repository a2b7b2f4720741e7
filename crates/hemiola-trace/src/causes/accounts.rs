//! What the kernel counted around a moment: who had the core, if no thread of the robot had it.

use super::{
    BlockingChain, Cause, Reason,
    history::{History, Slice},
};
use crate::{
    clock::{Core, Ticks},
    event::Event,
    ids::{CycleId, TaskId, WorkerId},
};
use std::collections::{BTreeMap, BTreeSet};

/// The kernel's accounts of a thread and its core, from one look at them to another. All times in nanoseconds.
///
/// Looks are some tens of milliseconds apart, so it tells what was lost around a moment and not in it.
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
    /// Whose thread it is.
    pub worker: WorkerId,
    /// Where it was.
    pub core: Core,
    /// The look before.
    pub begin: Ticks,
    /// The look after.
    pub end: Ticks,
    /// It was on a core.
    pub running: u64,
    /// It was in tasks, on a core or not.
    pub in_tasks: u64,
    /// It waited for a core, whoever had that.
    pub waiting: u64,
    /// Of that, others of the robot had the core for so long at most.
    pub for_ours: u64,
    /// The host took the core, in steps of 10 ms; `None` if nobody counted.
    pub stolen: Option<u64>,
}

/// Who had a core that a thread of the robot needed.
///
/// ```
/// # use hemiola_trace::causes::Taker;
/// assert_ne!(Taker::Host, Taker::OtherPrograms);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taker {
    /// Threads that are none of the robot's cycles, sources and executors: of other programs, or of the kernel.
    OtherPrograms,
    /// The host of a virtual machine.
    Host,
    /// It waited, for its own kind or for others: that cannot be told apart.
    OursOrOthers,
    /// Nobody: it was not waiting for a core, and the host took none that it counts. What should have woken it was late.
    Nobody,
    /// Nobody: it was on a core, so the update itself took that long.
    Update,
    /// Nobody: within an update it slept, for a lock, a page or a device; or the host took less than it counts.
    Sleep,
}

/// A time that a run lost, and where it went: [`Explanation::loss`](super::Explanation::loss).
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
    /// What the kernel counted around it.
    pub account: Account,
    /// The update within which it was lost; none if it was before or between them.
    pub within: Option<TaskId>,
    /// How much, in nanoseconds.
    pub nanoseconds: u64,
    /// Where it went, for the greater part.
    pub taker: Taker,
    /// How much of it the accounts cover, in nanoseconds: never more than was lost.
    pub taken: u64,
}

impl Loss {
    /// Of a thread that had something to do and had not begun with it.
    pub fn before_it_ran(account: Account, nanoseconds: u64) -> Self {
        let (taker, taken) = account.taker_before_it_ran(nanoseconds);
        Self { account, within: None, nanoseconds, taker, taken }
    }

    /// Of a thread within an update that took longer than usual by so much.
    pub fn within(task: TaskId, account: Account, nanoseconds: u64) -> Self {
        let (taker, taken) = account.taker_within_an_update(nanoseconds);
        Self { account, within: Some(task), nanoseconds, taker, taken }
    }
}

impl Account {
    /// Who had the core for most of a time in which the thread had something to do and had not begun with it, and how much of it that covers.
    pub fn taker_before_it_ran(&self, lost: u64) -> (Taker, u64) {
        let stolen = self.stolen.unwrap_or(0);
        // A thread that waits on a core which the host has taken waits, too: that is not blamed on others.
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

    /// Who had the core while an update was entered, for most of the time by which that took longer than usual, and how much of it that covers.
    pub fn taker_within_an_update(&self, lost: u64) -> (Taker, u64) {
        let stolen = self.stolen.unwrap_or(0);
        // At least: it may have been on a core outside of updates, too.
        let absent = self.in_tasks.saturating_sub(self.running).min(lost);
        let others = self.waiting.saturating_sub(self.for_ours).saturating_sub(stolen).min(absent);
        if !is_most(absent, lost) {
            return match is_most(self.waiting.max(stolen), lost) {
                // Kernels that do not know better take a stolen core for one that the thread was on.
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
}

fn is_most(part: u64, whole: u64) -> bool {
    part >= whole.div_ceil(2).max(1)
}

/// What the kernel had counted when somebody looked, in the order of time.
#[derive(Debug, Default)]
pub(super) struct Looks {
    threads: BTreeMap<WorkerId, Vec<(Ticks, [u64; 2])>>,
    stolen: BTreeMap<Core, Vec<(Ticks, [u64; 1])>>,
}

impl Looks {
    pub(super) fn add(&mut self, event: &Event) {
        match *event {
            Event::ThreadTime { worker, running, waiting, at } => {
                self.threads.entry(worker).or_default().push((at, [running, waiting]));
            }
            Event::StolenTime { core, nanoseconds, at } => {
                self.stolen.entry(core).or_default().push((at, [nanoseconds]));
            }
            _ => {}
        }
    }

    pub(super) fn sort(&mut self) {
        self.threads.values_mut().for_each(|looks| looks.sort_unstable());
        self.stolen.values_mut().for_each(|looks| looks.sort_unstable());
    }
}

/// The last look before a time and the first one after it, and what was counted between them.
fn between<const N: usize>(looks: &[(Ticks, [u64; N])], begin: Ticks, end: Ticks) -> Option<(Ticks, Ticks, [u64; N])> {
    let before = looks[..looks.partition_point(|(at, _)| *at <= begin)].last()?;
    let after = looks.get(looks.partition_point(|(at, _)| *at < end))?;
    // A thread that was started anew counts from zero again.
    let counted = std::array::from_fn(|index| after.1[index].saturating_sub(before.1[index]));
    Some((before.0, after.0, counted))
}

impl History {
    /// The accounts of a thread around a time; `None` if nobody looked before it, or after it.
    pub fn account(&self, cycle: CycleId, worker: WorkerId, core: Core, begin: Ticks, end: Ticks) -> Option<Account> {
        let (begin, end, [running, waiting]) = between(self.looks.threads.get(&worker)?, begin, end)?;
        let stolen = self.looks.stolen.get(&core).and_then(|looks| between(looks, begin, end));
        let slices = self.runs.values().flat_map(|run| &run.tasks).filter(|slice| slice.worker == worker);
        let slices: Vec<_> = slices.filter(|slice| slice.begin < end && slice.end > begin).collect();
        // A thread that may move has waited on any of those on which it was seen.
        let cores: BTreeSet<_> = slices.iter().map(|slice| slice.core).chain([core]).collect();
        let runs: Vec<_> = self.runs(cycle).map(|run| (run.trigger, run.end)).collect();
        let mut ours = Vec::new();
        for within in runs.iter().map(|&(trigger, over)| (trigger.max(begin), over.min(end))) {
            let others = cores.iter().flat_map(|&core| self.occupations_on(core, within));
            let others = others.filter(|other| other.worker != worker).map(|other| (other.begin, other.end));
            // Sources do not tell whether they sleep while they take a sample.
            let samples = self.samples.values().flatten().copied();
            ours.extend(others.chain(samples).map(|other| (other.0.max(within.0), other.1.min(within.1))));
        }
        let tasks = slices.iter().map(|slice| (slice.begin.max(begin), slice.end.min(end)));
        let nanoseconds = |ticks| self.scale.nanoseconds_between(Ticks(0), Ticks(ticks));
        Some(Account {
            worker,
            core,
            begin,
            end,
            running,
            in_tasks: nanoseconds(covered(tasks.collect())),
            waiting,
            for_ours: nanoseconds(covered(ours)).min(waiting),
            stolen: stolen.map(|(_, _, [stolen])| stolen),
        })
    }

    /// What became of the greatest part of what a run lost for this reason, if the kernel's accounts can tell.
    pub(super) fn loss(&self, chain: &BlockingChain, reason: Reason, excess: u64) -> Option<Loss> {
        let run = self.runs.get(&(chain.cycle, chain.run))?;
        if let Reason::LongExecution(task) = reason {
            let slice =
                run.tasks.iter().filter(|slice| slice.task == task).max_by_key(|slice| slice.end.since(slice.begin))?;
            let account = self.account(chain.cycle, slice.worker, slice.core, slice.begin, slice.end)?;
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
        // Where a thread ends up is where it waited.
        let of_worker = run.tasks.iter().filter(|slice| slice.worker == worker);
        let next = of_worker.min_by_key(|slice: &&Slice| slice.begin.0.abs_diff(stretch.end.0));
        let core = next.map_or(Core::UNKNOWN, |slice| slice.core);
        let account = self.account(chain.cycle, worker, core, stretch.begin, stretch.end)?;
        Some(Loss::before_it_ran(account, self.scale.nanoseconds_between(stretch.begin, stretch.end).min(excess)))
    }
}

/// How much of the time these spans cover together; those that end before they begin cover nothing.
fn covered(mut spans: Vec<(Ticks, Ticks)>) -> u64 {
    spans.sort_unstable();
    let (mut covered, mut until) = (0, Ticks(0));
    for (begin, end) in spans {
        covered += end.since(begin.max(until));
        until = until.max(end);
    }
    covered
}

#[cfg(test)]
mod tests;
