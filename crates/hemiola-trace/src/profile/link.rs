//! The measurements of links to other programs.

use super::Measured;
use serde::{Deserialize, Serialize};

/// The measurements of a link that transports values of one representation, on the robot's own
/// threads in real time.
///
/// ```
/// use hemiola_trace::{Distribution, LinkProfile};
///
/// let mut delay = Distribution::new();
/// delay.record(190_000);
/// let mut image = LinkProfile { delay: delay.into(), clock_error: 12_000 };
/// image.merge(&LinkProfile { clock_error: 9_000, ..LinkProfile::default() });
/// assert_eq!((image.delay.maximum(), image.clock_error), (190_000, 12_000));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkProfile {
    /// The times from the end of the run or sample that provided a value in the other program to
    /// its delivery to its source here. The error of the other program's clock is added, so that no
    /// value took longer; and the time counts from the first of the values that this one replaced
    /// on the way.
    pub delay: Measured,
    /// The maximum error of the other program's clock, in nanoseconds: the stamps of received
    /// values may be wrong by that.
    pub clock_error: u64,
}

impl LinkProfile {
    /// Adds the measurements of another run.
    pub fn merge(&mut self, other: &Self) {
        self.delay.merge(&other.delay);
        self.clock_error = self.clock_error.max(other.clock_error);
    }
}
