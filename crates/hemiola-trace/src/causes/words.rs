//! Explanations for people: what happened, and what can be done about it.

mod loss;

use super::{Cause, Execution, Explanation, Hop, Reason, Step};
use crate::{
    catalog::{CatalogGuard, Runs, source_of_messages},
    clock::TickScale,
    ids::{TaskId, WorkerId},
};
use hemiola_words::{grouped, nanoseconds};
use std::{collections::BTreeMap, fmt::Write};

/// Stretches shorter than this part of the response time, one in 100, are summed up.
const LEAST_PART: u64 = 100;

impl Explanation {
    /// Returns the reason in a sentence, for a journal.
    ///
    /// ```
    /// use hemiola_trace::{Catalog, Cycle, TickScale, Ticks, causes::{BlockingChain, Cause, Durations, Explanation, Stretch}};
    ///
    /// let catalog = Catalog::new("robot");
    /// let cycle = catalog.cycle(Cycle::named("motion"))?;
    /// let stretches = vec![Stretch { begin: Ticks(0), end: Ticks(9_000), cause: Cause::Late }];
    /// let chain = BlockingChain { cycle, run: 7, trigger: Ticks(0), end: Ticks(9_000), stretches, missing: vec![] };
    /// let explanation = Explanation::of(chain, &Durations::default(), &TickScale::nanoseconds_per_tick_one());
    /// assert_eq!(explanation.sentence(&catalog.read()), "it began 9.00 µs after it was due");
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    pub fn sentence(&self, names: &CatalogGuard<'_>) -> String {
        let reason = self.reason_in_words(names);
        match self.loss_in_words() {
            Some(loss) => format!("{reason}; {loss}"),
            None => reason,
        }
    }

    /// Returns a sentence that says who had the core meanwhile, if that is known.
    pub fn loss_in_words(&self) -> Option<String> {
        self.loss.map(|loss| loss.sentence(&self.scale))
    }

    fn reason_in_words(&self, names: &CatalogGuard<'_>) -> String {
        let excess = nanoseconds(self.excess);
        match self.reason {
            Reason::Usual => match self.executions.first() {
                Some(longest) => format!(
                    "nothing took unusually long; the longest part that it had to wait for was {} with {}",
                    names.task_name(longest.task),
                    nanoseconds(longest.nanoseconds)
                ),
                None => "nothing took unusually long".to_owned(),
            },
            Reason::LongExecution(task) => {
                let Some(execution) = self.execution(task) else { return String::new() };
                format!("{} {}", names.task_name(task), compared(execution))
            }
            Reason::Preempted(by) => format!("{} had its core for {excess}", thread(names, by)),
            Reason::Backlog => {
                let before = self.chain.run.wrapping_sub(1);
                format!("run {before} was still in progress for {excess} when it was due")
            }
            Reason::Sampled(source) => {
                format!(
                    "source {} was still acquiring samples for {excess} after it was due",
                    names.source_name(source)
                )
            }
            Reason::Late => format!("it began {excess} after it was due"),
            Reason::Woken => format!("waking up workers took {excess}"),
            Reason::HandedOver => format!("handing work from worker to worker took {excess}"),
            Reason::Stalled(worker) => format!(
                "worker {} had work but did not run for {excess}, and no cycle or executor was on its core",
                names.worker_name(worker)
            ),
            Reason::Dispatched => format!("the framework took {excess} between tasks"),
            Reason::Unknown => format!("events of {excess} of it were lost"),
        }
    }

