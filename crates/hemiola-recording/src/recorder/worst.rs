//! Traces of the longest run of each cycle for Perfetto, as attachments.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hemiola_log::{LogError, LogWriter};
use hemiola_model::Time;
use hemiola_runtime::RobotHandle;
use hemiola_trace::perfetto::{self, Trace};
use hemiola_trace::{Capture, Catalog, CycleId, TickScale};

/// The longest runs since the last file.
pub struct WorstRuns {
    handle: RobotHandle,
    /// The time of the next check.
    due: Instant,
    /// The duration of the longest run of each cycle in ticks, and the events around it.
    found: BTreeMap<CycleId, (u64, Capture)>,
}

/// The time until the first check, so that a robot that does not run for long has a longest run,
/// too.
const FIRST_LOOK: Duration = Duration::from_millis(250);
/// The period of checks, in which no events are overwritten before they were seen.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// The time before and after a run that its trace contains, because it often shows the cause.
const AROUND: Duration = Duration::from_millis(10);

impl WorstRuns {
    pub fn new(handle: RobotHandle) -> Self {
        Self { handle, due: Instant::now() + FIRST_LOOK, found: BTreeMap::new() }
    }

    /// Looks for longer runs if it is time.
    pub fn look_if_due(&mut self) {
        if Instant::now() >= self.due {
            self.look();
        }
    }

    fn look(&mut self) -> (Catalog, TickScale) {
        let Trace { capture, catalog, scale } = self.handle.capture_events();
        for (cycle, run) in capture.longest_runs() {
            let known = self.found.get(&cycle).map_or(0, |(ticks, _)| *ticks);
            if run.ticks() > known {
                let part = capture.around(run.trigger, run.end, scale.ticks_in(AROUND));
                self.found.insert(cycle, (run.ticks(), part));
            }
        }
        self.due = Instant::now() + LOOK_PERIOD;
        (catalog, scale)
    }

    /// Attaches the longest runs since the last file to a file. When the robot has ended, the
    /// events since the last look are gone with its threads.
    pub fn attach(&mut self, log: &mut LogWriter, at: Time) -> Result<(), LogError> {
        let (catalog, scale) = self.look();
        for (cycle, (_, capture)) in std::mem::take(&mut self.found) {
            let name = format!("worst/{}.pftrace", catalog.read().cycle_name(cycle));
            if let Ok(trace) = trace(&capture, &catalog, &scale) {
                log.attach(&name, "application/octet-stream", at, &trace)?;
            }
        }
        Ok(())
    }
}

/// Returns the trace of a capture. Writing into memory fails only if the trace cannot be
/// represented at all.
fn trace(capture: &Capture, catalog: &Catalog, scale: &TickScale) -> Result<Vec<u8>, hemiola_trace::Error> {
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", catalog.clone(), scale.clone())?;
    for (worker, events) in capture.workers() {
        writer.append(worker, events)?;
    }
    writer.finish()
}
