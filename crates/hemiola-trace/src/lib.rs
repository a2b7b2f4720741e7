//! Records what ran where and when, and shows it: event rings, statistics, Perfetto traces, timelines.
//!
//! This crate knows nothing of modules, plans or threads: names come from a catalog that the runtime fills, events from
//! rings that its workers write. Only [`Ring::push`] and [`Ticks::now`] are for real-time threads; everything else
//! allocates and belongs to the thread that drains the rings.
//!
//! ```
//! use hemiola_trace::{Core, Event, Ring, TaskId, Ticks};
//!
//! let mut ring = Ring::with_capacity(1024); // one per worker
//! let mut reader = ring.reader(); // for the thread that drains it
//!
//! let begin = Ticks::now();
//! let (task, core, end) = (TaskId(0), Core::current(), Ticks::now());
//! ring.push(Event::TaskRun { task, core, run: 0, ready: begin, begin, end });
//!
//! let mut events = Vec::new();
//! let lost = reader.read(&mut events);
//! assert_eq!((events.len(), lost), (1, 0));
//! ```

mod sync;

mod clock;
mod event;
mod ids;
mod ring;

mod catalog;
mod collector;
mod distribution;
mod error;
mod profile;
mod statistics;
mod timeline;

pub mod perfetto;

pub use catalog::{Catalog, CatalogGuard, Counter, Cycle, Exchange, Plan, Task, Worker};
pub use clock::{CALIBRATION, Core, SHORTEST_REFRESH, TickScale, Ticks};
pub use collector::{Capture, Collector};
pub use distribution::{Bucket, Distribution, Summary};
pub use error::Error;
pub use event::{Age, Event, FailureKind, Stamp};
pub use ids::{CounterId, CycleId, ExchangeId, PlanId, SourceId, TaskId, WorkerId};
pub use profile::Profile;
pub use ring::{Ring, RingReader};
pub use statistics::{
    ChainReport, ChainStatistics, Colour, CycleReport, CycleStatistics, Report, Statistics, Style, TaskReport,
    TaskStatistics,
};
pub use timeline::Timeline;
