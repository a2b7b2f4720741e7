//! The reasons why a run of a cycle took as long as it did.

use std::cmp::Reverse;

use hemiola_trace::CycleId;
use hemiola_trace::causes::{Explanation, RunSpan};
use hemiola_words::duration;

use super::evidence::Evidence;
use super::{Answer, Facts, Question, RunFacts, moment};
use crate::error::InsightError;

/// Explains runs, with the time of the first of them.
pub fn explain(evidence: &Evidence, cycle: CycleId, question: &Question) -> Result<Answer, InsightError> {
    let mut text = evidence.heading();
    let (mut runs, mut first) = (Vec::new(), None);
    for run in chosen(evidence, cycle, question)? {
        text += "\n";
        if let Some((explained, facts)) = explain_run(evidence, cycle, &run) {
            text += &explained;
            runs.push(facts);
        }
        first.get_or_insert((run.trigger, run.end));
    }
    let cycle = evidence.trace.catalog.read().cycle_name(cycle);
    Ok(Answer { from: evidence.from().to_owned(), text, facts: Facts::Runs { cycle, runs }, span: first })
}

fn chosen(evidence: &Evidence, cycle: CycleId, question: &Question) -> Result<Vec<RunSpan>, InsightError> {
    let mut runs: Vec<RunSpan> = evidence.history.runs(cycle).collect();
    let name = evidence.trace.catalog.read().cycle_name(cycle);
    let (Some(first), Some(last)) = (runs.first().map(|run| run.run), runs.last().map(|run| run.run)) else {
        return Err(InsightError::NoWholeRun { cycle: name });
    };
    let found = match (question.run, question.at) {
        (Some(number), _) => runs.iter().find(|run| run.run == number),
        (None, Some(time)) => runs.iter().find(|run| run.end >= evidence.at(time)),
        (None, None) => {
            runs.sort_by_key(|run| (Reverse(run.response_ticks()), run.run));
            runs.truncate(question.worst.max(1));
            return Ok(runs);
        }
    };
    Ok(vec![*found.ok_or(InsightError::NoSuchRun { cycle: name, first, last })?])
}

/// Explains a run: heading, chain, reason, remedy. Returns `None` if its events are incomplete.
fn explain_run(evidence: &Evidence, cycle: CycleId, run: &RunSpan) -> Option<(String, RunFacts)> {
    let chain = evidence.history.blocking_chain(cycle, run.run)?;
    let explanation = Explanation::of(chain, &evidence.durations((cycle, run.run)), &evidence.trace.scale)
        .with_accounts(&evidence.history);
    let names = evidence.trace.catalog.read();
    let deadline = names.cycle(cycle).and_then(|cycle| cycle.deadline);
    let verdict = match (deadline, evidence.lateness(cycle, run)) {
        (Some(deadline), Some(late)) => {
            format!(", {} after its deadline of {}", duration(late), duration(deadline))
        }
        (Some(deadline), None) if !evidence.is_in_real_time() => {
            format!(", not in real time: its deadline of {} does not apply", duration(deadline))
        }
        (Some(deadline), None) => format!(", within its deadline of {}", duration(deadline)),
        (None, _) => String::new(),
    };
    let (name, number) = (names.cycle_name(cycle), run.run);
    let (when, took) = (moment(evidence, run.trigger), evidence.duration(run.response_ticks()));
    let (table, sentence, remedy) =
        (explanation.table(&names), explanation.sentence(&names), explanation.remedy(&names));
    let text = format!(
        "{name}, run {number} {when}: {took} from its release to its end{verdict}\n\n        at     takes\n{table}\nbecause  {sentence}\nso       {remedy}\n"
    );
    Some((text, RunFacts::of(evidence, run, &explanation, &names)))
}
