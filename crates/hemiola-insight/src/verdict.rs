use std::collections::BTreeMap;
use std::fmt;

use hemiola_analysis::System;
use hemiola_analysis::sensitivity::Relief;
use hemiola_analysis::system::{Begin, Cycle};
use hemiola_trace::Report;
use hemiola_words::{counted, duration, grouped};

use crate::derive::Derived;
use crate::findings::{Findings, Row, What};
use crate::knowledge::{Knowledge, Origin};
use crate::table::shortened;

/// The verdict on a run or an analysis, in a line: deadlines that were or may be missed, and a
/// remedy.
///
/// ```
/// use hemiola_insight::Verdict;
/// use hemiola_trace::{CycleReport, Report, Summary};
///
/// let execution = Summary { count: 2_167, ..Summary::default() };
/// let motion = CycleReport { name: "motion".into(), execution, missed_deadlines: 230, ..CycleReport::default() };
/// let verdict = Verdict::default().with_run(&Report { cycles: vec![motion], ..Report::default() });
/// assert_eq!(
///     verdict.to_string(),
///     "NOT IN TIME: motion missed 230 of 2,167 deadlines. What to do: `why motion` says what its longest run waited for."
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Failures that have nothing to do with time.
    failed: Vec<String>,
    /// Deadlines that were missed.
    missed: Vec<String>,
    /// Deadlines that may be missed.
    unfit: Vec<String>,
    /// Reasons why it is not known whether deadlines are met.
    unknown: Vec<String>,
    /// Times that exceeded their bounds, but were in time.
    exceeded: Vec<String>,
    /// Set if all cycles that exceeded their bounds lack a real-time priority. Their bounds hold
    /// only while no other program runs, so that it is no surprise.
    is_excess_of_sharing: bool,
    /// Deadlines that were met.
    good: Vec<String>,
    /// Advice, and how urgent it is.
    advice: Vec<(Urgency, String)>,
    /// The threads without real-time priority on which cycles depend, by cycle: its own thread, or
    /// that of its source.
    sharing: BTreeMap<String, String>,
}

/// The order in which advice should be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// A priority, without which nothing else helps.
    Priority,
    Permission,
    Missed,
    Unknown,
    Unfit,
    Exceeded,
}

impl Verdict {
    /// Returns the verdict on the deadlines that are guaranteed to be met, and those that are not.
    /// `robot` is the analysed robot, if it is one, and what is known about it.
    pub fn of(findings: &Findings, robot: Option<(&Derived, &Knowledge)>) -> Self {
        let mut verdict =
            Self { sharing: robot.map(|(derived, _)| sharing(derived)).unwrap_or_default(), ..Self::default() };
        for row in &findings.rows {
            let name = of_row(row);
            match (row.holds, &row.bound, row.deadline) {
                (false, Ok(bound), Some(deadline)) => {
                    let [bound, deadline] = [*bound, deadline].map(|time| duration(time.into()));
                    verdict.unfit.push(format!("{name} does not fit ({bound} of {deadline})"));
                }
                (false, ..) => verdict.unfit.push(format!("{name} has no bound")),
                (true, ..) => {}
            }
            if row.what == What::Cycle && (!row.holds || row.is_exceeded()) {
                verdict.advise_priority(&row.name);
            }
            if let (true, true, Ok(bound), Some(observed)) = (row.holds, row.is_exceeded(), &row.bound, row.observed) {
                let [observed, bound] = [observed.maximum, *bound].map(|time| duration(time.into()));
                verdict.exceeded.push(format!("{name} has taken {observed}, longer than its bound of {bound}"));
                verdict.advise(Urgency::Exceeded, format!("{} says what took longer", why(row)));
            }
        }
        verdict.is_excess_of_sharing = is_excess_of_sharing(&findings.rows, &verdict.sharing);
        if !verdict.unfit.is_empty() {
            verdict.advise(Urgency::Unfit, "`analyze` says what to shorten first");
        }
        if findings.rows.iter().all(|row| row.deadline.is_none()) {
            verdict.good.push("nothing has a deadline".to_owned());
        } else {
            verdict.good.push("everything is sure to fit".to_owned());
        }
        robot.into_iter().for_each(|(derived, knowledge)| verdict.add_doubts(derived, &knowledge.origin));
        verdict
    }

