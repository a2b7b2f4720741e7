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
//! - **Complexity.** Pseudo-polynomial.

use crate::bound::{Search, check_utilisation};
use crate::dag::Dag;
use crate::{Arrivals, Bound, Time};

/// Something more important that uses the same cores.
///
/// ```
/// use hemiola_analysis::{Arrivals, Time, dag::pool::Above};
/// let ms = Time::milliseconds;
/// let above = Above { work: ms(4), arrivals: Arrivals::periodic(ms(12)), latest_end: ms(3) };
/// // One is still there at the beginning because it ends late, and the next one is there at the end.
/// assert_eq!(above.within(ms(13), 2), ms(8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Above {
    /// All that it does each time.
    pub work: Time,
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
}

/// The longest from a release of the cycle to its end.
///
/// ```
/// use hemiola_analysis::{Arrivals, Time, dag::{Dag, pool}};
/// let ms = Time::milliseconds;
/// let graph = Dag::new([2, 3, 4].map(ms), [(0, 1), (0, 2)]).unwrap();
/// let bound = pool::response_time(&graph, Arrivals::periodic(ms(12)), 2, 4, &[], ms(1000));
/// assert_eq!(bound, Ok(Time::microseconds(7500)));
/// ```
///
/// # Errors
/// Where there is more work than time, or no bound up to `horizon`.
pub fn response_time(
    graph: &Dag,
    arrivals: Arrivals,
    workers: usize,
    cores: usize,
    above: &[Above],
    horizon: Time,
) -> Bound {
    let cores = cores.max(1);
    let together = workers.clamp(1, cores);
    let (length, volume) = (graph.length(), graph.volume());
    let shares = above.iter().map(|other| (other.work, other.arrivals.period)).chain([(volume, arrivals.period)]);
    check_utilisation(shares, together as f64)?;
    let mut search = Search::below(horizon);
    let (mut worst, mut window) = (Time::ZERO, Time::ZERO);
    for runs in 1.. {
        let own = (volume - length) * runs;
        window = search.fixed_point(window.max(length * runs), |window| {
            let others = above.iter().map(|other| other.within(window, cores)).sum::<Time>();
            length * runs + (own + others).shared_by(together)
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
