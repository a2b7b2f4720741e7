pub(crate) mod text;

use std::fmt::{self, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A span of time in whole nanoseconds, with saturating arithmetic that never panics.
///
/// Sums and products saturate at [`TimeSpan::MAX`] (584 years), which is above every horizon: what
/// would overflow is reported as a bound that was not found. Differences saturate at zero.
///
/// ```
/// use std::time::Duration;
/// use hemiola_analysis::TimeSpan;
///
/// let period = TimeSpan::from(Duration::from_millis(12));
/// assert_eq!(TimeSpan::nanoseconds(30_000_000).jobs_of(period), 3); // ceil(30 / 12)
/// assert_eq!((period * 2 - TimeSpan::nanoseconds(1)).to_string(), "23.999999 ms");
/// assert_eq!(TimeSpan::MAX + period, TimeSpan::MAX);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimeSpan(u64);

impl TimeSpan {
    /// The empty span.
    pub const ZERO: Self = Self(0);
    /// The smallest step, a nanosecond: "just after" in formulas over whole numbers.
    pub const TICK: Self = Self(1);
    /// The longest span, which stands for never.
    pub const MAX: Self = Self(u64::MAX);

    /// Creates a span from nanoseconds.
    pub const fn nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// Creates a span from microseconds.
    pub const fn microseconds(microseconds: u64) -> Self {
        Self(microseconds.saturating_mul(1_000))
    }

    /// Creates a span from milliseconds.
    pub const fn milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds.saturating_mul(1_000_000))
    }

    /// Returns the number of nanoseconds.
    pub const fn as_nanoseconds(self) -> u64 {
        self.0
    }

    /// Returns the number of jobs of a task with this `period` that begin in a window of this
    /// length that starts with one: the quotient rounded up. If the period is zero, it is the
    /// largest number there is.
    pub const fn jobs_of(self, period: Self) -> u64 {
        match (self.0, period.0) {
            (0, _) => 0,
            (_, 0) => u64::MAX,
            (window, period) => window.div_ceil(period),
        }
    }

    /// Returns how often `other` fits into the span completely, and what is left; all is left if
    /// `other` is zero.
    pub const fn whole(self, other: Self) -> (u64, Self) {
        match other.0 {
            0 => (0, self),
            other => (self.0 / other, Self(self.0 % other)),
        }
    }

    /// Returns the span divided among `workers`, rounded up; 0 workers count as 1.
    pub fn shared_by(self, workers: usize) -> Self {
        Self(self.0.div_ceil((workers as u64).max(1)))
    }
}

impl From<Duration> for TimeSpan {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<TimeSpan> for Duration {
    fn from(time: TimeSpan) -> Self {
        Self::from_nanos(time.0)
    }
}

impl Add for TimeSpan {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TimeSpan {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for TimeSpan {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for TimeSpan {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Sum for TimeSpan {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Self::add)
    }
}

/// Formats the exact number, to the nanosecond, in the largest unit that keeps it at least 1:
/// `1.5 ms`, `80 ms`, `250 ns`.
impl Display for TimeSpan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "µs"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let digits = (unit as f64).log10() as usize;
        let fraction = format!("{:0digits$}", self.0 % unit);
        let text = match fraction.trim_end_matches('0') {
            "" => format!("{} {name}", self.0 / unit),
            fraction => format!("{}.{fraction} {name}", self.0 / unit),
        };
        formatter.pad(&text)
    }
}

impl fmt::Debug for TimeSpan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_to_the_nanosecond_without_superfluous_digits() {
        let shown = [0, 999, 1_500, 80_000_000, 12_000_001, 2_000_000_000].map(|time| TimeSpan(time).to_string());
        assert_eq!(shown, ["0 ns", "999 ns", "1.5 µs", "80 ms", "12.000001 ms", "2 s"]);
    }

    #[test]
    fn nothing_overflows() {
        assert_eq!(TimeSpan::MAX * 3 + TimeSpan::TICK, TimeSpan::MAX);
        assert_eq!(TimeSpan::TICK - TimeSpan::MAX, TimeSpan::ZERO);
        assert_eq!(TimeSpan::TICK.jobs_of(TimeSpan::ZERO), u64::MAX);
        assert_eq!(TimeSpan::TICK.whole(TimeSpan::ZERO), (0, TimeSpan::TICK));
    }
}