    /// Returns the remedy for the reason.
    pub fn remedy(&self, names: &CatalogGuard<'_>) -> String {
        let cycle = names.cycle_name(self.chain.cycle);
        if let Some(loss) = self.loss {
            return loss.remedy(names, &cycle);
        }
        match self.reason {
            Reason::Usual => format!(
                "the usual durations do not fit: shorten the longest tasks, or run `simulate {cycle}` to see what more workers gain"
            ),
            Reason::LongExecution(task) => format!(
                "look at what {} did at that time; if nothing, the kernel or the host had its core within it, which events do not show",
                names.task_name(task)
            ),
            Reason::Preempted(_) => {
                format!(
                    "to prevent that, set other priorities or cores for both (`priority`, `cores` in [cycle.{cycle}])"
                )
            }
            Reason::Backlog => {
                format!("find out why that run was late: `why {cycle} --run {}`", self.chain.run.wrapping_sub(1))
            }
            Reason::Sampled(source) => {
                let source = names.source_name(source);
                format!(
                    "if the sample takes long, stamp it with the time at which it is there; if its thread waits for a core, set `priority` and `cores` in [source.{source}]"
                )
            }
            Reason::Late | Reason::Woken | Reason::Stalled(_) => {
                "that is the kernel, another process, or the host of a virtual machine: `doctor` shows what can be done"
                    .to_owned()
            }
            Reason::HandedOver => format!("use fewer workers, which hand over less: `workers` in [cycle.{cycle}]"),
            Reason::Dispatched => {
                "that usually takes some microseconds; if it takes more, the cause is the machine: `doctor` shows what can be done"
                    .to_owned()
            }
            Reason::Unknown => "nothing is known about that time".to_owned(),
        }
    }

    /// Returns the whole chain as a table, one line per stretch, in the order of time.
    pub fn table(&self, names: &CatalogGuard<'_>) -> String {
        let lines = self.chain.stretches.iter().map(|stretch| {
            let begin = self.scale.nanoseconds_between(self.chain.trigger, stretch.begin);
            let long = self.scale.nanoseconds_between(stretch.begin, stretch.end);
            (begin, long, &stretch.cause)
        });
        let mut text = String::new();
        let (mut shown, short): (Vec<_>, Vec<_>) = lines.partition(|(_, long, _)| *long >= self.response / LEAST_PART);
        // A stretch that continued after short interruptions is one line.
        shown.dedup_by(|(_, next, cause), (_, last, before)| {
            let goes_on = cause == before;
            *last += if goes_on { *next } else { 0 };
            goes_on
        });
        for (begin, long, cause) in &shown {
            let line = self.line(names, cause);
            // Writing to a string cannot fail.
            _ = writeln!(text, "  {:>8}  {:>8}  {line}", nanoseconds(*begin), nanoseconds(*long));
        }
        if !short.is_empty() {
            let together = self.response - shown.iter().map(|(_, long, _)| long).sum::<u64>().min(self.response);
            let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
            short.iter().for_each(|(_, long, cause)| *kinds.entry(kind(cause)).or_default() += long);
            let mut kinds: Vec<_> = kinds.into_iter().collect();
            kinds.sort_by_key(|&(_, long)| std::cmp::Reverse(long));
            let kinds: Vec<_> = kinds.into_iter().map(|(kind, long)| format!("{} {kind}", nanoseconds(long))).collect();
            let (count, kinds) = (grouped(short.len() as u64), kinds.join(", "));
            _ = writeln!(
                text,
                "  {:>8}  {:>8}  {count} short stretches between them: {kinds}",
                "",
                nanoseconds(together)
            );
        }
        if !self.chain.missing.is_empty() {
            let missing: Vec<_> = self.chain.missing.iter().map(|&task| names.task_name(task)).collect();
            _ = writeln!(
                text,
                "  events were lost, those of {}: the causes given for their time may be wrong",
                missing.join(", ")
            );
        }
        text
    }

