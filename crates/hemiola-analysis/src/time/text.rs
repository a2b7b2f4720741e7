//! Times as people write them.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serializer};
use thiserror::Error;

use crate::TimeSpan;

/// Reads a time for serde's `with`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TimeSpan, D::Error> {
    parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Writes a time for serde's `with`.
pub(crate) fn serialize<S: Serializer>(time: &TimeSpan, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

const UNITS: [(&str, u64); 5] = [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
/// The longest time that is accepted: sums of such times do not overflow.
const LONGEST: TimeSpan = TimeSpan::nanoseconds(24 * 3600 * 1_000_000_000);

/// The reason why a text is not a time or a range of times.
///
/// ```
/// use hemiola_analysis::system::Span;
///
/// let error = "3 ms .. 2 ms".parse::<Span>().unwrap_err();
/// assert_eq!(error.to_string(), "`3 ms .. 2 ms` has the longer time first: write `2 ms .. 3 ms`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TimeError {
    /// The text has no number.
    #[error("`{text}` is not a time: write a number with a unit, such as `2.5 ms`")]
    NoTime {
        /// The text.
        text: String,
    },
    /// The number has no unit.
    #[error("`{text}` needs a unit: ns, us, ms or s")]
    NoUnit {
        /// The text.
        text: String,
    },
    /// The text before the unit is not a number.
    #[error("`{text}` is not a time: `{number}` is not a number")]
    NoNumber {
        /// The text.
        text: String,
        /// The text that should be a number.
        number: String,
    },
    /// The time is longer than anything that a robot waits for.
    #[error("`{text}` is more than a day")]
    TooLong {
        /// The text.
        text: String,
    },
    /// The shortest time is longer than the longest.
    #[error("`{text}` has the longer time first: write `{longest} .. {shortest}`")]
    Reversed {
        /// The text.
        text: String,
        /// The time that was written first.
        shortest: TimeSpan,
        /// The time that was written last.
        longest: TimeSpan,
    },
}

/// Parses a time. Digits after the point count exactly: no floating point is involved.
pub(crate) fn parse(text: &str) -> Result<TimeSpan, TimeError> {
    let text = text.trim();
    let owned = || text.to_owned();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    if number.is_empty() {
        return Err(TimeError::NoTime { text: owned() });
    }
    let Some(&(_, nanoseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(TimeError::NoUnit { text: owned() });
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    // The digits after the ninth are less than a nanosecond.
    let fraction = fraction.get(..9).unwrap_or(fraction);
    let parts =
        digits(fraction).map(|parts| u128::from(parts) * u128::from(nanoseconds) / 10u128.pow(fraction.len() as u32));
    let (Some(whole), Some(parts)) = (digits(whole), parts) else {
        return Err(TimeError::NoNumber { text: owned(), number: number.to_owned() });
    };
    let time = TimeSpan::nanoseconds(nanoseconds) * whole + TimeSpan::nanoseconds(parts as u64);
    if time > LONGEST { Err(TimeError::TooLong { text: owned() }) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_exactly_or_refused_with_a_remedy() {
        assert_eq!(parse("12 ms"), Ok(TimeSpan::milliseconds(12)));
        assert_eq!(parse("0.123456789s"), Ok(TimeSpan::nanoseconds(123_456_789)));
        assert_eq!(parse("1.5µs"), Ok(TimeSpan::nanoseconds(1_500)));
        for wrong in ["", "ms", "12", "12 days", "-3 ms", "1.2.3 ms", "99999999999999999999 s", "90000 s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
