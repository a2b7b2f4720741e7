//! Compares observed latencies with their bounds, and explains those that exceed them.

mod callback;
mod cause;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hemiola_trace::causes::{Durations, Explanation, History, Latency, Step, UsualHops};
use hemiola_trace::{
    Age, CallbackId, Capture, Catalog, CatalogGuard, CycleId, Event, SourceId, Stamp, Statistics, TaskId, TickScale,
    Ticks, human_duration,
};

use super::bounds::LatencyBounds;
use crate::record::{Bounded, Exceedance, ExceedanceCause};
use callback::LateCall;
use cause::cause;

/// Finds latencies that exceed their bounds, and explains them. It belongs to the thread that
/// drains the rings.
#[derive(Default)]
pub struct BoundWatch {
    bounds: LatencyBounds,
    resolved: Resolved,
    triggers: BTreeMap<CycleId, (u32, Ticks)>,
    newest: BTreeMap<(SourceId, TaskId), Stamp>,
    found: Vec<Finding>,
    /// The number of findings in the same round that were not kept.
    more: u64,
    counts: BTreeMap<Watched, u64>,
    /// The number of exceedances that were not reported since the last report.
    untold: u64,
    /// The times of the reports within the last second.
    told: Vec<Instant>,
}

/// The bounds of everything that has a number by now, in nanoseconds.
#[derive(Default)]
struct Resolved {
    responses: BTreeMap<CycleId, u64>,
    reactions: BTreeMap<(SourceId, TaskId), u64>,
    data_ages: BTreeMap<(SourceId, TaskId), u64>,
    callbacks: BTreeMap<CallbackId, u64>,
}

/// A latency above its bound.
#[derive(Clone, Copy)]
struct Finding {
    of: Watched,
    /// The run: zero for a chain; for a callback, the number of the message or tick.
    run: u32,
    begin: Ticks,
    end: Ticks,
    observed: u64,
    bound: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Watched {
    Response(CycleId),
    Chain(Latency, SourceId, TaskId),
    Callback(CallbackId),
}

/// The maximum number of exceedances that are explained and reported per second.
const MOST_TOLD: usize = 4;
const A_SECOND: Duration = Duration::from_secs(1);
/// The time before and after an exceedance that is searched for its cause.
const AROUND: Duration = Duration::from_millis(5);
/// The number of earlier outputs of a chain that are compared with an output, to know what is
/// usual.
const COMPARED: u32 = 8;

impl BoundWatch {
    /// Starts to watch these bounds.
    pub fn watch(&mut self, bounds: LatencyBounds) {
        self.bounds = bounds;
        self.found.clear();
    }

    /// Returns the number of times that each bound was exceeded.
    pub fn counts(&self, catalog: &Catalog) -> BTreeMap<Bounded, u64> {
        let names = catalog.read();
        self.counts.iter().map(|(of, count)| (of.named(&names), *count)).collect()
    }

    /// Finds the numbers of everything that is bounded; updates get theirs when their module is
    /// first used.
    pub fn resolve(&mut self, catalog: &Catalog) {
        if self.bounds == LatencyBounds::default() {
            return;
        }
        let names = catalog.read();
        let nanoseconds = |bound: &Duration| u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX);
        let cycles = names.cycles().filter_map(|(id, cycle)| Some((id, self.bounds.responses.get(&cycle.name)?)));
        self.resolved.responses = cycles.map(|(id, bound)| (id, nanoseconds(bound))).collect();
        let chains = |bounds: &BTreeMap<(String, String), Duration>| {
            let numbered = bounds.iter().flat_map(|((source, output), bound)| {
                let (source, _) = names.sources().find(|(_, name)| name == source)?;
                let outputs = names.tasks().filter(|(_, task)| task.name == *output);
                Some(outputs.map(move |(output, _)| ((source, output), nanoseconds(bound))).collect::<Vec<_>>())
            });
            numbered.flatten().collect()
        };
        self.resolved.reactions = chains(&self.bounds.reactions);
        self.resolved.data_ages = chains(&self.bounds.data_ages);
        // There may be thousands of callbacks, none of which has a bound.
        let callbacks = names.callbacks().filter(|_| !self.bounds.callbacks.is_empty()).filter_map(|(id, callback)| {
            let key = (names.worker_name(callback.executor), callback.name.clone());
            Some((id, nanoseconds(self.bounds.callbacks.get(&key)?)))
        });
        self.resolved.callbacks = callbacks.collect();
    }

