//! The longest time that a cycle takes on its pool, with interference of everything that has a
//! higher priority: Hemiola's own bound.
//!
//! - **Model.** A cycle has w threads of one real-time priority that may run on any of m cores.
//!   Free threads run ready nodes; nodes are not preempted by others of the cycle, but threads are
//!   by whatever has a higher (or the same) priority. A run begins when the one before has ended;
//!   of several releases that came meanwhile only the latest counts.
//! - **Formula.** With `k = min(w, m)`, for q = 1, 2, ... runs in a row, the least `t = q len + q
//!   (vol - len) / k + sum of W_h(t) / m`, rounded up; the bound is `max t - max(0, (q - 1) T -
//!   J)`, until `t <= q T - J`. W_h is the work that another cycle can do within t (as in
//!   `melani_2015` of hemiola-schedulability) or jobs with jitter.
//! - **Why it holds.** Whenever the node that ends last, or the one before it on its path, is ready
//!   and does not run, either all k threads that can run at once run other nodes of the cycle, or a
//!   thread of it has to wait because all m cores run something else. In the first case k units of
//!   the cycle's other work are done per unit of time; in the second m units of that and of others'
//!   work. Of the first there is `q (vol - len)`, worth most in the first case, of the second `sum
//!   of W_h`. Whenever the node runs, its path gets shorter. Replaced releases only remove work.
//! - **Costs.** *Dispatch*: nodes take longer by it. *Hand-over*: a node of the path is seen at
//!   once by the thread that made it ready, and by the others after at most h. Until then that
//!   thread may be alone at work, with other nodes of the run (else it would take this one): such
//!   waiting is at most h per node of the path, and together at most the run's other work. So len
//!   is the longest path with h added to every node, and never more than vol. *Preemption*: A(t)
//!   times within t something of higher priority begins to run ([`Dag::begins`]); each time, what
//!   is preempted takes p longer, once per core ([`Costs`]): `A(t) p` of it on the path,
//!   `A(t) (k - 1) p` with other nodes of the cycle, and the rest with others. *Spinning*: workers
//!   without work hold cores for which a thread with a node may wait. So spinning counts as work of
//!   others, both theirs and that of the cycle itself. *Kept nodes*: the thread that makes such a
//!   node ready keeps it while it runs other such nodes, and hands it over only before it runs one
//!   that is not kept. Meanwhile that thread alone may be at work. So what is kept counts as if it
//!   was all on the path.
//! - **Tighter.** If nodes have priorities, `q len + q (vol - len) / k` may be replaced by q times
//!   the bound of [`super::he_2019`]: of the run's own nodes only those of higher priority delay
//!   the path, and per node w - 1 that had begun before it was seen. Whatever the order,
//!   [`super::he_2022`] sets c long paths aside, so that `q (vol - vol(K))` is divided by `k + 1 -
//!   c`; its proof counts others' work like nodes outside of K, so that this is divided by `m + 1 -
//!   c`. Where nothing preempts, the latest end by [`super::nasri_2019`] replaces all that. The
//!   smallest of these bounds counts.
//! - **Complexity.** Pseudo-polynomial.

use std::fmt::{self, Display};

use crate::bound::{Search, check_utilisation};
use crate::dag::he_2022::LongPaths;
use crate::dag::{Dag, he_2019, he_2022, nasri_2019};
use crate::{Arrivals, Bound, Costs, NoBound, TimeSpan};

