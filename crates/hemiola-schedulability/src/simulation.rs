//! What happens when: executors, pools of workers and cores, event by event.
//!
//! - **Threads.** Each executor is a thread on its core, or on any; each cycle has a pool of
//!   threads that may run on any core. The highest priorities run; a thread that is preempted goes
//!   on later.
//! - **Executors.** One callback at a time, never interrupted by another of the same executor, in
//!   the order of [`Dispatch`].
//! - **Pools.** Free workers take the ready task with the highest priority. A cycle that is
//!   released while it runs begins again when it has ended, once, for the latest release.
//! - **Messages** are there when the callback that publishes them ends; a full queue drops its
//!   oldest.
//! - **Durations** are drawn anew for each job, from a seed: the same seed gives the same events.
//! - **Costs** as [`Costs`] says, each time anew: jobs take the dispatch longer; a task is seen at
//!   once by the worker that made it ready, by the others a hand-over later; timers and messages
//!   from other executors are noticed late; who is interrupted or has to change to another core
//!   takes longer.

mod compare;
mod draws;
mod engine;
mod executor;
mod observe;
mod picas;
mod pool;
mod random;
mod random_chains;
mod random_systems;
mod schedule;
mod systems;

pub use compare::{Comparison, Exceeded};
pub use engine::run;
pub use observe::{Observed, Observer, Who};
pub use picas::deployed;
pub(crate) use random::Random;
pub use random_chains::random_chains;
pub use random_systems::{random_system, shrink};
pub use schedule::{Schedule, Slice};
pub use systems::{Simulated, simulate};

use hemiola_analysis::dag::Dag;
use hemiola_analysis::system::Span;
use hemiola_analysis::{Costs, TimeSpan};

/// What is simulated.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Span};
/// use hemiola_schedulability::simulation::{self, Callback, Dispatch, Executor, Missed, Model, Options, Schedule, Source};
/// let ms = TimeSpan::milliseconds;
/// let model = Model {
///     cores: 1,
///     executors: vec![Executor { core: Some(0), priority: 50, dispatch: Dispatch::WaitSet }],
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
    /// How many cores there are.
    pub cores: usize,
    /// Threads that run callbacks.
    pub executors: Vec<Executor>,
    /// What they run; of each executor in the order of registration.
    pub callbacks: Vec<Callback>,
    /// Graphs on pools of threads.
    pub cycles: Vec<Cycle>,
    /// What the computer takes for itself, each time: up to so much, as durations are drawn.
    pub costs: Costs,
}

/// A thread that runs callbacks.
///
/// ```
/// use hemiola_schedulability::simulation::{Dispatch, Executor};
/// let executor = Executor { core: Some(0), priority: 80, dispatch: Dispatch::Priority };
/// assert_eq!(executor.core, Some(0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executor {
    /// The core that it stays on; any if there is none.
    pub core: Option<usize>,
    /// The larger, the more important.
    pub priority: u32,
    /// Which callback is next.
    pub dispatch: Dispatch,
}

/// Which of the ready callbacks an executor runs next.
///
/// ```
/// use hemiola_schedulability::simulation::Dispatch;
/// assert_ne!(Dispatch::WaitSet, Dispatch::Priority);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// ROS 2 from Dashing to Jazzy: when nothing is left of what was ready at the last look, a new
    /// look: timers, then subscriptions, each as registered, each once.
    WaitSet,
    /// ROS 2 Crystal: the same for subscriptions, but timers are looked at before every callback.
    TimersAlways,
    /// PiCAS and Hemiola: before every callback, whatever has the highest priority.
    Priority,
}

/// A function that an executor calls.
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
/// let executors = vec![Executor { core: Some(0), priority: 50, dispatch: Dispatch::Priority }];
/// let model = Model { cores: 1, executors, callbacks: vec![front, rear], ..Model::default() };
/// let mut schedule = Schedule::default();
/// simulation::run(&model, &Options::default(), &mut schedule);
/// assert_eq!(schedule.slices.iter().map(|slice| slice.start).collect::<Vec<_>>(), [15, 50].map(ms));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// Who runs it.
    pub executor: usize,
    /// What it waits for.
    pub source: Source,
    /// How long it runs, undisturbed.
    pub takes: Span,
    /// The larger, the more important.
    pub priority: u32,
    /// Which callbacks get a message when it ends.
    pub publishes: Vec<usize>,
    /// Which cycles are released when it ends.
    pub releases: Vec<usize>,
    /// Which others must have been called, too, since it or one of them worked: so the fusion of
    /// several topics waits for a message of each. Until then a call takes no time, publishes
    /// nothing, and releases nothing. Whoever joins nobody always works.
    pub joins: Vec<usize>,
}

/// What a callback waits for.
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
    /// Its time.
    Timer {
        /// When it expires first.
        first: TimeSpan,
        /// How often after that.
        period: TimeSpan,
        /// What becomes of expiries that nobody came to in time.
        missed: Missed,
    },
    /// Messages, of callbacks or from outside.
    Messages {
        /// How many wait at most.
        depth: usize,
        /// When some come from outside, in order.
        arrivals: Vec<TimeSpan>,
    },
}

/// What becomes of a timer's expiries that nobody came to in time.
///
/// ```
/// use hemiola_schedulability::simulation::Missed;
/// assert_ne!(Missed::Skip, Missed::CatchUp);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed {
    /// They are left out, as in ROS 2.
    Skip,
    /// All are served, one after another.
    CatchUp,
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
    /// Its first release and its period, if it is not released by others.
    pub every: Option<(TimeSpan, TimeSpan)>,
    /// Which cycles are released when it ends.
    pub releases: Vec<usize>,
    /// How many threads it has.
    pub workers: usize,
    /// The cores that these may use; all if there are none.
    pub cores: Vec<usize>,
    /// Theirs: the larger, the more important.
    pub priority: u32,
    /// Who waits for whom; the costs are not used.
    pub graph: Dag,
    /// How long each task runs, undisturbed.
    pub takes: Vec<Span>,
    /// Per task, 0 is the most important.
    pub order: Vec<usize>,
    /// Per task, whether the worker that makes it ready keeps it while it runs others of these;
    /// none if there are fewer.
    pub kept: Vec<bool>,
}

/// How long, and with which durations.
///
/// ```
/// use hemiola_schedulability::simulation::{Durations, Options};
/// assert_eq!(Options::default().durations, Durations::Longest);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Nothing is started at or after this time.
    pub end: TimeSpan,
    /// Decides all that is drawn.
    pub seed: u64,
    /// What is drawn.
    pub durations: Durations,
}

impl Default for Options {
    fn default() -> Self {
        Self { end: TimeSpan::milliseconds(10_000), seed: 0, durations: Durations::Longest }
    }
}

/// How long jobs run.
///
/// ```
/// use hemiola_schedulability::simulation::Durations;
/// assert_eq!(Durations::default(), Durations::Longest);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durations {
    /// Always as long as they can.
    #[default]
    Longest,
    /// Anything between the shortest and the longest, equally likely.
    Uniform,
    /// Either the shortest or the longest: what anomalies need.
    Extremes,
}