    fn line(&self, names: &CatalogGuard<'_>, cause: &Cause) -> String {
        let within =
            |task: Option<TaskId>| task.map_or(String::new(), |task| format!(" within {}", names.task_name(task)));
        match *cause {
            Cause::Backlog => format!("run {} was still in progress", self.chain.run.wrapping_sub(1)),
            Cause::Sampled { source } => {
                format!("due, but source {} was still acquiring samples", names.source_name(source))
            }
            Cause::Late => "due, but not begun: late timer or wake-up".to_owned(),
            Cause::Executed { task, worker, because } => {
                let (name, where_) = (names.task_name(task), names.worker_name(worker));
                let why = match because {
                    super::Because::Needed => "",
                    super::Because::Occupied => ", which occupied the worker",
                };
                let compared = self.execution(task).filter(|execution| execution.excess() > 0);
                let compared = compared.map_or(String::new(), |execution| format!(": {}", compared_short(execution)));
                format!("{name} ran on {where_}{why}{compared}")
            }
            Cause::Preempted { worker, task, by } => {
                let of = worker.map_or(String::new(), |worker| format!(" of {}", names.worker_name(worker)));
                format!("preempted{}: {} had the core{of}", within(task), thread(names, by))
            }
            Cause::Woken { worker } => format!("worker {} was being woken up", names.worker_name(worker)),
            Cause::HandedOver { from, to } => {
                format!("handed over from {} to {}", names.worker_name(from), names.worker_name(to))
            }
            Cause::Dispatched { worker } => format!("between tasks on {}", names.worker_name(worker)),
            Cause::Stalled { worker } => format!(
                "worker {} had work but did not run; no cycle or executor had its core: the kernel, the host, or a source",
                names.worker_name(worker)
            ),
            Cause::Unknown => "unknown: events were lost".to_owned(),
        }
    }
}

impl Hop {
    /// Describes the hop in words; `source` is the begin of the chain.
    pub fn describe(&self, names: &CatalogGuard<'_>, source: &str) -> String {
        match self.step {
            Step::Sample => format!("until {} took its next sample", source_of_messages(source).unwrap_or(source)),
            Step::Release { cycle, run } => format!("until run {run} of {} was due", names.cycle_name(cycle)),
            Step::Kept { cycle, first, run } => {
                let cycle = names.cycle_name(cycle);
                format!(
                    "until run {run} of {cycle} was due, while nothing newer arrived than what run {first} had read"
                )
            }
            Step::Run { cycle, run } => format!("run {run} of {}", names.cycle_name(cycle)),
            Step::Unknown => "unknown: the path of the sample is not in the trace".to_owned(),
        }
    }

    /// Returns the length of the hop, in nanoseconds.
    pub fn nanoseconds(&self, scale: &TickScale) -> u64 {
        scale.nanoseconds_between(self.begin, self.end)
    }
}

/// Returns the kind by which short stretches are summed up.
fn kind(cause: &Cause) -> &'static str {
    match cause {
        Cause::Backlog | Cause::Late | Cause::Sampled { .. } => "not begun",
        Cause::Executed { .. } => "in updates",
        Cause::Preempted { .. } => "preempted",
        Cause::Woken { .. } => "being woken",
        Cause::HandedOver { .. } => "handed over",
        Cause::Dispatched { .. } => "between tasks",
        Cause::Stalled { .. } => "not running",
        Cause::Unknown => "unknown",
    }
}

fn compared(execution: &Execution) -> String {
    format!("ran {}{}", nanoseconds(execution.nanoseconds), usual(execution))
}

fn compared_short(execution: &Execution) -> String {
    format!("{} in all{}", nanoseconds(execution.nanoseconds), usual(execution))
}

fn usual(execution: &Execution) -> String {
    let Some(usual) = execution.usual else { return String::new() };
    let (by, median, maximum) = (
        nanoseconds(execution.nanoseconds.saturating_sub(usual.median)),
        nanoseconds(usual.median),
        nanoseconds(usual.maximum),
    );
    format!(", {by} more than usual (usually {median}, at most {maximum} in {} runs)", grouped(usual.count))
}

/// Returns `cycle motion`, or the name of an executor.
fn thread(names: &CatalogGuard<'_>, worker: WorkerId) -> String {
    match names.worker(worker).map(|worker| &worker.runs) {
        Some(Runs::Tasks { cycle, .. }) => format!("cycle {}", names.cycle_name(*cycle)),
        Some(Runs::Callbacks { executor }) => format!("executor {executor}"),
        Some(Runs::Samples { .. } | Runs::Service) | None => names.worker_name(worker),
    }
}
