//! Deadlines, bounds, and observed times.

use hemiola_analysis::{Analysis, Part, System, TimeSpan};
use hemiola_trace::{ChainProfile, Measured, Profile};

use crate::derive::Derived;
use crate::executors::Called;
use crate::latency::Latency;
use crate::routes::Chain;
use crate::unbounded::Unbounded;

/// The deadlines, bounds and observed times of a robot or system.
pub struct Findings {
    /// The rows, one for each thing with a deadline or bound.
    pub rows: Vec<Row>,
    /// The analysis on which they rest.
    pub analysis: Analysis,
}

/// A thing with a deadline or bound.
pub struct Row {
    /// The kind of the thing.
    pub what: What,
    /// The name of the thing.
    pub name: String,
    /// The deadline, relative to its release.
    pub deadline: Option<TimeSpan>,
    /// The longest time that it can take, or the reason why there is no bound.
    pub bound: Result<TimeSpan, Unbounded>,
    /// The longest time that was observed.
    pub observed: Option<Observed>,
    /// Set if the deadline is guaranteed to be met.
    pub holds: bool,
    /// The index of the verdict of the analysis that decides.
    pub decided_by: Option<usize>,
}

/// The kind of thing that a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Taking a sample of a source.
    Source,
    /// A run of a cycle, from its trigger on.
    Cycle,
    /// The time from a change in the world to the first output that reflects it.
    Reaction,
    /// The time from the oldest sample on which an output rests to that output.
    DataAge,
    /// The time from the newest sample on which an output rests to that output, if there are
    /// several paths.
    NewestAge,
    /// A callback of an executor, from when it becomes ready.
    Callback,
    /// A chain of callbacks in a system from a file.
    Chain,
    /// A path through several cycles in a system from a file.
    Path,
}

impl What {
    /// Returns the name of the kind, for people and machines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Cycle => "cycle",
            Self::Reaction => "reaction time",
            Self::DataAge => "data age",
            Self::NewestAge => "data age, newest",
            Self::Callback => "callback",
            Self::Chain => "chain",
            Self::Path => "path",
        }
    }
}

/// The longest time that was observed, and how often it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The longest time.
    pub maximum: TimeSpan,
    /// The number of measurements.
    pub count: u64,
}

impl Observed {
    fn of(measured: &Measured) -> Option<Self> {
        let maximum = TimeSpan::nanoseconds(measured.maximum());
        (measured.count() > 0).then(|| Self { maximum, count: measured.count() })
    }
}

impl Row {
    /// Returns the margin from the bound to the deadline; `None` if the deadline may be missed.
    pub fn margin(&self) -> Option<TimeSpan> {
        let (deadline, bound) = (self.deadline?, *self.bound.as_ref().ok()?);
        (bound <= deadline).then(|| deadline - bound)
    }

    /// Returns whether it took longer than its bound.
    pub fn is_exceeded(&self) -> bool {
        let bound = self.bound.as_ref().ok();
        bound.zip(self.observed).is_some_and(|(bound, observed)| observed.maximum > *bound)
    }
}

impl Findings {
    /// Returns whether all deadlines are guaranteed to be met.
    pub fn holds(&self) -> bool {
        self.rows.iter().all(|row| row.holds)
    }

    /// Analyses a robot through `system`, which is derived from it, perhaps with changes.
    pub fn of_robot(system: &System, derived: &Derived, profile: &Profile) -> Self {
        let analysis = Analysis::of(system);
        let place = |name: &str| analysis.verdicts.iter().position(|verdict| verdict.name == name);
        let mut rows = Vec::new();
        let responds = |name: &str| derived.responses.iter().any(|response| response.cycle == name);
        for (number, verdict) in analysis.verdicts.iter().enumerate() {
            if verdict.part == Part::Cycle && !responds(&verdict.name) {
                rows.push(Row::of(What::Source, &analysis, number));
            }
        }
        for response in &derived.responses {
            let (Some(whole), Some(own)) = (place(&response.verdict), place(&response.cycle)) else { continue };
            let row = Row::of(What::Cycle, &analysis, whole);
            let observed = profile.cycles.get(&response.cycle).and_then(|cycle| Observed::of(&cycle.response));
            // A run has to end before the next one, too.
            let holds = row.holds && analysis.verdicts[own].holds();
            let row = Row { name: response.cycle.clone(), observed, holds, ..row };
            rows.push(match &response.over_link {
                None => row,
                Some(reason) => {
                    Row { holds: row.deadline.is_none(), bound: Err(reason.clone()), decided_by: None, ..row }
                }
            });
        }
        for latency in &derived.latencies {
            let paths: Vec<usize> = latency.paths.iter().filter_map(|path| place(path)).collect();
            rows.extend(latency_rows(latency, &paths, &analysis, profile));
        }
        for called in &derived.callbacks.called {
            let verdict = called.verdict.as_ref().map(|chain| place(chain));
            rows.push(callback_row(called, verdict, &analysis));
        }
        Self { rows, analysis }
    }

