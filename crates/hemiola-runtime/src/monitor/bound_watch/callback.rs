//! The cause of a callback's exceedance.

use std::time::Duration;

use hemiola_trace::causes::{Account, Call, Loss, Taker};
use hemiola_trace::{CallbackId, CatalogGuard, TickScale, human_duration};

use super::super::bounds::LatencyBounds;
use super::cause::taken;
use crate::record::ExceedanceCause;

/// A call that exceeded its bound.
pub struct LateCall {
    pub callback: CallbackId,
    pub call: Call,
    /// The times of its thread in the kernel's accounts, around the call.
    pub account: Option<Account>,
    /// The nanoseconds by which it exceeded its bound.
    pub excess: u64,
}

impl LateCall {
    /// Returns the cause and its description: what explains most of the excess. The callback itself
    /// is considered first, unless its core was taken away.
    pub fn cause(
        &self,
        bounds: &LatencyBounds,
        names: &CatalogGuard<'_>,
        scale: &TickScale,
    ) -> (ExceedanceCause, String) {
        let Call { waited, for_siblings, took, disturbed, by, .. } = self.call;
        let half = self.excess.div_ceil(2);
        let (executor, name) = names_of(self.callback, names);
        let long = |nanoseconds| human_duration(Duration::from_nanos(nanoseconds));
        let alone = took - disturbed.min(took);
        let assumed = bounds.executions.get(&(executor.clone(), name.clone())).copied();
        let beyond = assumed.map_or(0, |assumed| {
            let beyond = Duration::from_nanos(alone).saturating_sub(assumed);
            u64::try_from(beyond.as_nanos()).unwrap_or(u64::MAX)
        });
        let is_long = beyond >= half;
        let mut words = match assumed.filter(|_| is_long) {
            Some(assumed) => {
                format!("{name} ran {}, and was assumed to run {} at most", long(alone), human_duration(assumed))
            }
            None => format!("{} until it was called, and then {}", long(waited), long(took)),
        };
        let loss = self.account.map(|account| match is_long {
            true => loss(account, beyond, account.taker_within_an_update(beyond)),
            false => Loss::before_it_ran(account, self.excess),
        });
        if let Some((loss, cause)) = loss.and_then(|loss| Some((loss, taken(&loss, names)?))) {
            return (cause, format!("{words}; {}", loss.sentence(scale)));
        }
        if is_long {
            let took = Duration::from_nanos(alone);
            return (ExceedanceCause::Execution { cycle: executor, update: name, took, assumed }, words);
        }
        if for_siblings > 0 {
            words += &format!("; {executor} ran others meanwhile, for {}", long(for_siblings));
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
}

/// Returns the loss of a thread that was in a callback.
fn loss(account: Account, nanoseconds: u64, (taker, taken): (Taker, u64)) -> Loss {
    Loss { account, within: None, nanoseconds, taker, taken }
}

/// Returns the names of a callback's executor and of the callback itself.
pub fn names_of(callback: CallbackId, names: &CatalogGuard<'_>) -> (String, String) {
    let known = names.callback(callback);
    known.map(|known| (names.worker_name(known.executor), known.name.clone())).unwrap_or_default()
}
