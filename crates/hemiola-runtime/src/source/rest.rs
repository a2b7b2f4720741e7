//! The time that a source with real-time priority leaves to others.

use std::time::Duration;

use hemiola_realtime::{KernelThread, MonotonicTime, Respite, monotonic_now};

/// The rests of a source, however densely its samples come: like those of cycles ([`Respite`]), but
/// by the time for which it had a core. A source may wait for its samples in a driver, which counts
/// as a rest.
#[derive(Default)]
pub struct SourceRest {
    respite: Respite,
    last_look: Option<Look>,
    is_told: bool,
}

struct Look {
    at: MonotonicTime,
    /// The time that the thread had spent on cores.
    on_cores: Duration,
}

/// The minimum interval between two checks, because each is a system call.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

impl SourceRest {
    /// Returns until when the source must rest, if it must. Called after each sample, on the
    /// source's thread.
    pub fn until(&mut self) -> Option<MonotonicTime> {
        let now = monotonic_now();
        let last = self.last_look.as_ref();
        if last.is_some_and(|last| now.since(last.at) < BETWEEN_LOOKS) {
            return None;
        }
        let on_cores = KernelThread::current().processor_time().ok()?;
        let until = last.and_then(|last| {
            let worked = on_cores.saturating_sub(last.on_cores).min(now.since(last.at));
            self.respite.after_work(now - worked, now)
        });
        // The coming rest does not count as work.
        self.last_look = Some(Look { at: now, on_cores });
        until
    }

    /// Returns whether this is called for the first time.
    pub fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.is_told, true)
    }
}