    /// Checks events of a worker, in the order of its ring.
    pub fn absorb(&mut self, events: &[Event], scale: &TickScale) {
        for event in events {
            match *event {
                Event::CycleBegin { cycle, run, trigger, .. } if self.resolved.responses.contains_key(&cycle) => {
                    self.triggers.insert(cycle, (run, trigger));
                }
                Event::CycleEnd { cycle, run, at } => self.ended(cycle, run, at, scale),
                Event::Arrival { output, source, at, newest, newest_age, oldest_age } => {
                    self.arrived((source, output), at, newest, [newest_age, oldest_age], scale);
                }
                Event::Callback { callback, sequence, published, end, .. } if published != Ticks(0) => {
                    self.returned(callback, sequence, [published, end], scale);
                }
                _ => {}
            }
        }
    }

    fn returned(&mut self, callback: CallbackId, sequence: u32, [begin, end]: [Ticks; 2], scale: &TickScale) {
        let Some(&bound) = self.resolved.callbacks.get(&callback) else { return };
        let observed = scale.nanoseconds_between(begin, end);
        if observed > bound {
            self.find(Finding { of: Watched::Callback(callback), run: sequence, begin, end, observed, bound });
        }
    }

    fn ended(&mut self, cycle: CycleId, run: u32, end: Ticks, scale: &TickScale) {
        let Some(&bound) = self.resolved.responses.get(&cycle) else { return };
        let Some(&(begun, begin)) = self.triggers.get(&cycle) else { return };
        let observed = scale.nanoseconds_between(begin, end);
        if begun == run && observed > bound {
            self.find(Finding { of: Watched::Response(cycle), run, begin, end, observed, bound });
        }
    }

    fn arrived(
        &mut self,
        chain: (SourceId, TaskId),
        at: Ticks,
        newest: Stamp,
        [newest_age, oldest_age]: [Age; 2],
        scale: &TickScale,
    ) {
        let before = self.newest.insert(chain, newest).filter(|before| *before < newest);
        let reaction = before.map(|before| (newest.0 - before.0).saturating_add(newest_age.nanoseconds()));
        let observed = [
            (Latency::Reaction, self.resolved.reactions.get(&chain).copied(), reaction),
            (Latency::DataAge, self.resolved.data_ages.get(&chain).copied(), Some(oldest_age.nanoseconds())),
        ];
        for (latency, bound, observed) in observed {
            if let (Some(bound), Some(observed)) = (bound, observed)
                && observed > bound
            {
                let begin = Ticks(at.0.saturating_sub(scale.ticks_in(Duration::from_nanos(observed))));
                let of = Watched::Chain(latency, chain.0, chain.1);
                self.find(Finding { of, run: 0, begin, end: at, observed, bound });
            }
        }
    }

    /// Keeps a finding to be explained, if there is room.
    fn find(&mut self, finding: Finding) {
        *self.counts.entry(finding.of).or_default() += 1;
        if self.found.len() < MOST_TOLD {
            self.found.push(finding);
        } else {
            self.more += 1;
        }
    }

    /// Explains the findings, as many as may be reported in this second. `capture` is called only
    /// if there is something to explain.
    pub fn explain(
        &mut self,
        catalog: &Catalog,
        scale: &TickScale,
        statistics: &Statistics,
        capture: impl FnOnce() -> Capture,
    ) -> Vec<Exceedance> {
        let now = Instant::now();
        self.told.retain(|told| now.duration_since(*told) < A_SECOND);
        let found = std::mem::take(&mut self.found);
        let is_silent = found.is_empty() || self.told.len() >= MOST_TOLD;
        let evidence = (!is_silent).then(|| (capture(), Durations::of_statistics(statistics)));
        let mut exceedances = Vec::new();
        for finding in found {
            let Some((capture, durations)) = evidence.as_ref().filter(|_| self.told.len() < MOST_TOLD) else {
                self.untold += 1;
                continue;
            };
            self.told.push(now);
            let part = capture.around(finding.begin, finding.end, scale.ticks_in(finding.around()));
            let history = History::of(&part, catalog, scale);
            let names = catalog.read();
            let of = finding.of.named(&names);
            let (run, cause, explanation) = self.why(&finding, &history, durations, &names, scale);
            let [observed, bound] = [finding.observed, finding.bound].map(Duration::from_nanos);
            let others = std::mem::take(&mut self.untold);
            exceedances.push(Exceedance { of, run, bound, observed, cause, explanation, others });
        }
        self.untold += std::mem::take(&mut self.more);
        exceedances
    }

