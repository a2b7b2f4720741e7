//! The report of a verification, for people.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use hemiola_log::FieldDifference;
use hemiola_model::Time;
use hemiola_plan::{TaskGraph, TaskKind};
use hemiola_runtime::{BreakOffReason, CyclePart, Played, Robot, SeenValue};
use hemiola_words::{counted, grouped};
use serde_json::{Value, json};

use hemiola_recording::names::topic;
use hemiola_recording::replay::{Fidelity, ReplayLog};
use hemiola_recording::split::Kept;

pub struct Report {
    cycles: BTreeMap<String, CycleCounts>,
    /// The cycle of each topic.
    cycle_of: BTreeMap<String, String>,
    /// The place in a run at which each representation is provided, by topic.
    places: BTreeMap<String, usize>,
    first: Option<First>,
    fidelity: Fidelity,
    /// Remarks on defects of the log, and on what could not be compared.
    remarks: Vec<String>,
    is_incomplete: bool,
    has_left_over: bool,
    /// Set if the replay ended before the recording.
    was_cut_short: bool,
    /// Possible explanations of a difference.
    hints: Vec<String>,
    left_over: Vec<String>,
}

#[derive(Default)]
struct CycleCounts {
    /// The number of the first run that is repeated.
    first: u32,
    /// The place of each run, from the first one on, among the runs of all cycles; empty if they
    /// came at due times.
    order: Vec<u64>,
    /// The number of runs that were repeated.
    repeated: u64,
    same: u64,
    different: u64,
    lost: u64,
}

/// The first difference: that of the earliest run, and within the run that of what was provided
/// first.
struct First {
    place: (u64, Time, usize),
    text: String,
}

/// The number of topics that are named.
const MOST_TOPICS: usize = 5;

/// The result of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    Different,
    /// Everything that could be compared is equal, but not everything could be compared.
    Incomplete,
}

impl Verdict {
    /// Returns the word for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::Incomplete => "incomplete",
        }
    }
}

impl Report {
    /// Creates the report of a robot that resumes from these parts of a checkpoint, if there are
    /// any, and is compared up to an end.
    pub fn new(
        robot: &Robot,
        recording: &ReplayLog,
        fidelity: Fidelity,
        parts: &[CyclePart],
        end: Option<Time>,
    ) -> Self {
        let mut cycles: BTreeMap<String, CycleCounts> = BTreeMap::new();
        let (mut cycle_of, mut places) = (BTreeMap::new(), BTreeMap::new());
        for cycle in &robot.resolved().cycles {
            cycles.entry(cycle.name.clone()).or_default();
            let graph = TaskGraph::of(cycle);
            let order = graph.topological_order();
            for (representation, &update) in &cycle.providers {
                let task = graph.find(TaskKind::Update(update));
                let place = order.iter().position(|&next| Some(next) == task).unwrap_or(usize::MAX);
                places.insert(topic(&cycle.name, representation), place);
                cycle_of.insert(topic(&cycle.name, representation), cycle.name.clone());
            }
        }
        let (damage, damages) = recording.damage();
        let mut remarks: Vec<String> = damage.iter().map(|damage| format!("cannot be read: {damage}")).collect();
        if damages > damage.len() {
            remarks.push(format!("and {} more", counted((damages - damage.len()) as u64, "place")));
        }
        let mut is_incomplete = damages > 0;
        if matches!(fidelity, Fidelity::AsRecorded)
            && let Ok(script) = recording.script()
        {
            let since;
            let script = match parts {
                [] => script,
                parts => {
                    since = script.since(parts);
                    &since
                }
            };
            for part in parts {
                cycles.entry((*part.cycle).to_owned()).or_default().first = part.run;
            }
            if let Some(begin) = parts.iter().map(|part| part.now).max() {
                remarks.push(format!("from the checkpoint of {:.3} s on", begin.seconds()));
            }
            let is_compared = |time: Time| end.is_none_or(|end| time < end);
            for run in script.runs().iter().filter(|run| is_compared(run.now)) {
                cycles.entry((*run.cycle).to_owned()).or_default().order.push(run.order);
            }
            let comes_before_the_end = || script.runs().last().is_none_or(|run| is_compared(run.now));
            if let Some(break_off) = script.break_off().filter(|_| comes_before_the_end()) {
                is_incomplete = true;
                let later = match break_off.reason {
                    BreakOffReason::Lost { later, .. } => {
                        format!("; {} after that cannot be repeated", counted(later as u64, "run"))
                    }
                    _ => String::new(),
                };
                remarks.push(format!("it can be repeated up to a point: {break_off}{later}"));
            }
        }
        remarks.extend(end.map(|end| format!("up to {:.3} s", end.seconds())));
        Self {
            cycles,
            cycle_of,
            places,
            first: None,
            fidelity,
            remarks,
            is_incomplete,
            has_left_over: false,
            was_cut_short: false,
            hints: Vec::new(),
            left_over: Vec::new(),
        }
    }

    /// Compares a value that was computed with the one that was recorded.
    pub fn compare(&mut self, cycle: &str, value: &SeenValue<'_>, recorded: &Kept, computed: &[u8]) {
        let counts = self.cycles.entry(cycle.to_owned()).or_default();
        let index = value.run().saturating_sub(counts.first);
        counts.repeated = counts.repeated.max(u64::from(index) + 1);
        let message = recorded.as_message();
        let (now, then) = (value.now(), message.log_time);
        let difference = match message.difference(computed) {
            // Times before the origin are written as the origin.
            None if now.nanoseconds().max(0).unsigned_abs() != then.nanoseconds() => Some(FieldDifference {
                path: "its time".into(),
                left: then.to_string(),
                right: now.seconds().to_string(),
            }),
            found => found,
        };
        let Some(FieldDifference { path, left, right }) = difference else {
            counts.same += 1;
            return;
        };
        counts.different += 1;
        let run = value.run();
        let order = counts.order.get(index as usize).copied().unwrap_or_default();
        let place = (order, now, self.places.get(&message.channel.topic).copied().unwrap_or(usize::MAX));
        if self.first.as_ref().is_none_or(|first| place < first.place) {
            let name = value.representation();
            let field = if path.is_empty() { name.to_owned() } else { format!("{name}.{path}") };
            let text = format!(
                "run {run} of {cycle}, at {:.6} s: {field}\n  recorded    {left}\n  recomputed  {right}",
                now.seconds()
            );
            self.first = Some(First { place, text });
        }
    }