    /// Analyses a system that is known by its description only.
    pub fn of_system(system: &System) -> Self {
        let analysis = Analysis::of(system);
        let what = |part| match part {
            Part::Chain => What::Chain,
            Part::Cycle => What::Cycle,
            Part::Path => What::Path,
        };
        let rows = analysis.verdicts.iter().enumerate();
        let rows = rows.map(|(number, verdict)| Row::of(what(verdict.part), &analysis, number)).collect();
        Self { rows, analysis }
    }
}

impl Row {
    fn of(what: What, analysis: &Analysis, number: usize) -> Self {
        let verdict = &analysis.verdicts[number];
        Self {
            what,
            name: verdict.name.clone(),
            deadline: verdict.deadline,
            bound: verdict.bound.clone().map_err(Unbounded::from),
            observed: None,
            holds: verdict.holds(),
            decided_by: Some(number),
        }
    }
}

/// Returns the row of a callback. `verdict` is the index of the chain that bounds it, or the reason
/// why there is none.
fn callback_row(called: &Called, verdict: Result<Option<usize>, &Unbounded>, analysis: &Analysis) -> Row {
    let (name, deadline) = (called.name.clone(), called.deadline);
    let observed = Observed::of(&called.response);
    match verdict {
        Ok(Some(number)) => Row { name, observed, ..Row::of(What::Callback, analysis, number) },
        Ok(None) | Err(_) => {
            let bound = Err(verdict.err().cloned().unwrap_or(Unbounded::NoVerdict));
            Row { what: What::Callback, name, deadline, bound, observed, holds: deadline.is_none(), decided_by: None }
        }
    }
}

/// Returns what was observed of a chain by these sources: its own, or those of the links that it
/// crosses, whose samples carry the stamps of what they derive from.
fn observed_by(sources: &[String], Chain { cycle, output, .. }: &Chain, profile: &Profile) -> Option<ChainProfile> {
    let mut observed = sources.iter().filter_map(|source| profile.chain(source, cycle, output)).cloned();
    let mut all = observed.next()?;
    observed.for_each(|other| all.merge(&other));
    Some(all)
}

/// Returns the rows of a chain. The first path bounds the reaction time: a change that arrives by
/// another path first arrives even earlier. The oldest sample arrives by the slowest path.
fn latency_rows(latency: &Latency, paths: &[usize], analysis: &Analysis, profile: &Profile) -> Vec<Row> {
    let chain = &latency.chain;
    let name = latency.name();
    let measured = observed_by(&latency.observed, chain, profile);
    let by_all = observed_by(&latency.observed_by_all, chain, profile);
    let bound_of = |number: usize| analysis.verdicts[number].bound.clone().map_err(Unbounded::from);
    let row = |what, deadline: Option<TimeSpan>, bound: Result<TimeSpan, Unbounded>, observed, decided_by| Row {
        what,
        name: name.clone(),
        deadline,
        // Without a deadline nothing fails.
        holds: deadline.is_none_or(|deadline| bound.as_ref().is_ok_and(|bound| *bound <= deadline)),
        bound,
        observed,
        decided_by,
    };
    if chain.routes.is_empty() {
        let state = || Err(Unbounded::State { source_name: chain.source.clone(), output: chain.output.clone() });
        let reaction = latency.reaction.map(|reaction| row(What::Reaction, Some(reaction), state(), None, None));
        return reaction.into_iter().chain([row(What::DataAge, latency.data_age, state(), None, None)]).collect();
    }
    let slowest = |paths: &[usize]| {
        let bound = |path: usize| analysis.verdicts[path].bound.clone().unwrap_or(TimeSpan::MAX);
        paths.iter().copied().max_by_key(|&path| bound(path))
    };
    let Some(first) = slowest(&paths[..latency.shortest.min(paths.len())]) else {
        let no_period = || Unbounded::NoPeriod { source_name: chain.source.clone() };
        let unknown = || Err(latency.over_link.clone().unwrap_or_else(no_period));
        let observed = measured.as_ref().and_then(|measured| Observed::of(&measured.reaction));
        let reaction = row(What::Reaction, latency.reaction, unknown(), observed, None);
        let observed = by_all.as_ref().and_then(|measured| Observed::of(&measured.data_age));
        return vec![reaction, row(What::DataAge, latency.data_age, unknown(), observed, None)];
    };
    let observed = measured.as_ref().and_then(|measured| Observed::of(&measured.reaction));
    let reaction = row(What::Reaction, latency.reaction, bound_of(first), observed, Some(first));
    let slowest = slowest(paths).unwrap_or(first);
    let observed = by_all.as_ref().and_then(|measured| Observed::of(&measured.data_age));
    let oldest = row(What::DataAge, latency.data_age, bound_of(slowest), observed, Some(slowest));
    if paths.len() == latency.shortest && !chain.is_circular {
        return vec![reaction, oldest];
    }
    // A sample that arrives by the first path is at most as old as its bound, and the newest is not
    // older.
    let observed = measured.as_ref().and_then(|measured| Observed::of(&measured.newest_age));
    vec![reaction, row(What::NewestAge, None, bound_of(first), observed, None), oldest]
}
