//! Constant bandwidth servers, as Linux has them for threads with a reservation.
//!
//! - **Wake-up.** A thread that begins to have work gets a full budget and a new deadline, if what
//!   is left of its budget is too much for the time to its deadline, or that has passed.
//! - **Stop.** A thread that has used up its budget may run on for a while, from one job to the
//!   next; then, or when it has no work, it is stopped until its deadline, which is noticed late.
//!   Then deadlines and budgets follow, until what it has run too long is made up for.
//!
//! Source: Abeni and Buttazzo, RTSS 1998; `Documentation/scheduler/sched-deadline.rst` of Linux.

use super::draws::Draws;
use hemiola_analysis::system::Reservation;
use hemiola_analysis::{Costs, TimeSpan};

/// The server of a thread.
#[derive(Debug)]
pub(super) struct Server {
    reservation: Reservation,
    /// The rest of the budget.
    left: TimeSpan,
    /// The time for which the thread has run on without a budget.
    overrun: TimeSpan,
    /// The time for which it may run on this time.
    tolerated: TimeSpan,
    pub(super) deadline: TimeSpan,
    /// The time at which it gets its next budget, while it is stopped.
    stopped_until: Option<TimeSpan>,
    has_work: bool,
}

impl Server {
    pub(super) fn new(reservation: Reservation) -> Self {
        Self {
            reservation,
            left: TimeSpan::ZERO,
            overrun: TimeSpan::ZERO,
            tolerated: TimeSpan::ZERO,
            deadline: TimeSpan::ZERO,
            stopped_until: None,
            has_work: false,
        }
    }

    /// Notes whether the thread has work from now on, and gives it a budget if one is due.
    pub(super) fn replenish(&mut self, has_work: bool, now: TimeSpan, costs: &Costs, draws: &mut Draws) {
        if self.stopped_until.is_some_and(|until| until <= now) {
            self.stopped_until = None;
            while self.left <= self.overrun {
                self.left += self.reservation.budget;
                self.deadline += self.reservation.period;
            }
            self.left = self.left - self.overrun;
            self.overrun = TimeSpan::ZERO;
            self.tolerated = draws.upto(costs.budget_overrun);
        }
        let had_work = std::mem::replace(&mut self.has_work, has_work);
        if had_work && !has_work && self.left == TimeSpan::ZERO && self.stopped_until.is_none() {
            self.stop(costs, draws);
        }
        if has_work && !had_work && self.stopped_until.is_none() && self.is_too_much(now) {
            self.left = self.reservation.budget;
            self.deadline = now + self.reservation.period;
            self.tolerated = draws.upto(costs.budget_overrun);
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped_until.is_some()
    }

    /// Returns whether what is left until the deadline is a larger share than was reserved.
    fn is_too_much(&self, now: TimeSpan) -> bool {
        let product =
            |one: TimeSpan, other: TimeSpan| u128::from(one.as_nanoseconds()) * u128::from(other.as_nanoseconds());
        let Reservation { budget, period } = self.reservation;
        self.deadline <= now || product(self.left, period) > product(self.deadline - now, budget)
    }

    /// Notes for how long the thread has run. When it has run on for too long without a budget, it
    /// is stopped.
    pub(super) fn ran(&mut self, passed: TimeSpan, costs: &Costs, draws: &mut Draws) {
        self.overrun += passed - self.left;
        self.left = self.left - passed;
        if self.left == TimeSpan::ZERO && self.overrun >= self.tolerated {
            self.stop(costs, draws);
        }
    }

    fn stop(&mut self, costs: &Costs, draws: &mut Draws) {
        self.stopped_until = Some(self.deadline + draws.upto(costs.timer_lateness));
    }

    /// Returns how long the thread may run from now on.
    pub(super) fn time_left(&self) -> TimeSpan {
        self.left + (self.tolerated - self.overrun)
    }

    /// Returns when the thread gets its next budget, if it is stopped.
    pub(super) fn next_event(&self) -> Option<TimeSpan> {
        self.stopped_until
    }
}