/// A cycle and the computer that it runs on.
///
/// ```
/// use hemiola_analysis::{Arrivals, Costs, TimeSpan, dag::{Dag, pool::{Method, Pool}}};
/// let ms = TimeSpan::milliseconds;
/// let graph = Dag::new([1, 2, 2, 4].map(ms), [(0, 1), (0, 2), (0, 3)]).unwrap();
/// let costs = Costs { hand_over: TimeSpan::microseconds(100), ..Costs::default() };
/// let arrivals = Arrivals::periodic(ms(12));
/// let pool = Pool { graph: &graph, priorities: None, makespan: None, kept: TimeSpan::ZERO, arrivals, workers: 2, allowed: 4, cores: 4, costs };
/// assert_eq!(pool.response_time(&[], ms(1000)), Ok((TimeSpan::microseconds(7100), Method::Graham1969)));
/// let pool = Pool { costs: Costs::default(), ..pool };
/// assert_eq!(pool.response_time(&[], ms(1000)), Ok((ms(7), Method::Graham1969)));
///
/// let three = Pool { workers: 3, ..pool };
/// assert_eq!(three.response_time(&[], ms(1000)), Ok((ms(5), Method::He2022)));
/// // Two workers are enough if what takes longest goes first.
/// let pool = Pool { priorities: Some(&[0, 2, 3, 1]), ..pool };
/// let pool = Pool { makespan: pool.makespan_alone(&[ms(1), ms(2), ms(2), ms(4)]), ..pool };
/// assert_eq!(pool.response_time(&[], ms(1000)), Ok((ms(5), Method::Nasri2019)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pool<'g> {
    /// The task graph of the cycle.
    pub graph: &'g Dag,
    /// The priorities of nodes, 0 for the highest, if they are known.
    pub priorities: Option<&'g [usize]>,
    /// The longest time of a run that nothing preempts, if it is known: see
    /// [`Pool::makespan_alone`].
    pub makespan: Option<TimeSpan>,
    /// The total cost of the nodes that a thread keeps for itself while it has other such nodes.
    pub kept: TimeSpan,
    /// The releases of the cycle.
    pub arrivals: Arrivals,
    /// The number of threads of the cycle.
    pub workers: usize,
    /// The number of cores that these may use.
    pub allowed: usize,
    /// The number of cores.
    pub cores: usize,
    /// The overheads of the computer. [`Pool::response_time`] assumes no delay between a release
    /// and the begin of its run: a late release is jitter of `arrivals`, and has to be added.
    pub costs: Costs,
}

/// A method that bounds one run.
///
/// ```
/// use hemiola_analysis::dag::pool::Method;
/// assert_eq!(Method::He2019.to_string(), "He 2019");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`super::graham_1969`]: holds whatever the order.
    Graham1969,
    /// [`super::he_2019`]: uses priorities.
    He2019,
    /// [`super::he_2022`]: holds whatever the order, and uses several long paths.
    He2022,
    /// [`super::nasri_2019`]: uses priorities, and holds where nothing preempts.
    Nasri2019,
}

impl Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Graham1969 => "Graham 1969",
            Self::He2019 => "He 2019",
            Self::He2022 => "He 2022",
            Self::Nasri2019 => "Nasri 2019",
        })
    }
}

/// A load of higher priority on the same cores.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan, dag::pool::Above};
/// let ms = TimeSpan::milliseconds;
/// let above = Above { work: ms(4), begins: 1, arrivals: Arrivals::periodic(ms(12)), latest_end: ms(3) };
/// // One is still there at the beginning because it ends late, and the next one is there at the end.
/// assert_eq!(above.within(ms(13), 2), ms(8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Above {
    /// The total time that it takes for each release.
    pub work: TimeSpan,
    /// The number of times that threads of it can begin to run for each release.
    pub begins: u64,
    /// The releases of the load.
    pub arrivals: Arrivals,
    /// The longest time from a release to its end.
    pub latest_end: TimeSpan,
}

impl Above {
    /// Returns the most work that it can do within a window of this length on that many cores.
    pub fn within(&self, window: TimeSpan, cores: usize) -> TimeSpan {
        // The previous run begins and ends as late as it can, on all cores.
        let carried = self.arrivals.jitter + self.latest_end - self.work.shared_by(cores);
        let (runs, rest) = (window + carried).whole(self.arrivals.period);
        self.work * runs + self.work.min(rest * cores as u64 + TimeSpan::nanoseconds(cores as u64))
    }

    /// Returns how often threads of it can begin to run within a window of this length.
    pub(crate) fn begins_within(&self, window: TimeSpan) -> u64 {
        let releases = self.arrivals.late_by(self.arrivals.jitter + self.latest_end).within(window);
        self.begins.saturating_mul(releases)
    }
}

