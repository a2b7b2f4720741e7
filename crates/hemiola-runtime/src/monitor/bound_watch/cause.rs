//! The cause of an exceedance.

use std::time::Duration;

use hemiola_trace::causes::{Explanation, Loss, Reason, Taker};
use hemiola_trace::{CatalogGuard, human_duration};

use super::super::bounds::LatencyBounds;
use crate::record::ExceedanceCause;

/// Returns the cause and its description. Execution times above those with which the bounds were
/// computed are considered first, unless only the core was taken away meanwhile.
pub fn cause(bounds: &LatencyBounds, explanation: &Explanation, names: &CatalogGuard<'_>) -> (ExceedanceCause, String) {
    let cycle = names.cycle_name(explanation.chain.cycle);
    let excess = Duration::from_nanos(explanation.excess);
    let taken = explanation.loss.and_then(|loss| taken(&loss, names));
    let exceeding = explanation.executions.iter().filter_map(|execution| {
        let update = names.task_name(execution.task);
        let assumed = *bounds.executions.get(&(cycle.clone(), update.clone()))?;
        let took = Duration::from_nanos(execution.nanoseconds);
        let by = took.checked_sub(assumed).filter(|by| !by.is_zero())?;
        Some((by, update, took, assumed, Some(execution.task)))
    });
    let loss_within = |task| explanation.loss.filter(|loss| loss.within == task);
    if let Some((by, update, took, assumed, task)) = exceeding.max()
        && by >= excess / 2
        && loss_within(task).is_none_or(|loss| took.saturating_sub(Duration::from_nanos(loss.taken)) > assumed)
    {
        let [long, most] = [took, assumed].map(human_duration);
        let words = format!("{update} ran {long}, and was assumed to run {most} at most");
        let words = match loss_within(task).and_then(|_| explanation.loss_in_words()) {
            Some(loss) => format!("{words}; {loss}"),
            None => words,
        };
        return (ExceedanceCause::Execution { cycle, update, took, assumed: Some(assumed) }, words);
    }
    let cause = taken.unwrap_or_else(|| match explanation.reason {
        Reason::LongExecution(task) => ExceedanceCause::Execution {
            cycle,
            update: names.task_name(task),
            took: Duration::from_nanos(explanation.execution(task).map_or(0, |execution| execution.nanoseconds)),
            assumed: None,
        },
        Reason::Preempted(by) => ExceedanceCause::Preemption { thread: names.worker_name(by), lasted: excess },
        Reason::Stalled(_) => ExceedanceCause::StalledCore,
        Reason::Late | Reason::Sampled(_) => ExceedanceCause::LateRelease,
        Reason::Backlog => ExceedanceCause::Backlog,
        Reason::Woken | Reason::HandedOver | Reason::Dispatched => ExceedanceCause::Dispatch,
        Reason::Usual => ExceedanceCause::NothingUnusual,
        Reason::Unknown => ExceedanceCause::Unknown,
    });
    (cause, explanation.sentence(names))
}

/// Returns the cause if other programs or the host had the core.
pub fn taken(loss: &Loss, names: &CatalogGuard<'_>) -> Option<ExceedanceCause> {
    let lasted = Duration::from_nanos(loss.taken);
    match loss.taker {
        Taker::OtherPrograms => {
            Some(ExceedanceCause::OtherPrograms { thread: names.worker_name(loss.account.worker), lasted })
        }
        Taker::Host => Some(ExceedanceCause::Host { core: loss.account.core.0, lasted }),
        Taker::OursOrOthers | Taker::Nobody | Taker::Update | Taker::Sleep => None,
    }
}
