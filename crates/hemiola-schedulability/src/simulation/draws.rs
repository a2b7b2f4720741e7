//! Durations that are drawn.

use super::{Durations, Random};
use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::Span;

#[derive(Debug)]
pub(super) struct Draws {
    pub(super) durations: Durations,
    pub(super) random: Random,
}

impl Draws {
    pub(super) fn within(&mut self, takes: Span) -> TimeSpan {
        match self.durations {
            _ if takes.shortest == takes.longest => takes.longest,
            Durations::Longest => takes.longest,
            Durations::Uniform => self.random.time(takes.shortest, takes.longest),
            Durations::Extremes if self.random.once_in(2) => takes.shortest,
            Durations::Extremes => takes.longest,
        }
    }

    /// Draws a cost of the computer itself, from zero up to `cost`.
    pub(super) fn upto(&mut self, cost: TimeSpan) -> TimeSpan {
        self.within(Span::upto(cost))
    }
}
