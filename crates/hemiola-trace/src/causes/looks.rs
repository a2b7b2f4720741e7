//! Readings of the kernel's accounts, and what the robot did between two of them.

use super::{accounts::Account, history::History};
use crate::{
    catalog::Runs,
    clock::{Core, Ticks},
    event::Event,
    ids::WorkerId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The readings of the kernel's accounts, in the order of time.
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

/// Returns the times of the last reading before a time and of the first one after it, and the
/// difference between them.
fn between<const N: usize>(looks: &[(Ticks, [u64; N])], begin: Ticks, end: Ticks) -> Option<(Ticks, Ticks, [u64; N])> {
    let before = looks[..looks.partition_point(|(at, _)| *at <= begin)].last()?;
    let after = looks.get(looks.partition_point(|(at, _)| *at < end))?;
    // The accounts of a thread that was restarted begin at zero again.
    let counted = std::array::from_fn(|index| after.1[index].saturating_sub(before.1[index]));
    Some((before.0, after.0, counted))
}

impl History {
    /// Returns the accounts of a thread of a cycle, source or executor around a time; `None` if
    /// there is no reading before it, or none after it.
    pub fn account(&self, worker: WorkerId, core: Core, begin: Ticks, end: Ticks) -> Option<Account> {
        let (begin, end, [running, waiting]) = between(self.looks.threads.get(&worker)?, begin, end)?;
        let stolen = self.looks.stolen.get(&core).and_then(|looks| between(looks, begin, end));
        let entered = self.entered(worker, (begin, end));
        // A thread that may move has waited for any of the cores on which it was seen.
        let cores: BTreeSet<_> = entered.iter().filter_map(|(core, _)| *core).chain([core]).collect();
        let mut tasks: Vec<Span> = entered.into_iter().map(|(_, span)| span).collect();
        let in_tasks = covered(tasks.clone());
        // The thread needs a core only for these tasks, and while a run is in progress.
        tasks.extend(self.runs_of(worker, (begin, end)));
        let mut ours: BTreeMap<Option<WorkerId>, Vec<Span>> = BTreeMap::new();
        for within in joined(tasks) {
            let others = cores.iter().flat_map(|&core| self.occupations_on(core, within));
            let others = others.map(|other| (Some(other.worker), (other.begin, other.end)));
            // It is unknown whether sources sleep while they acquire a sample.
            let samples = self.samples.iter().flat_map(|(source, samples)| {
                let thread = self.threads_of_sources.get(source).copied();
                samples.iter().map(move |&span| (thread, span))
            });
            for (other, span) in others.chain(samples).filter(|(other, _)| *other != Some(worker)) {
                ours.entry(other).or_default().push(clipped(span, within));
            }
        }
        Some(Account {
            worker,
            core,
            begin,
            end,
            running,
            in_tasks: self.nanoseconds(in_tasks),
            waiting,
            for_ours: self.had_by(ours, (begin, end)).min(waiting),
            stolen: stolen.map(|(_, _, [stolen])| stolen),
        })
    }

    /// Returns for how many nanoseconds these threads can have had cores between two readings: at
    /// most as long as they were in what they executed, and as they ran by the kernel's accounts.
    fn had_by(&self, threads: BTreeMap<Option<WorkerId>, Vec<Span>>, (begin, end): Span) -> u64 {
        let ran = |thread: &WorkerId| Some(between(self.looks.threads.get(thread)?, begin, end)?.2[0]);
        let mut all = Vec::new();
        let mut sum = 0_u64;
        for (thread, spans) in threads {
            let entered = self.nanoseconds(covered(spans.clone()));
            sum = sum.saturating_add(thread.as_ref().and_then(ran).map_or(entered, |ran| ran.min(entered)));
            all.extend(spans);
        }
        self.nanoseconds(covered(all)).min(sum)
    }

    /// Returns the spans of tasks, samples or callbacks that a thread executed in this time, with
    /// the core on which each ended, if that is known.
    fn entered(&self, worker: WorkerId, within: Span) -> Vec<(Option<Core>, Span)> {
        let tasks = self.runs.values().flat_map(|run| &run.tasks).filter(|slice| slice.worker == worker);
        let tasks = tasks.map(|slice| (Some(slice.core), (slice.begin, slice.end)));
        let sources = self.samples.iter().filter(|(source, _)| self.threads_of_sources.get(source) == Some(&worker));
        let samples = sources.flat_map(|(_, samples)| samples).map(|&span| (None, span));
        let calls = self.calls.get(&worker).into_iter().flatten().map(|call| (Some(call.core), (call.begin, call.end)));
        let all = tasks.chain(samples).chain(calls).map(|(core, span)| (core, clipped(span, within)));
        all.filter(|(_, (begin, end))| begin < end).collect()
    }

    /// Returns the spans in which a thread had work in this time: runs of its cycle, or callbacks
    /// of its executor from when there was work.
    fn runs_of(&self, worker: WorkerId, within: Span) -> Vec<Span> {
        let calls = self.calls.get(&worker).into_iter().flatten();
        let calls = calls.filter(|call| call.published != Ticks(0)).map(|call| (call.published, call.end));
        let mut spans: Vec<Span> = calls.collect();
        let names = self.catalog.read();
        if let Some(Runs::Tasks { cycle, .. }) = names.worker(worker).map(|worker| &worker.runs) {
            let runs = self.runs.range((*cycle, 0)..=(*cycle, u32::MAX));
            // A run that has not ended is still in progress.
            spans.extend(runs.filter_map(|(_, run)| Some((run.begin?.2, run.end.unwrap_or(within.1)))));
        }
        spans.into_iter().map(|span| clipped(span, within)).collect()
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        self.scale.nanoseconds_between(Ticks(0), Ticks(ticks))
    }
}

type Span = (Ticks, Ticks);

fn clipped(span: Span, within: Span) -> Span {
    (span.0.max(within.0), span.1.min(within.1))
}

/// Merges overlapping spans, in the order of time.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|(begin, end)| begin < end);
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let overlap = next.0 <= last.1;
        last.1 = if overlap { last.1.max(next.1) } else { last.1 };
        overlap
    });
    spans
}

/// Returns the number of ticks that these spans cover together; spans that end before they begin
/// cover nothing.
fn covered(spans: Vec<Span>) -> u64 {
    joined(spans).iter().map(|(begin, end)| end.since(*begin)).sum()
}
