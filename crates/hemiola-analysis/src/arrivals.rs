use serde::{Deserialize, Serialize};

use crate::TimeSpan;

/// The releases of a task: one per period, each late by up to the jitter. The period of a sporadic
/// task is the shortest distance between two releases.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// let ns = TimeSpan::nanoseconds;
/// let camera = Arrivals::periodic(ns(10)).late_by(ns(3));
/// // The latest of one period, and the punctual one of the next: two within 8.
/// assert_eq!(camera.within(ns(7)), 1);
/// assert_eq!(camera.within(ns(8)), 2);
/// assert_eq!(camera.within(ns(0)), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// The distance between two arrivals that are on time.
    pub period: TimeSpan,
    /// The longest time by which an arrival can be late.
    pub jitter: TimeSpan,
}

impl Arrivals {
    /// Describes arrivals that come on time once per period.
    pub const fn periodic(period: TimeSpan) -> Self {
        Self { period, jitter: TimeSpan::ZERO }
    }

    /// Adds jitter to these arrivals.
    pub const fn late_by(self, jitter: TimeSpan) -> Self {
        Self { jitter, ..self }
    }

    /// Returns the largest number of arrivals in any half-open window of this length.
    pub fn within(&self, window: TimeSpan) -> u64 {
        if window == TimeSpan::ZERO { 0 } else { (window + self.jitter).jobs_of(self.period) }
    }

    /// Returns the distances from the first arrival of a burst at which [`Arrivals::within`] grows,
    /// below `end`: the points that an analysis has to check.
    pub fn offsets(&self, end: TimeSpan) -> impl Iterator<Item = TimeSpan> + use<> {
        let Self { period, jitter } = *self;
        let first_later = jitter.whole(period).0 + 1;
        let later = (first_later..).map(move |number| period * number - jitter);
        std::iter::once(TimeSpan::ZERO).chain(later).take_while(move |&offset| offset < end && offset < TimeSpan::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_where_the_number_of_arrivals_grows() {
        let ns = TimeSpan::nanoseconds;
        for jitter in [0, 3, 10, 23] {
            let arrivals = Arrivals::periodic(ns(10)).late_by(ns(jitter));
            let grows: Vec<TimeSpan> = (0..50)
                .map(ns)
                .filter(|&offset| arrivals.within(offset) < arrivals.within(offset + TimeSpan::TICK))
                .collect();
            assert_eq!(arrivals.offsets(ns(50)).collect::<Vec<_>>(), grows, "jitter {jitter}");
        }
    }
}