    fn add_doubts(&mut self, derived: &Derived, origin: &Origin) {
        let Derived { unmeasured, estimated, callbacks, .. } = derived;
        if !unmeasured.is_empty() {
            self.unknown.push(format!("{} never measured", were(unmeasured.len())));
            self.advise(Urgency::Unknown, "run the robot once, in real time and with `output.profile` in robot.toml");
        }
        match origin {
            _ if estimated.is_empty() => {}
            Origin::ChangedRun(changes) => {
                let changes = shortened(changes);
                self.unknown.push(format!(
                    "the robot was changed while it ran ({changes}), so that this run counts for estimates only"
                ));
                self.advise(Urgency::Unknown, "run it once more without changes");
            }
            _ => {
                self.unknown.push(format!("{} only estimated, as this robot has not run yet", were(estimated.len())));
                self.advise(Urgency::Unknown, "run the robot once, in real time");
            }
        }
        if callbacks.leaves_out_important {
            self.unknown.push("callbacks with as high a priority are not included".to_owned());
        }
    }

    fn advise_priority(&mut self, cycle: &str) {
        if let Some(thread) = self.sharing.get(cycle) {
            self.advise(Urgency::Priority, format!("give {thread} a real-time priority (`priority` in robot.toml)"));
        }
    }

    /// Adds the results of a run in which the robot ran in real time.
    #[must_use]
    pub fn with_run(mut self, report: &Report) -> Self {
        for cycle in &report.cycles {
            let (name, runs) = (&cycle.name, cycle.execution.count);
            let mut misses = Vec::new();
            if cycle.missed_deadlines > 0 {
                misses.push(format!("missed {} of {} deadlines", grouped(cycle.missed_deadlines), grouped(runs)));
            }
            if cycle.skipped_triggers > 0 {
                let all = runs + cycle.skipped_triggers;
                misses.push(format!("skipped {} of {} triggers", grouped(cycle.skipped_triggers), grouped(all)));
            }
            let dropped: u64 = cycle.dropped_inputs.values().sum();
            if dropped > 0 {
                misses.push(format!("dropped {}", counted(dropped, "sample")));
            }
            if !misses.is_empty() {
                self.missed.push(format!("{name} {}", misses.join(" and ")));
                self.advise_priority(name);
                self.advise(Urgency::Missed, format!("`why {name}` says what its longest run waited for"));
            }
        }
        let runs: u64 = report.cycles.iter().map(|cycle| cycle.execution.count).sum();
        self.good.insert(0, format!("nothing was missed in {} runs", grouped(runs)));
        self.with_failures(report)
    }

    /// Returns the verdict on a run that was not in real time: it shows failures, but not whether
    /// deadlines are met.
    #[must_use]
    pub fn of_stepped(report: &Report) -> Self {
        let verdict = Self::default().with_failures(report);
        let unknown = "this run was not in real time, and says nothing about deadlines".to_owned();
        Self { good: vec![unknown], ..verdict }
    }

    fn with_failures(mut self, report: &Report) -> Self {
        let tasks = report.cycles.iter().flat_map(|cycle| &cycle.tasks).filter(|task| task.failures > 0);
        self.failed.extend(tasks.map(|task| format!("{} failed {}", task.name, counted(task.failures, "time"))));
        self
    }

    /// Returns the verdict that the guarantees are not known, with the reason.
    #[must_use]
    pub fn unknown(because: impl fmt::Display) -> Self {
        // The first line is the reason; the others are advice.
        let because = because.to_string();
        let first = because.lines().next().unwrap_or_default().to_owned();
        Self { unknown: vec![first], ..Self::default() }
    }

    /// Adds another failure, or an unexpected end.
    #[must_use]
    pub fn with_failure(mut self, what: impl Into<String>) -> Self {
        self.failed.insert(0, what.into());
        self
    }

    /// Adds the advice which task to shorten, by the verdicts of the analysis.
    #[must_use]
    pub fn with_relief(mut self, system: &System, findings: &Findings, relief: &[Option<Relief>]) -> Self {
        let mut unfit = findings.rows.iter().filter(|row| !row.holds);
        if let Some((row, relief)) = unfit.find_map(|row| Some((row, relief.get(row.decided_by?)?.as_ref()?))) {
            let (task, takes) = (system.name(relief.work), duration(relief.takes.into()));
            self.advice.retain(|(urgency, _)| *urgency != Urgency::Unfit);
            self.advise(Urgency::Unfit, format!("shorten {task} ({takes}), or give {} more time", of_row(row)));
        }
        self
    }

    /// Adds that threads requested real-time priority and were refused it.
    #[must_use]
    pub fn with_refused_priorities(mut self) -> Self {
        self.advise(Urgency::Permission, "grant the robot real-time priorities: `doctor` says how");
        self
    }

