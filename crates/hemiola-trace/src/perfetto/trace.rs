//! A trace that is read back.

use super::{
    packets::{Names, Packet},
    read::{CYCLE, Reader},
};
use crate::{catalog::Catalog, clock::TickScale, collector::Capture, error::Error};
use std::path::Path;

/// The events of a trace and what is needed to interpret them: captured from a robot, or read from
/// a file that this crate has written.
///
/// Times from a file are nanoseconds, to which times of the machine's counter are rounded. A file
/// that was truncated is read up to there. The trace is held in memory, where it is about as large
/// as the file.
///
/// ```
/// use hemiola_trace::{Capture, Catalog, Cycle, Event, TickScale, Ticks, perfetto::{Trace, Writer}};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// let (plan, worker) = (catalog.plan(motion, &[])?, catalog.worker(motion, 0, 4711)?);
/// let mut writer = Writer::new(Vec::new(), "memory", catalog, TickScale::nanoseconds_per_tick_one())?;
/// let begin = Event::CycleBegin { cycle: motion, plan, run: 7, trigger: Ticks(10), begin: Ticks(12) };
/// writer.append(worker, &[begin, Event::CycleEnd { cycle: motion, run: 7, at: Ticks(20) }])?;
///
/// let trace = Trace::decode(&writer.finish()?, "memory")?;
/// let (worker, events) = trace.capture.workers().next().unwrap();
/// assert_eq!((trace.catalog.read().worker_name(worker).as_str(), events.len()), ("motion 0", 2));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Debug)]
pub struct Trace {
    /// The events.
    pub capture: Capture,
    /// The names that the events refer to.
    pub catalog: Catalog,
    /// The length of a tick of the events; in a file, a nanosecond.
    pub scale: TickScale,
}

impl Trace {
    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or is not a trace of this crate.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| Error::ReadTrace { path: path.to_owned(), source })?;
        Self::decode(&bytes, path)
    }

    /// Decodes the bytes of a file; `path` is its name in errors.
    ///
    /// # Errors
    /// Returns an error if they are not a trace of this crate.
    pub fn decode(bytes: &[u8], path: impl AsRef<Path>) -> Result<Self, Error> {
        let (names, whole) = Names::of(bytes);
        if names.tracks.is_empty() || !names.tracks.keys().any(|uuid| uuid >> 32 == CYCLE) {
            return Err(Error::InvalidTrace { path: path.as_ref().to_owned(), bytes: bytes.len(), whole });
        }
        let mut reader = Reader::new(&names)?;
        for packet in Packet::all(&bytes[..whole]) {
            reader.packet(&packet)?;
        }
        reader.finish()
    }
}
