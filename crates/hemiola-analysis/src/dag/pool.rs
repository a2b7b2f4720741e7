//! How long a cycle takes on its pool, beside everything more important: Hemiola's own bound.
//!
//! - **Model.** A cycle has w threads of one real-time priority that may run on any of m cores. Free threads take ready nodes; nodes
//!   are not interrupted by others of the cycle, but threads by whatever has a higher (or the same) priority. A run begins when
//!   the one before has ended; of several releases that came meanwhile only the latest counts.
//! - **Formula.** With `k = min(w, m)`, for q = 1, 2, ... runs in a row, the least
//!   `t = q len + (q (vol - len) + sum of W_h(t)) / k`, rounded up; the bound is `max t - max(0, (q - 1) T - J)`, until `t <= q T - J`. W_h is what
//!   another cycle can do within t (as in [`super::melani_2015`]) or jobs with jitter.
//! - **Why it holds.** Whenever the node that ends last, or the one before it on its path, is ready and does not run, either
//!   all w threads run other nodes of the cycle, or a thread of it is kept waiting and so all m cores run something else: at least
//!   k units of other work are done per unit of time. Whenever it runs, its path gets shorter. What is replaced only takes
//!   work away.
//! - **Costs.** *Dispatch*: nodes take that much longer. *Hand-over*: a node of the path is seen at once by the thread that made it
//!   ready, and by the others after at most h. Until then that thread may be alone at work, with other nodes of the run (else it
//!   would take this one): such waiting is at most h per node of the path, and together at most the run's other work. So len is
//!   the longest path with h added to every node, and never more than vol. *Preemption*: A(t) times within t something more
//!   important begins to run; each time, what is interrupted takes p longer, once per core ([`Costs`]): `A(t) p` of it
//!   on the path, `A(t) m p` of it altogether.
//! - **Complexity.** Pseudo-polynomial.

use crate::bound::{Search, check_utilisation};
use crate::dag::Dag;
use crate::{Arrivals, Bound, Costs, Time};

/// A cycle and the computer that it runs on.
///
/// ```
/// use hemiola_analysis::{Arrivals, Costs, Time, dag::{Dag, pool::Pool}};
/// let ms = Time::milliseconds;
/// let graph = Dag::new([2, 3, 4].map(ms), [(0, 1), (0, 2)]).unwrap();
/// let costs = Costs { hand_over: Time::microseconds(100), ..Costs::default() };
/// let pool = Pool { graph: &graph, arrivals: Arrivals::periodic(ms(12)), workers: 2, cores: 4, costs };
/// assert_eq!(pool.response_time(&[], ms(1000)), Ok(Time::microseconds(7600)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pool<'g> {
    /// What it does.
    pub graph: &'g Dag,
    /// When it is released.
    pub arrivals: Arrivals,
    /// How many threads it has.
    pub workers: usize,
    /// How many cores there are.
    pub cores: usize,
    /// What the computer takes for itself. From a release to its begin, [`Pool::response_time`] knows of no delay: lateness of what
    /// releases it is jitter of `arrivals`, and to be added.
    pub costs: Costs,
}

/// Something more important that uses the same cores.
///
/// ```
/// use hemiola_analysis::{Arrivals, Time, dag::pool::Above};
/// let ms = Time::milliseconds;
/// let above = Above { work: ms(4), begins: 1, arrivals: Arrivals::periodic(ms(12)), latest_end: ms(3) };
/// // One is still there at the beginning because it ends late, and the next one is there at the end.
/// assert_eq!(above.within(ms(13), 2), ms(8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Above {
    /// All that it does each time.
    pub work: Time,
    /// How often a thread of it can begin to run, each time.
    pub begins: u64,
    /// When it is released.
    pub arrivals: Arrivals,
    /// From its release to its end, at most.
    pub latest_end: Time,
}

impl Above {
    /// The most that it can do within a window of this length on that many cores.
    pub fn within(&self, window: Time, cores: usize) -> Time {
        // The run before began as late, and ended as late, as it could, on all cores.
        let carried = self.arrivals.jitter + self.latest_end - self.work.shared_by(cores);
        let (runs, rest) = (window + carried).whole(self.arrivals.period);
        self.work * runs + self.work.min(rest * cores as u64 + Time::nanoseconds(cores as u64))
    }

    /// How often threads of it can begin to run within a window of this length.
    fn begins_within(&self, window: Time) -> u64 {
        let releases = self.arrivals.late_by(self.arrivals.jitter + self.latest_end).within(window);
        self.begins.saturating_mul(releases)
    }
}

impl Pool<'_> {
    /// The longest from a release of the cycle to its end.
    ///
    /// ```
    /// use hemiola_analysis::{Arrivals, Costs, Time, dag::{Dag, pool::{Above, Pool}}};
    /// let ms = Time::milliseconds;
    /// let graph = Dag::new([20, 20].map(ms), []).unwrap();
    /// let pool = Pool { graph: &graph, arrivals: Arrivals::periodic(ms(90)), workers: 2, cores: 2, costs: Costs::default() };
    /// let motion = Above { work: ms(4), begins: 1, arrivals: Arrivals::periodic(ms(20)), latest_end: ms(4) };
    /// assert_eq!(pool.response_time(&[], ms(1000)), Ok(ms(30)));
    /// assert_eq!(pool.response_time(&[motion], ms(1000)), Ok(ms(34)));
    /// ```
    ///
    /// # Errors
    /// Where there is more work than time, or no bound up to `horizon`.
    pub fn response_time(&self, above: &[Above], horizon: Time) -> Bound {
        let Self { arrivals, cores, costs, .. } = *self;
        let cores = cores.max(1);
        let together = self.workers.clamp(1, cores);
        let (length, volume) = self.length_and_volume();
        let shares = above.iter().map(|other| {
            let interrupts = costs.of_switches(other.begins, cores);
            (other.work + interrupts, other.arrivals.period)
        });
        check_utilisation(shares.chain([(volume, arrivals.period)]), together as f64)?;
        let mut search = Search::below(horizon);
        let (mut worst, mut window) = (Time::ZERO, Time::ZERO);
        for runs in 1.. {
            window = search.fixed_point(window, |window| {
                let others = above.iter().map(|other| other.within(window, cores)).sum::<Time>();
                let begins = above.iter().map(|other| other.begins_within(window)).fold(0, u64::saturating_add);
                let work = volume * runs + costs.of_switches(begins, cores);
                let path = work.min(length * runs + costs.of_switches(begins, 1));
                path + (work - path + others).shared_by(together)
            })?;
            // The q-th release comes no earlier than this.
            let released = arrivals.period * (runs - 1) - arrivals.jitter;
            worst = worst.max(window - released);
            if window + arrivals.jitter <= arrivals.period * runs {
                return Ok(worst);
            }
        }
        Ok(worst)
    }

    /// The longest path, with a hand-over to each of its nodes, and the work of all nodes.
    fn length_and_volume(&self) -> (Time, Time) {
        let with = |more: Time| self.graph.with_costs(self.graph.costs().iter().map(|&cost| cost + more));
        let graph = with(self.costs.dispatch);
        if self.workers <= 1 {
            return (graph.length(), graph.volume());
        }
        let handed_over = with(self.costs.dispatch + self.costs.to_other_worker());
        (handed_over.length(), graph.volume())
    }
}
