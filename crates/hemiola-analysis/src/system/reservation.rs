//! Processor time that the kernel reserves for a thread.
//!
//! - **Model.** Linux' `SCHED_DEADLINE`: a constant bandwidth server for each thread, scheduled
//!   before all priorities, earliest deadline first on all m cores together. A thread with a
//!   reservation gets a budget Q in every period P while it has work, and is stopped when that is
//!   used up; it may then have run longer by the overrun V, which the kernel takes off the budgets
//!   that follow. A budget is replenished late by L, as timers are.
//! - **Formula.** Budgets are given in time if, with the density `d = (Q + V) / (P - L)` of each
//!   reservation, `sum of d <= (1 - r) m - (m - 1) max d`. Then a thread with work gets what
//!   [`Supply`] says of Q and P, after V.
//! - **Why it holds.** In any window in which k budgets have their periods, a server runs for at
//!   most `k Q + V`, which is no more than k jobs of `Q + V`; so each budget is given within its
//!   period if jobs of that size meet their deadlines. That is so under the condition for sporadic
//!   tasks by Goossens, Funk and Baruah, with densities for periods that begin late. The share r
//!   of each core that the kernel keeps for threads without a real-time policy is m more servers.
//!   What a thread has overrun is at most V, and it lacks no more than that in any window.
//! - **Source.** Abeni and Buttazzo, RTSS 1998 (the server); Goossens, Funk and Baruah, *Priority-
//!   driven scheduling of periodic task systems on multiprocessors*, Real-Time Systems 25, 2003;
//!   Shin and Lee, RTSS 2003 (the supply); Casini, Blass, Lütkebohle and Brandenburg, ECRTS 2019
//!   (executors on it). The overrun is ours.

use serde::Deserialize;

use super::System;
use crate::time::text;
use crate::{Costs, NoBound, Supply, TimeSpan};

/// A budget of processor time in every period, which the kernel reserves for a thread
/// (`SCHED_DEADLINE` on Linux).
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Reservation};
/// let ms = TimeSpan::milliseconds;
/// let reservation = Reservation { budget: ms(2), period: ms(10) };
/// assert_eq!(reservation.share(), 0.2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// The processor time of every period.
    #[serde(deserialize_with = "text::deserialize")]
    pub budget: TimeSpan,
    /// The period, by whose end its budget has been given.
    #[serde(deserialize_with = "text::deserialize")]
    pub period: TimeSpan,
}

impl Reservation {
    /// The shortest budget that Linux accepts.
    pub const SHORTEST_BUDGET: TimeSpan = TimeSpan::nanoseconds(1024);
    /// The shortest period that Linux accepts by default.
    pub const SHORTEST_PERIOD: TimeSpan = TimeSpan::microseconds(100);
    /// The longest period that Linux accepts by default.
    pub const LONGEST_PERIOD: TimeSpan = TimeSpan::microseconds(1 << 22);
    /// The share of each core that Linux gives to reservations and real-time priorities by default.
    pub const GIVEN: f64 = 0.95;

    /// Returns the share of a core that is reserved.
    pub fn share(self) -> f64 {
        self.supply().share()
    }

    /// Returns the processor time that the thread is sure to get while it has work.
    pub(crate) fn supply(self) -> Supply {
        Supply::Reservation { budget: self.budget, period: self.period, deadline: self.period }
    }

    /// Returns the share of a core that jobs need whose deadlines are met only if the budgets are
    /// given in time.
    fn density(self, costs: Costs) -> f64 {
        let nanoseconds = |time: TimeSpan| time.as_nanoseconds() as f64;
        nanoseconds(self.budget + costs.budget_overrun) / nanoseconds(self.period - costs.timer_lateness)
    }
}

impl System {
    /// Returns whether the budgets of all reservations are given in time.
    ///
    /// # Errors
    /// Returns [`NoBound::Reservations`] if that is not sure.
    pub(crate) fn are_reservations_given(&self) -> Result<(), NoBound> {
        let reservations = self.executors.iter().filter_map(|executor| executor.reservation);
        let densities: Vec<f64> = reservations.map(|it| it.density(self.costs)).collect();
        let (needed, largest) = (densities.iter().sum::<f64>(), densities.iter().copied().fold(0.0, f64::max));
        let cores = self.cores as f64;
        let sure = (cores * Reservation::GIVEN - (cores - 1.0) * largest).max(0.0);
        let percent = |share: f64| (share * 100.0).round() as u64;
        if needed <= sure * (1.0 + 1e-12) {
            Ok(())
        } else {
            Err(NoBound::Reservations { needed: percent(needed), sure: percent(sure) })
        }
    }
}
