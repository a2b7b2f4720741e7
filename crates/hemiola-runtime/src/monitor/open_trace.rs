//! The file of a trace. A disk may be slow or gone, so the file is opened and closed without
//! holding a lock, and written by a thread of its own.

use std::io::{BufWriter, Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hemiola_trace::{Catalog, TickScale, perfetto};

use super::disk::{Disk, ToDisk};
use crate::error::RuntimeError;

/// A trace that is being written.
pub struct OpenTrace {
    pub path: PathBuf,
    pub writer: perfetto::Writer<BufWriter<ToDisk>>,
    disk: Disk,
}

/// The rest of a trace that has ended early: what the disk has not accepted yet.
pub struct EndedTrace(Disk);

/// The time within which a disk must accept the rest of a trace at its end.
const PATIENCE: Duration = Duration::from_secs(30);

impl OpenTrace {
    /// Creates a trace in a new file.
    pub fn create(path: &Path, catalog: Catalog, scale: TickScale) -> Result<Self, RuntimeError> {
        Self::to(perfetto::create_file(path)?, path, catalog, scale)
    }

    /// Creates a trace in this file.
    fn to(
        file: impl Write + Send + 'static,
        path: &Path,
        catalog: Catalog,
        scale: TickScale,
    ) -> Result<Self, RuntimeError> {
        let (to_disk, disk) = Disk::start(file).map_err(|source| cannot_write(path, source))?;
        let writer = perfetto::Writer::new(BufWriter::new(to_disk), path, catalog, scale)?;
        Ok(Self { path: path.to_owned(), writer, disk })
    }

    /// Writes the end of the trace, and waits for the disk, which may be slow or hang, for at most
    /// half a minute.
    pub fn finish(self) -> Result<(), RuntimeError> {
        let Self { path, writer, disk } = self;
        drop(writer.finish()?);
        disk.wait(PATIENCE).map_err(|source| cannot_write(&path, source))?;
        if !path.exists() {
            let gone = "it was removed while it was written, or the folder that it was in";
            return Err(cannot_write(&path, Error::new(ErrorKind::NotFound, gone)));
        }
        Ok(())
    }

    /// Ends the trace without writing anything more, and without waiting.
    pub fn end(self) -> EndedTrace {
        EndedTrace(self.disk)
    }
}

impl EndedTrace {
    /// Waits for the disk like [`OpenTrace::finish`]. The reason why the trace has ended was
    /// reported before.
    pub fn wait(self) {
        _ = self.0.wait(PATIENCE);
    }
}

fn cannot_write(path: &Path, source: Error) -> RuntimeError {
    hemiola_trace::Error::WriteTrace { path: path.to_owned(), source }.into()
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use std::sync::Arc;

    use hemiola_bus::RobotClock;
    use hemiola_realtime::KernelThread;
    use hemiola_trace::{Cycle, Event, Ticks, WorkerId};

    use super::super::{Monitor, disk};
    use super::*;

    #[test]
    fn a_disk_that_hangs_ends_the_trace_which_is_told_once_and_all_else_goes_on() {
        let (catalog, scale) = (Catalog::new("robot"), TickScale::nanoseconds_per_tick_one());
        let cycle = catalog.cycle(Cycle::named("motion")).unwrap();
        let (worker, plan) = (catalog.worker(cycle, 0, 0).unwrap(), catalog.plan(cycle, &[]).unwrap());
        let mut monitor = Monitor::new(catalog.clone(), scale.clone(), Arc::new(RobotClock::stepped()));
        monitor.watch_threads([(WorkerId(0), KernelThread::current())]).unwrap();

        let (file, leave, taken) = disk::tests::slow();
        let mut trace = OpenTrace::to(file, Path::new("a.pftrace"), catalog, scale).unwrap();
        let begin = Event::CycleBegin { cycle, plan, run: 1, trigger: Ticks(1), begin: Ticks(2) };
        trace.writer.append(worker, &[begin, Event::CycleEnd { cycle, run: 1, at: Ticks(3) }]).unwrap();
        // This fills almost all of the room; the robot's own events fill the rest.
        let words = "words ".repeat(1 << 17);
        let mut annotate = |words| trace.writer.annotate(Ticks(4), "Walk.joints", "words", words).unwrap();
        (0..42).for_each(|_| annotate(&words));
        annotate(&words[..400_000]);
        assert!(monitor.start_trace(trace).is_none());
        while monitor.trace().is_some() {
            monitor.poll();
        }
        let told = monitor.messages();
        assert!(matches!(&told[..], [ended] if ended.count == 1), "{told:?}");
        let expected = ["the trace ends here", "a.pftrace", "more than 32 MiB would wait"];
        assert!(expected.iter().all(|part| told[0].text.contains(part)), "{told:?}");
        monitor.poll();
        assert!(monitor.stop_trace().is_none());
        assert_eq!(monitor.messages(), told);

        // What was accepted is written in the end.
        (0..100_000).for_each(|_| leave.send(()).unwrap());
        monitor.take_ended_trace().unwrap().wait();
        let trace = perfetto::Trace::decode(&taken.lock().unwrap(), "a.pftrace").unwrap();
        let mut events = trace.capture.workers().flat_map(|(_, events)| events);
        assert!(
            events.any(|event| matches!(event, Event::CycleEnd { run: 1, .. })),
            "the run is there: {:?}",
            trace.capture
        );
    }
}