    fn advise(&mut self, urgency: Urgency, what: impl Into<String>) {
        self.advice.push((urgency, what.into()));
    }
}

/// Returns the threads for [`Verdict::sharing`].
fn sharing(derived: &Derived) -> BTreeMap<String, String> {
    let is_sharing = |name: &String| derived.sharing.contains(name);
    let thread = |cycle: &Cycle| match &cycle.begins {
        _ if is_sharing(&cycle.name) => Some(cycle.name.clone()),
        Begin::After(source) => Some(source.clone()).filter(is_sharing),
        _ => None,
    };
    derived.system.cycles.iter().filter_map(|cycle| Some((cycle.name.clone(), thread(cycle)?))).collect()
}

/// Returns whether some cycles exceeded their bounds, and all of them lack a real-time priority.
fn is_excess_of_sharing(rows: &[Row], sharing: &BTreeMap<String, String>) -> bool {
    let mut exceeded = rows.iter().filter(|row| row.what == What::Cycle && row.is_exceeded()).peekable();
    exceeded.peek().is_some() && exceeded.all(|row| sharing.contains_key(&row.name))
}

/// Describes a row in a sentence.
fn of_row(row: &Row) -> String {
    // Only the configured name of a chain is used: its ends are in the table.
    let name = row.name.split(": ").next().unwrap_or(&row.name);
    match row.what {
        What::Cycle | What::Source => row.name.clone(),
        what => format!("the {} of {name}", what.word()),
    }
}

/// Returns the command that explains a row.
fn why(row: &Row) -> String {
    let name = row.name.split(": ").next().unwrap_or(&row.name);
    let quoted = if name.contains(' ') { format!("\"{}\"", name.replace('→', "->")) } else { name.to_owned() };
    match row.what {
        What::DataAge | What::NewestAge => format!("`why {quoted} --age`"),
        What::Source | What::Callback => "`why`".to_owned(),
        _ => format!("`why {quoted}`"),
    }
}

/// Returns a text like `3 tasks were`.
pub fn were(tasks: usize) -> String {
    let were = if tasks == 1 { "was" } else { "were" };
    format!("{} {were}", counted(tasks as u64, "task"))
}

/// The number of entries of each kind that are shown.
const MOST: usize = 3;

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failed, missed, unfit, unknown, exceeded, good, advice, .. } = self;
        let head = match () {
            () if !missed.is_empty() => "NOT IN TIME",
            () if !failed.is_empty() => "NOT IN ORDER",
            () if !unfit.is_empty() => "NOT SURE TO BE IN TIME",
            () if !unknown.is_empty() => "NOT KNOWN TO BE IN TIME",
            () if self.is_excess_of_sharing => "in time, but bounds do not hold without a real-time priority",
            () if !exceeded.is_empty() => "in time, but BOUNDS WERE EXCEEDED",
            () => return write!(formatter, "{}", good.join(", and ")),
        };
        let mut told: Vec<&str> = Vec::new();
        let mut more = 0;
        for troubles in [failed, missed, unfit, unknown, exceeded] {
            told.extend(troubles.iter().take(MOST).map(String::as_str));
            more += troubles.len().saturating_sub(MOST);
        }
        write!(formatter, "{head}: {}", told.join("; "))?;
        if more > 0 {
            write!(formatter, "; and {more} more")?;
        }
        // If it is merely unknown whether deadlines are met, priorities are no remedy.
        let is_late = !(missed.is_empty() && unfit.is_empty() && exceeded.is_empty());
        let helps = |(urgency, _): &&(Urgency, String)| is_late || *urgency > Urgency::Permission;
        match advice.iter().filter(helps).min_by_key(|(urgency, _)| *urgency) {
            Some((_, advice)) => write!(formatter, ". What to do: {advice}."),
            None => write!(formatter, "."),
        }
    }
}

#[cfg(test)]
mod tests {
    use hemiola_analysis::TimeSpan;
    use hemiola_trace::{CycleReport, Summary, TaskReport};

    use super::*;
    use crate::findings::Observed;

    fn missed(name: &str) -> Report {
        let execution = Summary { count: 2_167, ..Summary::default() };
        let dropped_inputs = [("Body".to_owned(), 71)].into();
        let cycle = CycleReport {
            name: name.into(),
            execution,
            missed_deadlines: 230,
            dropped_inputs,
            ..CycleReport::default()
        };
        Report { cycles: vec![cycle], ..Report::default() }
    }

