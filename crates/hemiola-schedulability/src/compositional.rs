//! Bounds for chains over several processors and networks, resource by resource: the arrivals at
//! one are as close as the one before can deliver.
//!
//! - **Model.** Chains of tasks, each on a resource that schedules by static priorities, with or
//!   without interruption. A task begins when the one before in its chain has ended. Messages on a
//!   bus are tasks on a resource without interruption.
//! - **Arrivals.** The least distance of n events, `delta(n)`; at the beginning of the chain
//!   `max(0, (n - 1) T - J)`.
//! - **Formula.** Per task, for q = 1, 2, ... jobs in a busy period, until when they end, `w(q)`:
//!   the bound is `max w(q) - delta(q)`. What leaves a task is spread by [`Propagation`]; all tasks
//!   together are a fixed point, from below.
//! - **Complexity.** Pseudo-polynomial per task, times the steps to the common fixed point.
//! - **Source.** Richter 2005; Henia et al. 2005; output distances by busy windows: Schliecker and
//!   Ernst 2009; without interruption Davis et al. 2007. As in pyCPA (Diemer, Axer and Ernst 2012).

use hemiola_analysis::Search;
use hemiola_analysis::{NoBound, TimeSpan, check_utilisation};

/// The way in which a resource schedules.
///
/// See [`response_times`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduling {
    /// A job preempts less important ones at any time.
    Preemptive,
    /// The most important job begins when the one before has ended.
    NonPreemptive,
}

/// The distances that are derived for the events that leave a task.
///
/// See [`response_times`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Propagation {
    /// Jitter grows by the difference of worst and best response time.
    Jitter,
    /// Like [`Self::Jitter`], and the task's shortest time lies between two ends.
    JitterAndDistance,
    /// Ends of one busy window are as close as its response times allow.
    #[default]
    BusyWindow,
}

/// A chain of tasks.
///
/// See [`response_times`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The time between the beginnings of two instances.
    pub period: TimeSpan,
    /// The largest lateness of a beginning.
    pub jitter: TimeSpan,
    /// The tasks, in order.
    pub tasks: Vec<Task>,
}

/// A task of a chain.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::compositional::{Chain, Propagation, Scheduling, Task, response_times};
/// let ns = TimeSpan::nanoseconds;
/// let filter = Task { resource: 0, shortest: ns(2), longest: ns(3), rank: 0 };
/// let chain = Chain { period: ns(10), jitter: ns(0), tasks: vec![filter] };
/// let bounds = response_times(&[Scheduling::Preemptive], &[chain], Propagation::default(), ns(100));
/// assert_eq!(bounds, Ok(vec![vec![ns(3)]]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The resource on which it runs.
    pub resource: usize,
    /// The shortest undisturbed time.
    pub shortest: TimeSpan,
    /// The longest undisturbed time.
    pub longest: TimeSpan,
    /// The rank among the tasks of its resource, each different: 0 is the most important.
    pub rank: u32,
}

