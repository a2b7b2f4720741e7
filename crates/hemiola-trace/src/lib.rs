//! Records what ran where and when, and shows it: event rings, statistics, Perfetto traces,
//! timelines.
//!
//! This crate knows nothing of modules, plans or threads: names come from a [`Catalog`] that the
//! runtime fills, and events from [`Ring`]s that its workers write. Only [`Ring::push`],
//! [`Ticks::now`] and [`Core::current`] are for real-time threads; everything else allocates and
//! belongs to the thread that drains the rings.
//!
//! | who | does |
//! |---|---|
//! | the runtime, when it installs a plan | registers cycles, tasks, workers, sources and edges in the [`Catalog`] |
//! | a worker | pushes an [`Event`] per task, run, wake-up, ... into its [`Ring`] |
//! | a thread that is not real-time | drains a [`Collector`] every few ms into [`Statistics`] and a [`perfetto::Writer`] |
//! | a person | reads a [`Report`] as a table, live or as JSON; opens a trace; looks at a [`Timeline`] |
//! | a person | asks why a run was late: [`causes`] |
//! | the next run | starts with the execution times of a [`Profile`] |
//!
//! ```
//! use hemiola_trace::{Catalog, Collector, Core, Cycle, Event, Ring, Statistics, TickScale, Ticks};
//!
//! let catalog = Catalog::new("robot");
//! let motion = catalog.cycle(Cycle::named("motion"))?;
//! let task = catalog.task(motion, "Walk.joints")?;
//! let worker = catalog.worker(motion, 0, std::process::id())?;
//!
//! let mut ring = Ring::with_capacity(4096); // the worker's
//! let mut collector = Collector::default(); // the draining thread's
//! collector.add(worker, ring.reader());
//!
//! let (ready, begin) = (Ticks::now(), Ticks::now());
//! ring.push(Event::TaskRun { task, core: Core::current(), run: 0, ready, begin, end: Ticks::now() });
//!
//! let mut statistics = Statistics::new(catalog, TickScale::calibrate());
//! collector.drain(|worker, events, lost| {
//!     statistics.lost(lost);
//!     statistics.absorb(worker, events);
//! });
//! assert_eq!(statistics.task(task).unwrap().execution.count(), 1);
//! # Ok::<(), hemiola_trace::Error>(())
//! ```
//!
//! The rings' protocol is checked by a model checker:
//! `RUSTFLAGS="--cfg loom" cargo test -p hemiola-trace --release loom`. The cost of an event is
//! measured by `cargo run --release -p hemiola-trace --example push_cost`.

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod sync;

mod clock;
mod event;
mod ids;
mod ring;

mod capture;
mod catalog;
mod collector;
mod distribution;
mod error;
mod profile;
mod statistics;
mod timeline;

pub mod causes;
pub mod perfetto;

pub use capture::LongRun;
pub use catalog::{
    Callback, Catalog, CatalogGuard, Counter, Cycle, Exchange, Plan, Runs, Task, Worker, by_messages,
    source_of_messages, to_topic, topic_of,
};
pub use clock::{CALIBRATION, Core, SHORTEST_REFRESH, TickScale, Ticks};
pub use collector::{Capture, Collector};
pub use distribution::{Bucket, Distribution, Summary};
pub use error::Error;
pub use event::{Age, Event, FailureKind, Stamp};
pub use ids::{CallbackId, CounterId, CycleId, ExchangeId, PlanId, SourceId, TaskId, TopicId, WorkerId};
pub use profile::{
    CALIBRATIONS, CallbackOrder, CallbackProfile, ChainProfile, Conditions, CostProfile, CycleProfile, ExecutorProfile,
    ExecutorThread, HeldUp, Known, LinkProfile, Measured, MeasuredCosts, Pace, Profile, ProfileHistory, in_part,
};
pub use ring::{Ring, RingReader};
pub use statistics::{
    CallbackReport, CallbackStatistics, ChainReport, ChainStatistics, Colour, CycleReport, CycleStatistics, Report,
    SourceReport, Statistics, Style, TaskReport, TaskStatistics, human_duration,
};
pub use timeline::Timeline;