    #[test]
    fn a_missing_priority_is_what_to_mend_first_where_it_is_the_late_cycles() {
        let sharing = || [("motion".to_owned(), "Body".to_owned()), ("maps".to_owned(), "maps".to_owned())].into();
        let verdict = Verdict { sharing: sharing(), ..Verdict::default() }.with_refused_priorities();
        let said = verdict.clone().with_run(&missed("motion")).to_string();
        assert_eq!(
            said,
            "NOT IN TIME: motion missed 230 of 2,167 deadlines and dropped 71 samples. \
             What to do: give Body a real-time priority (`priority` in robot.toml)."
        );
        let said = verdict.with_run(&missed("cognition")).to_string();
        assert!(said.ends_with("What to do: grant the robot real-time priorities: `doctor` says how."), "{said}");
        let verdict = Verdict { sharing: sharing(), ..Verdict::default() }.with_run(&missed("cognition"));
        assert!(verdict.to_string().ends_with("What to do: `why cognition` says what its longest run waited for."));
    }

    #[test]
    fn a_deadline_that_was_missed_matters_more_than_one_of_which_nothing_is_known() {
        let mut verdict = Verdict { unknown: vec!["3 tasks were only estimated".into()], ..Verdict::default() };
        verdict.advise(Urgency::Unknown, "run the robot once, in real time");
        let said = verdict.with_run(&missed("motion")).to_string();
        assert!(said.ends_with("What to do: `why motion` says what its longest run waited for."), "{said}");
    }

    #[test]
    fn a_skipped_trigger_is_a_miss() {
        let execution = Summary { count: 14_591, ..Summary::default() };
        let cycle = CycleReport { name: "main".into(), execution, skipped_triggers: 15_409, ..CycleReport::default() };
        let verdict = Verdict::default().with_run(&Report { cycles: vec![cycle], ..Report::default() });
        assert!(verdict.to_string().starts_with("NOT IN TIME: main skipped 15,409 of 30,000 triggers. "), "{verdict}");
    }

    #[test]
    fn a_stepped_run_is_judged_by_what_failed() {
        let mut report = Report::default();
        let said = Verdict::of_stepped(&report).to_string();
        assert_eq!(said, "this run was not in real time, and says nothing about deadlines");
        let task = TaskReport { name: "Walk.joints".into(), failures: 3, ..TaskReport::default() };
        report.cycles = vec![CycleReport { tasks: vec![task], missed_deadlines: 9, ..CycleReport::default() }];
        let verdict = Verdict::of_stepped(&report);
        assert_eq!(verdict.to_string(), "NOT IN ORDER: Walk.joints failed 3 times.");
        let verdict = verdict.with_failure("the robot ended in its safe state, since 2.0 s, because it was asked to");
        assert!(verdict.to_string().starts_with("NOT IN ORDER: the robot ended in its safe state, since 2.0 s"));
    }

    #[test]
    fn a_bound_is_no_promise_without_a_priority() {
        let row = |name: &str, observed: u64| Row {
            what: What::Cycle,
            name: name.to_owned(),
            deadline: None,
            bound: Ok(TimeSpan::microseconds(50)),
            observed: Some(Observed { maximum: TimeSpan::microseconds(observed), count: 1 }),
            holds: true,
            decided_by: None,
        };
        let sharing = [("maps".to_owned(), "maps".to_owned())].into();
        let head = |rows: &[Row]| {
            let is_excess_of_sharing = is_excess_of_sharing(rows, &sharing);
            let exceeded = vec!["maps has taken 8.08 ms".to_owned()];
            Verdict { exceeded, is_excess_of_sharing, ..Verdict::default() }.to_string()
        };
        let of_sharing = head(&[row("motion", 40), row("maps", 8_080)]);
        let without = "in time, but bounds do not hold without a real-time priority: maps has taken 8.08 ms.";
        assert_eq!(of_sharing, without);
        for others in [vec![row("motion", 60), row("maps", 8_080)], vec![row("motion", 60)], Vec::new()] {
            assert!(head(&others).starts_with("in time, but BOUNDS WERE EXCEEDED: "));
        }
    }

    #[test]
    fn a_verdict_is_one_line_however_much_there_is_to_say() {
        let cycles = (0..40).flat_map(|number| missed(&format!("cycle {number}")).cycles).collect();
        let verdict = Verdict::unknown("the period of `Button` is not known\n  help: write it");
        let verdict = verdict.with_run(&Report { cycles, ..Report::default() }).to_string();
        assert!(!verdict.contains('\n') && verdict.contains("; and 37 more. What to do: "), "{verdict}");
    }
}