/// Returns the bound of every task's response time, chain by chain.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::compositional::{self, Chain, Propagation, Scheduling, Task};
/// let ns = TimeSpan::nanoseconds;
/// let task = |resource, shortest, longest, rank| Task { resource, shortest: ns(shortest), longest: ns(longest), rank };
/// // The first example of pyCPA's tutorial: a processor, a bus, a processor.
/// let chains = [
///     Chain { period: ns(30), jitter: ns(3), tasks: vec![task(0, 5, 10, 2), task(1, 2, 2, 2), task(2, 3, 5, 3)] },
///     Chain { period: ns(15), jitter: ns(1), tasks: vec![task(0, 1, 3, 3), task(1, 5, 9, 3), task(2, 2, 3, 2)] },
/// ];
/// let resources = [Scheduling::Preemptive, Scheduling::NonPreemptive, Scheduling::Preemptive];
/// let bounds = compositional::response_times(&resources, &chains, Propagation::BusyWindow, ns(10_000)).unwrap();
/// assert_eq!(bounds, [vec![ns(10), ns(11), ns(11)], vec![ns(13), ns(18), ns(3)]]);
/// ```
///
/// # Errors
/// Fails if there is more work than time, or no bound up to `horizon`.
pub fn response_times(
    resources: &[Scheduling],
    chains: &[Chain],
    propagation: Propagation,
    horizon: TimeSpan,
) -> Result<Vec<Vec<TimeSpan>>, NoBound> {
    let mut states: Vec<Vec<State>> = chains.iter().map(State::of_chain).collect();
    for resource in 0..resources.len() {
        let shares = chains.iter().flat_map(|chain| chain.tasks.iter().map(move |task| (chain, task)));
        let on_it = shares.filter(|(_, task)| task.resource == resource);
        check_utilisation(on_it.map(|(chain, task)| (task.longest, chain.period)), 1.0)?;
    }
    let mut search = Search::below(horizon);
    loop {
        let before = states.clone();
        for chain in 0..chains.len() {
            for place in 0..chains[chain].tasks.len() {
                let task = &chains[chain].tasks[place];
                states[chain][place].ends = busy_window(resources, chains, &states, (chain, place), &mut search)?;
                if place + 1 < chains[chain].tasks.len() {
                    states[chain][place + 1].distances = states[chain][place].output(task, propagation);
                }
            }
        }
        if states == before {
            return Ok(states.iter().map(|chain| chain.iter().map(State::response_time).collect()).collect());
        }
    }
}

/// The number of events whose distances are computed; distances of more are sums of these.
const EVENTS: usize = 256;

/// The distances and ends of a task by the bounds so far.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    /// The least distances of 1, 2, ... arrivals.
    distances: Vec<TimeSpan>,
    /// The latest times at which 1, 2, ... jobs of a busy window have ended.
    ends: Vec<TimeSpan>,
}

impl State {
    fn of_chain(chain: &Chain) -> Vec<Self> {
        let distances: Vec<TimeSpan> = (0..EVENTS as u64).map(|number| chain.period * number - chain.jitter).collect();
        let of_task = |task: &Task| Self { distances: distances.clone(), ends: vec![task.longest] };
        chain.tasks.iter().map(of_task).collect()
    }

    /// Returns the least distance from the first to the last of `count` arrivals.
    fn distance(&self, count: usize) -> TimeSpan {
        let known = self.distances.len();
        match self.distances.get(count.saturating_sub(1)) {
            Some(&distance) => distance,
            // A longer sequence consists of shorter ones that follow each other.
            None => {
                let steps = count - 1;
                let (whole, rest) = (steps / (known - 1), steps % (known - 1));
                self.distances[known - 1] * whole as u64 + self.distances[rest]
            }
        }
    }

    /// Returns the most arrivals in a half-open window of this length.
    fn within(&self, window: TimeSpan) -> u64 {
        if window == TimeSpan::ZERO {
            return 0;
        }
        let (mut count, mut more) = (1, 2);
        while self.distance(more) < window {
            count = more;
            more += 1;
            if self.distance(more) == TimeSpan::ZERO && more > 4 * EVENTS {
                return u64::MAX;
            }
        }
        count as u64
    }

    fn response_time(&self) -> TimeSpan {
        let one = |(number, &end): (usize, &TimeSpan)| end - self.distance(number + 1);
        self.ends.iter().enumerate().map(one).max().unwrap_or(TimeSpan::ZERO)
    }

    /// Returns the least distances of the events that leave the task.
    fn output(&self, task: &Task, propagation: Propagation) -> Vec<TimeSpan> {
        let spread = self.spread(task, self.response_time(), propagation);
        if propagation != Propagation::BusyWindow {
            return spread;
        }
        let by_window =
            |number: usize, (jobs, &end): (usize, &TimeSpan)| self.distance(number + 1 + jobs) + task.shortest - end;
        let window = |number: usize| self.ends.iter().enumerate().map(|end| by_window(number, end)).min();
        spread.iter().enumerate().map(|(number, &spread)| window(number).unwrap_or_default().max(spread)).collect()
    }