    fn why(
        &self,
        finding: &Finding,
        history: &History,
        durations: &Durations,
        names: &CatalogGuard<'_>,
        scale: &TickScale,
    ) -> (u32, ExceedanceCause, String) {
        match finding.of {
            Watched::Response(cycle) => {
                let run = finding.run;
                let Some(chain) = history.blocking_chain(cycle, run) else {
                    return (run, ExceedanceCause::Unknown, "the events of the run are lost".to_owned());
                };
                let (cause, words) =
                    cause(&self.bounds, &Explanation::of(chain, durations, scale).with_accounts(history), names);
                (run, cause, words)
            }
            Watched::Callback(callback) => {
                let Some(call) = history.call(callback, finding.end) else {
                    return (finding.run, ExceedanceCause::Unknown, "the event of the call is lost".to_owned());
                };
                let account = history.account(call.worker, call.core, finding.begin, finding.end);
                let late = LateCall { callback, call, account, excess: finding.observed - finding.bound };
                let (cause, words) = late.cause(&self.bounds, names, scale);
                (finding.run, cause, words)
            }
            Watched::Chain(latency, source, output) => {
                let reactions = history.reactions(source, output, latency);
                let unknown = || (0, ExceedanceCause::Unknown, "the events of the chain are lost".to_owned());
                let Some(&reaction) = reactions.iter().find(|reaction| reaction.output == finding.end) else {
                    return unknown();
                };
                let hops = history.hops(source, output, reaction);
                let usual = UsualHops::of(history, source, output, latency);
                let Some(hop) = usual.most_unusual(&hops).map(|index| hops[index]) else { return unknown() };
                let run = hops.iter().rev().find_map(|hop| match hop.step {
                    Step::Run { run, .. } => Some(run),
                    _ => None,
                });
                let [long, more] = [hop.ticks(), usual.excess(&hop)].map(|ticks| {
                    human_duration(Duration::from_nanos(scale.nanoseconds_between(Ticks(0), Ticks(ticks))))
                });
                let within = if matches!(hop.step, Step::Run { .. }) { "in " } else { "" };
                let words = hop.describe(names, &names.source_name(source));
                let words = format!("{long} of it, {more} more than usual, passed {within}{words}");
                let explained = match hop.step {
                    Step::Run { cycle, run } => history.blocking_chain_until(cycle, run, hop.end),
                    _ => None,
                };
                let (cause, words) = match explained {
                    Some(chain) => {
                        let (cause, reason) = cause(
                            &self.bounds,
                            &Explanation::of(chain, durations, scale).with_accounts(history),
                            names,
                        );
                        (cause, format!("{words}: {reason}"))
                    }
                    None if hop.step == Step::Unknown => (ExceedanceCause::Unknown, words),
                    None if hop.step == Step::Sample => (ExceedanceCause::LateRelease, words),
                    None => (ExceedanceCause::NothingUnusual, words),
                };
                (run.unwrap_or(0), cause, words)
            }
        }
    }
}

impl Finding {
    /// Returns the time before and after the finding that is searched.
    fn around(&self) -> Duration {
        match self.of {
            Watched::Response(_) | Watched::Callback(_) => AROUND,
            Watched::Chain(..) => AROUND + Duration::from_nanos(self.observed) * COMPARED,
        }
    }
}

impl Watched {
    fn named(self, names: &CatalogGuard<'_>) -> Bounded {
        match self {
            Self::Response(cycle) => Bounded::Response { cycle: names.cycle_name(cycle) },
            Self::Callback(callback) => {
                let (executor, callback) = callback::names_of(callback, names);
                Bounded::Callback { executor, callback }
            }
            Self::Chain(latency, source, output) => {
                let (source, output) = (names.source_name(source), names.task_name(output));
                match latency {
                    Latency::Reaction => Bounded::Reaction { source, output },
                    Latency::DataAge => Bounded::DataAge { source, output },
                }
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
