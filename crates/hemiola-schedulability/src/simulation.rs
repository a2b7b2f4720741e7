//! A simulation of executors, pools of workers and cores, event by event.
//!
//! - **Threads.** Each executor is a thread on its core, or on any; each cycle has a pool of
//!   threads that may run on any core. The highest priorities run; a thread that is preempted goes
//!   on later.
//! - **Reservations.** A thread with one has a constant bandwidth server, and comes before all
//!   priorities; of several the one with the earliest deadline goes first.
//! - **Executors.** One callback at a time, never interrupted by another of the same executor, in
//!   the order of [`Dispatch`].
//! - **Pools.** Free workers take the ready task with the highest priority. A cycle that is
//!   released while it runs begins again when it has ended, once, for the latest release.
//! - **Links** deliver values in order, each after a random time.
//! - **Messages** are there when the callback that publishes them ends; a full queue drops its
//!   oldest.
//! - **Durations** are drawn anew for each job, from a seed: the same seed gives the same events.
//! - **Costs** are drawn as [`Costs`] describes, each time anew: jobs take the dispatch longer; a
//!   task is seen at once by the worker that made it ready, by the others a hand-over later; timers
//!   and messages from other executors are noticed late; a thread that is interrupted or must
//!   change to another core takes longer.

mod compare;
mod draws;
mod engine;
mod executor;
mod links;
mod observe;
mod picas;
mod pool;
mod random;
mod random_chains;
mod random_systems;
mod schedule;
mod server;
mod systems;

pub use compare::{Comparison, Exceeded};
pub use engine::run;
pub use links::{Link, Sender};
pub use observe::{Observed, Observer, Who};
pub use picas::deployed;
pub(crate) use random::Random;
pub use random_chains::random_chains;
pub use random_systems::{random_system, shrink};
pub use schedule::{Schedule, Slice};
pub use systems::{Simulated, simulate};

use hemiola_analysis::dag::Dag;
use hemiola_analysis::system::{Reservation, Span};
use hemiola_analysis::{Costs, TimeSpan};

/// The executors, callbacks and cycles that are simulated.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Span};
/// use hemiola_schedulability::simulation::{self, Callback, Dispatch, Executor, Missed, Model, Options, Schedule, Source};
/// let ms = TimeSpan::milliseconds;
/// let model = Model {
///     cores: 1,
///     executors: vec![Executor { core: Some(0), priority: 50, reservation: None, dispatch: Dispatch::WaitSet }],
///     callbacks: vec![Callback {
///         executor: 0,
///         source: Source::Timer { first: ms(10), period: ms(10), missed: Missed::Skip },
///         takes: Span::upto(ms(3)),
///         priority: 1,
///         publishes: vec![],
///         releases: vec![],
///         joins: vec![],
///     }],
///     ..Model::default()
/// };
/// let mut schedule = Schedule::default();
/// simulation::run(&model, &Options { end: ms(35), ..Options::default() }, &mut schedule);
/// assert_eq!(schedule.slices.iter().map(|slice| slice.start).collect::<Vec<_>>(), [10, 20, 30].map(ms));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// The number of cores.
    pub cores: usize,
    /// The threads that run callbacks.
    pub executors: Vec<Executor>,
    /// The callbacks; those of each executor are in the order of registration.
    pub callbacks: Vec<Callback>,
    /// The graphs on pools of threads.
    pub cycles: Vec<Cycle>,
    /// The links that carry values to other processes.
    pub links: Vec<Link>,
    /// The largest costs of the computer itself; each time a part is drawn, as durations are.
    pub costs: Costs,
}

/// A thread that runs callbacks.
///
/// See [`Model`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executor {
    /// The core on which it stays; `None`: it may use any.
    pub core: Option<usize>,
    /// The priority: the larger, the more important; it has no meaning with a reservation.
    pub priority: u32,
    /// The processor time that is reserved for it, before all priorities.
    pub reservation: Option<Reservation>,
    /// The rule by which it chooses the next callback.
    pub dispatch: Dispatch,
}

/// The rule by which an executor chooses among ready callbacks.
///
/// See [`Model`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// The rule of ROS 2 from Dashing to Jazzy: when nothing is left of what was ready at the last
    /// poll, it polls again: timers, then subscriptions, each as registered, each once.
    WaitSet,
    /// The rule of ROS 2 Crystal: like [`Self::WaitSet`] for subscriptions, but timers are polled
    /// before every callback.
    TimersAlways,
    /// The rule of PiCAS and Hemiola: each time, the callback with the highest priority.
    Priority,
}

