//! What the bound of a callback did not reckon with.

use std::time::Duration;

use hemiola_trace::causes::Call;
use hemiola_trace::{CallbackId, CatalogGuard, human_duration};

use super::super::bounds::{ExceedanceCause, LatencyBounds};

/// The cause and its words: what makes up for most of the time by which it was too long, the callback itself before all else. The kernel keeps no accounts of
/// executors' threads that are looked at, so a core that others had shows as a late begin, or as a long call.
pub fn cause(
    bounds: &LatencyBounds,
    callback: CallbackId,
    call: &Call,
    bound: u64,
    names: &CatalogGuard<'_>,
) -> (ExceedanceCause, String) {
    let Call { waited, for_siblings, took, disturbed, by } = *call;
    let half = (waited + took).saturating_sub(bound).div_ceil(2);
    let (executor, name) = names_of(callback, names);
    let long = |nanoseconds| human_duration(Duration::from_nanos(nanoseconds));
    let assumed = bounds.executions.get(&(executor.clone(), name.clone())).copied();
    let alone = took - disturbed.min(took);
    if let Some(assumed) = assumed
        && Duration::from_nanos(alone).saturating_sub(assumed) >= Duration::from_nanos(half)
    {
        let words = format!("{name} ran {}, and was assumed to run {} at most", long(alone), human_duration(assumed));
        let took = Duration::from_nanos(alone);
        return (ExceedanceCause::Execution { cycle: executor, update: name, took, assumed: Some(assumed) }, words);
    }
    let mut words = format!("{} until it was called, and then {}", long(waited), long(took));
    if for_siblings > 0 {
        words += &format!("; {executor} called others meanwhile, for {}", long(for_siblings));
    }
    if let Some((other, lasted)) = by {
        words += &format!("; {} had its core for {}", names.worker_name(other), long(lasted));
    }
    let cause = match by {
        Some((other, lasted)) if lasted >= half && lasted > for_siblings => {
            ExceedanceCause::Preemption { thread: names.worker_name(other), lasted: Duration::from_nanos(lasted) }
        }
        _ if for_siblings >= half => ExceedanceCause::Backlog,
        _ if waited >= half => ExceedanceCause::LateRelease,
        _ => ExceedanceCause::NothingUnusual,
    };
    (cause, words)
}

/// Those of its executor and itself.
pub fn names_of(callback: CallbackId, names: &CatalogGuard<'_>) -> (String, String) {
    let known = names.callback(callback);
    known.map(|known| (names.worker_name(known.executor), known.name.clone())).unwrap_or_default()
}
