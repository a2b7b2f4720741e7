use std::collections::VecDeque;

use super::draws::Draws;
use super::{Model, Observer, Released};
use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::Span;

/// A link that carries the values of a callback or cycle to another process, in order.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Span};
/// use hemiola_schedulability::simulation::{Link, Released, Sender};
/// // A value of the first cycle triggers the second one, which runs in another process.
/// let takes = Span { shortest: TimeSpan::microseconds(20), longest: TimeSpan::microseconds(300) };
/// let link = Link { from: Sender::Cycle(0), takes, releases: vec![Released::Cycle(1)] };
/// assert_eq!(link.releases.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The callback or cycle that sends a value whenever it ends.
    pub from: Sender,
    /// The time that a value takes.
    pub takes: Span,
    /// The jobs that are released when a value is delivered.
    pub releases: Vec<Released>,
}

/// A sender of values over a link.
///
/// See [`Link`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A callback of the model.
    Callback(usize),
    /// A cycle of the model.
    Cycle(usize),
}

/// The values that are on their way.
pub(super) struct Traffic {
    /// The times at which values arrive, for each link.
    arrivals: Vec<VecDeque<TimeSpan>>,
}

impl Traffic {
    pub(super) fn new(model: &Model) -> Self {
        Self { arrivals: vec![VecDeque::new(); model.links.len()] }
    }

    /// Sends a value over all links of a sender that has ended.
    pub(super) fn send(
        &mut self,
        from: Sender,
        (model, now): (&Model, TimeSpan),
        draws: &mut Draws,
        observer: &mut impl Observer,
    ) {
        for (number, link) in model.links.iter().enumerate().filter(|(_, link)| link.from == from) {
            let arrivals = &mut self.arrivals[number];
            let before = arrivals.back().copied().unwrap_or(TimeSpan::ZERO);
            arrivals.push_back((now + draws.within(link.takes)).max(before));
            observer.sent(number, now);
        }
    }

    /// Delivers a value that has arrived by `now`, and returns its link.
    pub(super) fn deliver(&mut self, now: TimeSpan, observer: &mut impl Observer) -> Option<usize> {
        let has_arrived = |arrivals: &VecDeque<TimeSpan>| arrivals.front().is_some_and(|&arrival| arrival <= now);
        let link = self.arrivals.iter().position(has_arrived)?;
        self.arrivals[link].pop_front();
        observer.delivered(link, now);
        Some(link)
    }

    /// Returns the times at which each link delivers its next value.
    pub(super) fn next_event(&self) -> impl Iterator<Item = TimeSpan> {
        self.arrivals.iter().filter_map(|arrivals| arrivals.front().copied())
    }
}