    /// Returns the least distances of these events if only the durations of jobs are known.
    fn spread(&self, task: &Task, response_time: TimeSpan, propagation: Propagation) -> Vec<TimeSpan> {
        let jitter = response_time - task.shortest;
        let distance = |number: usize| {
            let by_jitter = self.distance(number + 1) - jitter;
            match propagation {
                Propagation::Jitter => by_jitter,
                _ => by_jitter.max(task.shortest * number as u64),
            }
        };
        (0..EVENTS).map(distance).collect()
    }
}

/// Computes the response times again, with arrivals that are spread as these response times allow:
/// the results are the same if they are bounds.
///
/// # Errors
/// Fails if one of them exceeds the horizon, or there is more work than time.
pub fn once_more(
    resources: &[Scheduling],
    chains: &[Chain],
    bounds: &[Vec<TimeSpan>],
    propagation: Propagation,
    horizon: TimeSpan,
) -> Result<Vec<Vec<TimeSpan>>, NoBound> {
    let mut states: Vec<Vec<State>> = chains.iter().map(State::of_chain).collect();
    for ((chain, bounds), states) in chains.iter().zip(bounds).zip(&mut states) {
        for (place, (task, &bound)) in
            chain.tasks.iter().zip(bounds).enumerate().take(chain.tasks.len().saturating_sub(1))
        {
            states[place + 1].distances = states[place].spread(task, bound, propagation);
        }
    }
    let mut search = Search::below(horizon);
    let mut after = Vec::new();
    for (chain, of_chain) in states.iter().enumerate() {
        let mut bounds = Vec::new();
        for (place, state) in of_chain.iter().enumerate() {
            let ends = busy_window(resources, chains, &states, (chain, place), &mut search)?;
            bounds.push(State { ends, distances: state.distances.clone() }.response_time());
        }
        after.push(bounds);
    }
    Ok(after)
}

/// Returns the latest times at which 1, 2, ... jobs of a task have ended, until nothing is left of
/// the busy window.
fn busy_window(
    resources: &[Scheduling],
    chains: &[Chain],
    states: &[Vec<State>],
    (chain, place): (usize, usize),
    search: &mut Search,
) -> Result<Vec<TimeSpan>, NoBound> {
    let task = &chains[chain].tasks[place];
    let own = &states[chain][place];
    let neighbours = || {
        let all = chains.iter().zip(states).flat_map(|(chain, states)| chain.tasks.iter().zip(states));
        all.filter(|(other, _)| other.resource == task.resource)
    };
    let higher = |window: TimeSpan| -> TimeSpan {
        let above = neighbours().filter(|(other, _)| other.rank < task.rank);
        above.map(|(other, state)| other.longest * state.within(window)).sum()
    };
    let lower = neighbours().filter(|(other, _)| other.rank > task.rank).map(|(other, _)| other.longest).max();
    let (blocking, uninterrupted) = match resources[task.resource] {
        Scheduling::Preemptive => (TimeSpan::ZERO, TimeSpan::ZERO),
        Scheduling::NonPreemptive => (lower.unwrap_or(TimeSpan::ZERO), task.longest),
    };
    let busy = search.fixed_point(blocking.max(TimeSpan::TICK), |window| {
        blocking + higher(window) + task.longest * own.within(window)
    })?;
    let mut ends = Vec::new();
    for jobs in 1.. {
        let before = blocking + task.longest * jobs - uninterrupted;
        // A job that is not interrupted can be overtaken until it begins.
        let just_after = if uninterrupted == TimeSpan::ZERO { TimeSpan::ZERO } else { TimeSpan::TICK };
        let begun = search.fixed_point(before, |window| before + higher(window + just_after))?;
        ends.push(begun + uninterrupted);
        if own.distance(jobs as usize + 1) >= busy {
            return Ok(ends);
        }
    }
    Ok(ends)
}