    /// Counts a value that was computed and should be in the log, but is not.
    pub fn count_lost(&mut self, topic: &str) {
        if let Some(counts) = self.cycle_of.get(topic).and_then(|cycle| self.cycles.get_mut(cycle)) {
            counts.lost += 1;
        }
    }

    /// Notes that the replay has ended, and the number of messages of each topic that were recorded
    /// but not computed.
    pub fn finish(&mut self, Played { failure, deviation }: Played, left_over: BTreeMap<String, u64>) {
        self.hints.extend(deviation);
        self.was_cut_short = failure.is_some();
        self.is_incomplete |= failure.is_some();
        self.remarks.extend(failure);
        // Messages after the point to which the log can be repeated have nothing to be compared
        // with.
        self.has_left_over = !left_over.is_empty() && !self.is_incomplete;
        let all = counted(left_over.values().sum(), "value");
        self.left_over = match left_over.len() {
            0..=MOST_TOPICS => {
                left_over.into_iter().map(|(topic, count)| format!("{topic} ({})", grouped(count))).collect()
            }
            topics => vec![format!("{all} of {topics} representations")],
        };
    }

    pub fn verdict(&self) -> Verdict {
        let is_different = self.first.is_some() || self.has_left_over;
        // If nothing could be compared, the log is not known to be the same.
        match (is_different, self.is_incomplete || self.lost() > 0 || self.same() == 0) {
            (true, _) => Verdict::Different,
            (false, true) => Verdict::Incomplete,
            (false, false) => Verdict::Same,
        }
    }

    /// Returns the number of values that were computed and are not in the log, although they should
    /// be.
    fn lost(&self) -> u64 {
        self.cycles.values().map(|counts| counts.lost).sum()
    }

    fn same(&self) -> u64 {
        self.cycles.values().map(|counts| counts.same).sum()
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        if let Fidelity::DueTimes(reason) = &self.fidelity {
            _ = writeln!(text, "runs begin when they are due, not in the recorded order: {reason}");
        }
        let width = self.cycles.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, counts) in &self.cycles {
            let CycleCounts { first: _, order, repeated, same, different, lost } = counts;
            let runs = match order.len() {
                0 => String::new(),
                runs if self.was_cut_short => format!("{:>9} of {} runs", grouped(*repeated), grouped(runs as u64)),
                runs => format!("{:>9} runs", grouped(runs as u64)),
            };
            _ = write!(text, "{name:width$}{runs}  {:>10} values the same", grouped(*same));
            if *different > 0 {
                _ = write!(text, ", {} different", grouped(*different));
            }
            if *lost > 0 {
                _ = write!(text, ", {} not in the log", grouped(*lost));
            }
            text.push('\n');
        }
        for remark in &self.remarks {
            _ = writeln!(text, "{remark}");
        }
        if !self.left_over.is_empty() {
            _ = writeln!(text, "recorded but not computed again: {}", self.left_over.join(", "));
        }
        if let Some(First { text: first, .. }) = &self.first {
            _ = writeln!(text, "the first difference: {first}");
        }
        if self.verdict() == Verdict::Different {
            self.hints.iter().for_each(|hint| _ = writeln!(text, "{hint}"));
        }
        text + &self.verdict_text() + "\n"
    }

    /// Returns the verdict as a sentence: the last line, as people look for it.
    fn verdict_text(&self) -> String {
        let (same, runs) = (self.same(), self.cycles.values().map(|counts| counts.order.len() as u64).sum());
        match self.verdict() {
            Verdict::Same if runs == 0 => format!("the same to the bit: {}", counted(same, "value")),
            Verdict::Same => format!("the same to the bit: {} of {}", counted(same, "value"), counted(runs, "run")),
            Verdict::Different => {
                let different = self.cycles.values().map(|counts| counts.different).sum();
                format!("not the same: {} of {}", grouped(different), counted(same + different, "value"))
            }
            Verdict::Incomplete if same == 0 => "nothing could be compared".to_owned(),
            Verdict::Incomplete => "as far as it can be compared, it is the same to the bit".to_owned(),
        }
    }

    /// Returns the report for programs.
    pub fn json(&self, log: &Path) -> Value {
        let cycles = self.cycles.iter().map(|(name, counts)| {
            json!({
                "cycle": name,
                "runs": counts.order.len(),
                "repeated": counts.repeated,
                "equal": counts.same,
                "different": counts.different,
                "not_in_the_log": counts.lost,
            })
        });
        let due_times = match &self.fidelity {
            Fidelity::DueTimes(reason) => Some(reason.to_string()),
            Fidelity::AsRecorded => None,
        };
        json!({
            "log": log.display().to_string(),
            "result": self.verdict().name(),
            "cycles": cycles.collect::<Vec<_>>(),
            "not_in_recorded_order": due_times,
            "remarks": self.remarks.iter().chain(&self.hints).collect::<Vec<_>>(),
            "not_computed_again": self.left_over,
            "first_difference": self.first.as_ref().map(|first| &first.text),
            "verdict": self.verdict_text(),
        })
    }
}
