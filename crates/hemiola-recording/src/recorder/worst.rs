//! What the robot did in the longest run of each cycle: traces for Perfetto, as attachments.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hemiola_log::{LogError, LogWriter};
use hemiola_model::Time;
use hemiola_runtime::RobotHandle;
use hemiola_trace::perfetto::{self, Trace};
use hemiola_trace::{Capture, Catalog, CycleId, TickScale};

/// See the module.
pub struct WorstRuns {
    handle: RobotHandle,
    /// When it looks again.
    due: Instant,
    /// How long it took, and what happened then.
    found: BTreeMap<CycleId, (u64, Capture)>,
}

/// A robot that does not run for long has a worst run, too.
const FIRST_LOOK: Duration = Duration::from_millis(250);
/// In this time no events are overwritten that were not looked at.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// What was before and after it often tells why.
const AROUND: Duration = Duration::from_millis(10);

impl WorstRuns {
    pub fn new(handle: RobotHandle) -> Self {
        Self { handle, due: Instant::now() + FIRST_LOOK, found: BTreeMap::new() }
    }

    /// Now and then.
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

    /// Adds those since the last file to the end of a file. When the robot has ended, what it did
    /// since the last look is gone with its threads.
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

/// Writing into memory fails only where a trace could not be told at all.
fn trace(capture: &Capture, catalog: &Catalog, scale: &TickScale) -> Result<Vec<u8>, hemiola_trace::Error> {
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", catalog.clone(), scale.clone())?;
    for (worker, events) in capture.workers() {
        writer.append(worker, events)?;
    }
    writer.finish()
}