impl Pool<'_> {
    /// Returns the longest time from a release of the cycle to its end, and the bound on a run that
    /// gives it.
    ///
    /// ```
    /// use hemiola_analysis::{Arrivals, Costs, TimeSpan, dag::{Dag, pool::{Above, Method, Pool}}};
    /// let ms = TimeSpan::milliseconds;
    /// let graph = Dag::new([20, 20].map(ms), []).unwrap();
    /// let arrivals = Arrivals::periodic(ms(90));
    /// let pool =
    ///     Pool { graph: &graph, priorities: None, makespan: None, kept: TimeSpan::ZERO, arrivals, workers: 2, allowed: 2, cores: 2, costs: Costs::default() };
    /// let motion = Above { work: ms(4), begins: 1, arrivals: Arrivals::periodic(ms(20)), latest_end: ms(4) };
    /// assert_eq!(pool.response_time(&[], ms(1000)), Ok((ms(20), Method::He2022)));
    /// assert_eq!(pool.response_time(&[motion], ms(1000)), Ok((ms(28), Method::He2022)));
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is more work than time, or no bound up to `horizon`.
    pub fn response_time(&self, above: &[Above], horizon: TimeSpan) -> Result<(TimeSpan, Method), NoBound> {
        let graph = self.dispatched();
        let (together, allowed) = (self.together() as u64, self.allowed() as u64);
        let shares = above.iter().map(|other| {
            let (own, others) = self.switches(other.begins);
            (own * allowed + (other.work + others) * together, other.arrivals.period)
        });
        let own = (graph.volume() * allowed, self.arrivals.period);
        check_utilisation(shares.chain([own]), (together * allowed) as f64)?;
        let graham = (self.by_graham(above, horizon), Method::Graham1969);
        // With one path, this is Graham's bound.
        let long_paths = he_2022::bounds(&graph, self.together(), self.hand_over()).skip(1);
        let long_paths = long_paths.map(|run| (self.by_long_paths(run, above, horizon), Method::He2022));
        let he = self.priorities.map(|priorities| (self.by_he(priorities, above, horizon), Method::He2019));
        let is_alone = above.is_empty() && (self.workers <= self.allowed() || self.idle(1) == TimeSpan::ZERO);
        let nasri = self.makespan.filter(|_| is_alone && self.kept() == TimeSpan::ZERO);
        let nasri = nasri.map(|run| (self.response(horizon, |runs, _| run * runs), Method::Nasri2019));
        let known = std::iter::once(graham).chain(long_paths).chain(he).chain(nasri);
        // Of equal bounds the first one counts, which assumes least.
        let smallest = known.min_by_key(|(bound, _)| bound.clone().unwrap_or(TimeSpan::MAX));
        smallest.map_or(Err(NoBound::BeyondHorizon { horizon }), |(bound, method)| Ok((bound?, method)))
    }

    /// Returns the longest time of a run that nothing preempts, by [`super::nasri_2019`]; `None` if
    /// nodes have no priorities, or if there are too many states to explore. `shortest` are the
    /// shortest times of its nodes.
    ///
    /// # Panics
    /// If there are fewer shortest times or priorities than nodes.
    pub fn makespan_alone(&self, shortest: &[TimeSpan]) -> Option<TimeSpan> {
        let (graph, priorities) = (&self.dispatched(), self.priorities?);
        let hand_over = self.costs.to_other_worker();
        nasri_2019::Problem { graph, shortest, priorities, workers: self.together(), hand_over }.makespan().ok()
    }

    /// Returns the number of cores that the cycle may use.
    fn allowed(&self) -> usize {
        self.allowed.clamp(1, self.cores.max(1))
    }

    /// Returns the number of threads that can run at the same time.
    fn together(&self) -> usize {
        self.workers.clamp(1, self.allowed())
    }

    fn kept(&self) -> TimeSpan {
        if self.workers > 1 { self.kept } else { TimeSpan::ZERO }
    }

    /// Returns how long the workers hold cores without work beside that many runs. The worker whose
    /// node is waited for is none of these.
    fn idle(&self, runs: u64) -> TimeSpan {
        if self.workers <= 1 {
            return TimeSpan::ZERO;
        }
        let workers = self.workers as u64;
        // The workers wake up early for the next run, too, and may sleep again each time.
        let early = if self.costs.earliness > TimeSpan::ZERO { (runs + 1) * workers } else { 0 };
        self.costs.spin * (self.graph.begins(self.workers) * runs + early) + self.costs.earliness * early
    }

    /// Returns the time by which both kinds of work delay the path, if `set_aside` workers do
    /// something else.
    fn shared(&self, own: TimeSpan, others: TimeSpan, set_aside: usize) -> TimeSpan {
        let (together, allowed) = (self.together() - set_aside, self.allowed() - set_aside);
        // The sum is rounded once, because rounding twice would make the search creep.
        (own * allowed as u64 + others * together as u64).shared_by(together * allowed)
    }

    /// Returns the time that the cycle takes longer if something of higher priority begins to run
    /// that often, and the time that others do.
    fn switches(&self, begins: u64) -> (TimeSpan, TimeSpan) {
        let together = self.together();
        (self.costs.of_switches(begins, together), self.costs.of_switches(begins, self.cores.max(together) - together))
    }

    /// Returns the graph with the cost of dispatching included.
    fn dispatched(&self) -> Dag {
        self.graph.with_costs(self.graph.costs().iter().map(|&cost| cost + self.costs.dispatch))
    }

    /// Returns the time until a node that is ready is seen by all threads.
    fn hand_over(&self) -> TimeSpan {
        if self.workers > 1 { self.costs.to_other_worker() } else { TimeSpan::ZERO }
    }

    fn by_graham(&self, above: &[Above], horizon: TimeSpan) -> Bound {
        let graph = self.dispatched();
        let handed_over = graph.with_costs(graph.costs().iter().map(|&cost| cost + self.hand_over()));
        let (length, volume) = (handed_over.length(), graph.volume());
        self.response(horizon, |runs, window| {
            let (others, begins) = self.within(above, window);
            let (own_switches, switches) = self.switches(begins);
            let own = volume * runs + own_switches;
            let path = own.min((length + self.kept()) * runs + self.costs.of_switches(begins, 1));
            path + self.shared(own - path, others + switches + self.idle(runs), 0)
        })
    }

    fn by_he(&self, priorities: &[usize], above: &[Above], horizon: TimeSpan) -> Bound {
        let (together, begun) = (self.together(), self.workers.max(1) - 1);
        let run = he_2019::longest_path(&self.dispatched(), priorities, together, begun, self.hand_over());
        self.response(horizon, |runs, window| {
            let (others, begins) = self.within(above, window);
            let (own_switches, switches) = self.switches(begins);
            let switches_of_path = self.costs.of_switches(begins, 1);
            let own = run * runs + (own_switches - switches_of_path);
            let path = self.kept() * runs + switches_of_path;
            path + self.shared(own, others + switches + self.idle(runs), 0)
        })
    }

    fn by_long_paths(&self, run: LongPaths, above: &[Above], horizon: TimeSpan) -> Bound {
        self.response(horizon, |runs, window| {
            let (others, begins) = self.within(above, window);
            let (own_switches, switches) = self.switches(begins);
            let path = (run.length + self.kept()) * runs + self.costs.of_switches(begins, 1);
            let own = run.rest * runs + own_switches;
            path + self.shared(own, others + switches + self.idle(runs), run.paths - 1)
        })
    }

    /// Returns the work of others within a window, and how often they begin to run.
    fn within(&self, above: &[Above], window: TimeSpan) -> (TimeSpan, u64) {
        let others = above.iter().map(|other| other.within(window, self.cores.max(1))).sum();
        (others, above.iter().map(|other| other.begins_within(window)).fold(0, u64::saturating_add))
    }

    /// Returns the longest time from a release to the end of its run, where `demand` returns the
    /// time that a number of runs in a row take if they end within a window.
    fn response(&self, horizon: TimeSpan, demand: impl Fn(u64, TimeSpan) -> TimeSpan) -> Bound {
        let Arrivals { period, jitter } = self.arrivals;
        let mut search = Search::below(horizon);
        let (mut worst, mut window) = (TimeSpan::ZERO, TimeSpan::ZERO);
        for runs in 1.. {
            window = search.covered(window, |window| demand(runs, window))?;
            // The q-th release comes no earlier than this.
            worst = worst.max(window - (period * (runs - 1) - jitter));
            if window + jitter <= period * runs {
                break;
            }
        }
        Ok(worst)
    }
}
