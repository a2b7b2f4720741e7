//! Priority-driven chain-aware scheduling (PiCAS): the priority, executor and core of each
//! callback, and the bounds on chains that follow.
//!
//! Callbacks are run by executors, each a thread with a real-time priority on one core, which
//! always runs the ready callback with the highest priority and never preempts it. Executors of a
//! core preempt each other. Chains are listed with the most important one first.
//!
//! Source: Choi, Xiang and Kim, *PiCAS: New Design of Priority-Driven Chain-Aware Scheduling for
//! ROS2*, RTAS 2021.

pub mod allocation;
pub mod holistic;
mod offsets;
pub mod palencia_1998;
pub mod priorities;
mod segments;
pub mod strategies;
mod transaction;

pub use segments::SegmentBound;

use serde::{Deserialize, Serialize};

use crate::{Arrivals, Costs, TimeSpan};

/// A chain of callbacks, the first of which runs when a timer expires or a message arrives.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::Chain};
/// let ms = TimeSpan::milliseconds;
/// let chain = Chain::new(ms(80), [ms(2), ms(16)]);
/// assert_eq!(chain.cost(), ms(18));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The period with which it begins.
    pub period: TimeSpan,
    /// The event that begins it.
    #[serde(default)]
    pub begins: Beginning,
    /// The time at which it first begins, relative to all others with an offset; it then begins
    /// strictly periodically.
    pub offset: Option<TimeSpan>,
    /// The callbacks, in the order in which they run.
    pub callbacks: Vec<Callback>,
}

/// The event that begins a chain.
///
/// ```
/// assert_eq!(hemiola_analysis::picas::Beginning::default(), hemiola_analysis::picas::Beginning::Timer);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// A timer that expires while its executor is awake.
    #[default]
    Timer,
    /// A message from any publisher, or a timer, that may have to wake up its executor.
    WakeUp,
    /// A message from something that begins periodically or sporadically itself, and may have to
    /// wake up the executor.
    After {
        /// The longest time from the release of that until it publishes the message;
        /// [`TimeSpan::MAX`] if there is no bound on it. Times of the chain count from that
        /// release.
        within: TimeSpan,
    },
}

/// A callback of a chain.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::Callback};
/// let callback = Callback::new(TimeSpan::nanoseconds(5));
/// assert_eq!(callback.shortest, TimeSpan::ZERO); // nothing is known about it
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// The longest execution time without interference.
    pub cost: TimeSpan,
    /// The shortest execution time without interference.
    pub shortest: TimeSpan,
    /// The priority among the callbacks of its executor; a larger number is a higher priority.
    pub priority: u32,
    /// The executor that runs it.
    pub executor: ExecutorId,
}

impl Callback {
    /// Returns a callback without priority and executor yet.
    pub const fn new(cost: TimeSpan) -> Self {
        Self { cost, shortest: TimeSpan::ZERO, priority: 0, executor: ExecutorId(0) }
    }
}

impl Chain {
    /// Returns a chain whose callbacks have neither priorities nor executors yet.
    pub fn new(period: TimeSpan, costs: impl IntoIterator<Item = TimeSpan>) -> Self {
        Self {
            period,
            begins: Beginning::Timer,
            offset: None,
            callbacks: costs.into_iter().map(Callback::new).collect(),
        }
    }

    /// Returns the sum of the longest times of all callbacks.
    pub fn cost(&self) -> TimeSpan {
        self.callbacks.iter().map(|callback| callback.cost).sum()
    }
}

/// The number of an executor in a [`Deployment`].
///
/// ```
/// assert_eq!(hemiola_analysis::picas::ExecutorId(2).0, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExecutorId(pub usize);

/// A thread that runs callbacks.
///
/// ```
/// use hemiola_analysis::picas::{Executor, Order};
/// let executor = Executor { core: 1, priority: 90, order: Order::Priority };
/// assert!(executor.priority > 80);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executor {
    /// The core to which it is pinned.
    pub core: usize,
    /// The priority among the executors of its core; a larger number is a higher priority.
    pub priority: u32,
    /// The order in which callbacks run.
    pub order: Order,
}

/// The rule by which an executor chooses among its ready callbacks.
///
/// ```
/// assert_eq!(hemiola_analysis::picas::Order::default(), hemiola_analysis::picas::Order::Priority);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The callback with the highest priority.
    #[default]
    Priority,
    /// The order in which callbacks were registered, of all that are ready when the executor polls:
    /// ROS 2's default.
    Registration,
}

/// Something else that uses cores, such as a cycle.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan, picas::Interference};
/// let ms = TimeSpan::milliseconds;
/// let motion = Interference { name: "motion".into(), priority: 90, cost: ms(4), arrivals: Arrivals::periodic(ms(12)) };
/// assert_eq!(motion.cost, ms(4));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interference {
    /// The name in the description.
    pub name: String,
    /// The priority: it has precedence over executors with this or a lower one, on whichever core.
    pub priority: u32,
    /// The longest time that it occupies one core each time.
    pub cost: TimeSpan,
    /// The times at which it may begin.
    pub arrivals: Arrivals,
}

/// Chains on executors on cores.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation}};
/// let ms = TimeSpan::milliseconds;
/// let chains = [Chain::new(ms(80), [ms(2), ms(16)]), Chain::new(ms(100), [ms(20)])];
/// let deployment = allocation::allocate(&chains, 2, 90).unwrap();
/// let core_of = |chain: usize| deployment.executor(&deployment.chains[chain].callbacks[0]).core;
/// assert_ne!(core_of(0), core_of(1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// The chains, the most important one first.
    pub chains: Vec<Chain>,
    /// The executors.
    pub executors: Vec<Executor>,
    /// Everything else that runs on the cores.
    pub interference: Vec<Interference>,
    /// The overheads of the computer.
    pub costs: Costs,
}

impl Deployment {
    /// Returns the executor that runs a callback.
    ///
    /// # Panics
    /// If the callback names an executor that does not exist.
    pub fn executor(&self, callback: &Callback) -> &Executor {
        &self.executors[callback.executor.0]
    }

    /// Returns the utilisation of each core: 1 if it is always in use, more if it is overloaded.
    pub fn utilisation(&self, cores: usize) -> Vec<f64> {
        let mut used = vec![0.0; cores];
        for (chain, callback) in self.callbacks() {
            let share = callback.cost.as_nanoseconds() as f64 / self.chains[chain].period.as_nanoseconds() as f64;
            if let Some(used) = used.get_mut(self.executor(callback).core) {
                *used += share;
            }
        }
        used
    }

    /// Returns every callback with the number of its chain.
    pub fn callbacks(&self) -> impl Iterator<Item = (usize, &Callback)> {
        self.chains
            .iter()
            .enumerate()
            .flat_map(|(chain, one)| one.callbacks.iter().map(move |callback| (chain, callback)))
    }
}