/// A function that an executor runs.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Span};
/// use hemiola_schedulability::simulation::{self, Callback, Dispatch, Executor, Model, Options, Schedule, Source};
/// let ms = TimeSpan::milliseconds;
/// let lidar = |arrivals: &[u64], joins: usize| Callback {
///     executor: 0,
///     source: Source::Messages { depth: 1, arrivals: arrivals.iter().copied().map(ms).collect() },
///     takes: Span::upto(ms(3)),
///     priority: 1,
///     publishes: vec![],
///     releases: vec![],
///     joins: vec![joins],
/// };
/// // A fusion waits for both lidars; of the front one it has the second message when the rear one's comes.
/// let (front, rear) = (lidar(&[0, 10, 20], 1), lidar(&[15, 50], 0));
/// let executors = vec![Executor { core: Some(0), priority: 50, reservation: None, dispatch: Dispatch::Priority }];
/// let model = Model { cores: 1, executors, callbacks: vec![front, rear], ..Model::default() };
/// let mut schedule = Schedule::default();
/// simulation::run(&model, &Options::default(), &mut schedule);
/// assert_eq!(schedule.slices.iter().map(|slice| slice.start).collect::<Vec<_>>(), [15, 50].map(ms));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// The executor that runs it.
    pub executor: usize,
    /// The event for which it waits.
    pub source: Source,
    /// The undisturbed time.
    pub takes: Span,
    /// The priority: the larger, the more important.
    pub priority: u32,
    /// The callbacks that receive a message when it ends.
    pub publishes: Vec<usize>,
    /// The jobs that are released when it ends.
    pub releases: Vec<Released>,
    /// The other callbacks that must have run, too, since it or one of them worked: so the fusion
    /// of several topics waits for a message of each. Until then a run takes no time, publishes
    /// nothing, and releases nothing. A callback that joins no other always works.
    pub joins: Vec<usize>,
}

/// The event for which a callback waits.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::simulation::{Missed, Source};
/// let ms = TimeSpan::milliseconds;
/// let camera = Source::Timer { first: ms(5), period: ms(33), missed: Missed::Skip };
/// let detector = Source::Messages { depth: 1, arrivals: vec![] }; // of the camera, and none from outside
/// assert_ne!(camera, detector);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The expiry of a timer.
    Timer {
        /// The first expiry.
        first: TimeSpan,
        /// The time between two expiries.
        period: TimeSpan,
        /// The treatment of expiries that are not served in time.
        missed: Missed,
    },
    /// Messages from callbacks or from outside.
    Messages {
        /// The largest number of messages that wait.
        depth: usize,
        /// The times at which messages arrive from outside, in order.
        arrivals: Vec<TimeSpan>,
    },
}

/// The treatment of expiries of a timer that are not served in time.
///
/// See [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed {
    /// Missed releases are skipped, as in ROS 2.
    Skip,
    /// Missed releases are all served, one after another.
    CatchUp,
}

/// The thing that is released when something else has ended.
///
/// See [`Callback`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// A cycle, which begins for the latest release only.
    Cycle(usize),
    /// A callback, the first of a chain, which receives a message that is released then.
    Callback(usize),
}

/// A graph on a pool of threads.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag, system::Span};
/// use hemiola_schedulability::simulation::{Cycle, Model, Options, Schedule, run};
/// let ms = TimeSpan::milliseconds;
/// let graph = Dag::new([ms(2), ms(3), ms(4)], [(0, 1), (0, 2)]).unwrap();
/// let motion = Cycle {
///     every: Some((ms(0), ms(12))),
///     releases: vec![],
///     workers: 2,
///     cores: Vec::new(),
///     priority: 80,
///     takes: graph.costs().iter().copied().map(Span::upto).collect(),
///     order: graph.critical_path_first(),
///     kept: Vec::new(),
///     graph,
/// };
/// let model = Model { cores: 2, cycles: vec![motion], ..Model::default() };
/// let mut schedule = Schedule::default();
/// run(&model, &Options { end: ms(10), ..Options::default() }, &mut schedule);
/// assert_eq!(schedule.slices.iter().map(|slice| slice.end).max(), Some(ms(6)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The first release and the period, if it is not released by others.
    pub every: Option<(TimeSpan, TimeSpan)>,
    /// The jobs that are released when it ends.
    pub releases: Vec<Released>,
    /// The number of threads.
    pub workers: usize,
    /// The cores that these threads may use; all if the list is empty.
    pub cores: Vec<usize>,
    /// The priority of the threads: the larger, the more important.
    pub priority: u32,
    /// The task graph; its costs are not used.
    pub graph: Dag,
    /// The undisturbed time of each task.
    pub takes: Vec<Span>,
    /// The priority of each task; 0 is the most important.
    pub order: Vec<usize>,
    /// Set for each task that the worker that makes it ready keeps while it runs others that are
    /// kept; tasks for which there is no entry are not kept.
    pub kept: Vec<bool>,
}

/// The length of a simulation, and the way in which durations are drawn.
///
/// See [`simulate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The end: nothing starts at or after this time.
    pub end: TimeSpan,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// The durations that are drawn.
    pub durations: Durations,
}

impl Default for Options {
    fn default() -> Self {
        Self { end: TimeSpan::milliseconds(10_000), seed: 0, durations: Durations::Longest }
    }
}

/// The durations of jobs.
///
/// See [`Options`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durations {
    /// Every job takes its longest time.
    #[default]
    Longest,
    /// A job takes any time between the shortest and the longest, equally likely.
    Uniform,
    /// A job takes either the shortest or the longest time, which brings out anomalies.
    Extremes,
}
