use std::fmt::{self, Display};

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use super::Begin;
use crate::Time;

/// From the shortest to the longest that something runs, undisturbed: `"2 ms"` if only the longest is known, else
/// `"1.5 ms .. 2 ms"`.
///
/// ```
/// use hemiola_analysis::{Time, system::Span};
/// let span: Span = "1.5 ms .. 2 ms".parse().unwrap();
/// assert_eq!(span, Span { shortest: Time::microseconds(1500), longest: Time::milliseconds(2) });
/// assert_eq!(span.to_string(), "1.5 ms .. 2 ms");
/// assert_eq!("2".parse::<Span>().unwrap_err(), "`2` needs a unit: ns, us, ms or s");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The shortest.
    pub shortest: Time,
    /// The longest.
    pub longest: Time,
}

impl Span {
    /// Nothing is known but the longest.
    pub const fn upto(longest: Time) -> Self {
        Self { shortest: Time::ZERO, longest }
    }
}

impl Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shortest {
            Time::ZERO => write!(formatter, "{}", self.longest),
            shortest => write!(formatter, "{shortest} .. {}", self.longest),
        }
    }
}

impl std::str::FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let span = match text.split_once("..") {
            None => Self::upto(parse(text)?),
            Some((shortest, longest)) => Self { shortest: parse(shortest)?, longest: parse(longest)? },
        };
        if span.shortest > span.longest {
            return Err(format!("`{text}` begins with the longer time: write `{} .. {}`", span.longest, span.shortest));
        }
        Ok(span)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Times as text, for serde's `with`.
pub(crate) mod time {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }

    pub(crate) fn serialize<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(time)
    }
}

pub(super) fn optional_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    time::deserialize(deserializer).map(Some)
}

/// A time, or `none`.
pub(super) fn deadline<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let deadline = if text == NO_DEADLINE { Ok(Time::MAX) } else { parse(&text) };
    deadline.map(Some).map_err(D::Error::custom)
}

/// What a chain says that may be done at any time.
pub(super) const NO_DEADLINE: &str = "none";

/// A [`super::Begin`] as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBegin {
    #[serde(default, deserialize_with = "optional_time")]
    every: Option<Time>,
    #[serde(default, deserialize_with = "optional_time")]
    offset: Option<Time>,
    after: Option<String>,
}

impl TryFrom<WrittenBegin> for Begin {
    type Error = String;

    fn try_from(WrittenBegin { every, offset, after }: WrittenBegin) -> Result<Self, String> {
        match (every, offset, after) {
            (Some(period), offset, None) => Ok(Self::Every { period, offset }),
            (None, None, Some(name)) => Ok(Self::After(name)),
            (None, Some(_), _) => Err("an `offset` goes with a period: write it beside `every`".to_owned()),
            _ => Err("write either `every` with a time or `after` with a name".to_owned()),
        }
    }
}

const UNITS: [(&str, u64); 5] = [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
/// Longer makes no sense, and sums of such times do not overflow.
const LONGEST: Time = Time::nanoseconds(24 * 3600 * 1_000_000_000);

/// Digits after the point count exactly: no floating point is involved.
fn parse(text: &str) -> Result<Time, String> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    if number.is_empty() {
        return Err(format!("`{text}` is no time: write a number with a unit, such as `2.5 ms`"));
    }
    let Some(&(_, nanoseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(format!("`{text}` needs a unit: ns, us, ms or s"));
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    // More than nine digits after the point are less than a nanosecond.
    let fraction = fraction.get(..9).unwrap_or(fraction);
    let parts =
        digits(fraction).map(|parts| u128::from(parts) * u128::from(nanoseconds) / 10u128.pow(fraction.len() as u32));
    let (Some(whole), Some(parts)) = (digits(whole), parts) else {
        return Err(format!("`{text}` is no time: `{number}` is no number"));
    };
    let time = Time::nanoseconds(nanoseconds) * whole + Time::nanoseconds(parts as u64);
    if time > LONGEST { Err(format!("`{text}` is more than a day")) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_exactly_or_refused_with_a_remedy() {
        assert_eq!(parse("12 ms"), Ok(Time::milliseconds(12)));
        assert_eq!(parse("0.123456789s"), Ok(Time::nanoseconds(123_456_789)));
        assert_eq!(parse("1.5µs"), Ok(Time::nanoseconds(1_500)));
        for wrong in ["", "ms", "12", "12 days", "-3 ms", "1.2.3 ms", "99999999999999999999 s", "90000 s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for nanoseconds in [1, 999, 1_000, 1_500_000, 123_456_789, 80_000_000_000] {
            let span = Span { shortest: Time::nanoseconds(nanoseconds / 3), longest: Time::nanoseconds(nanoseconds) };
            assert_eq!(span.to_string().parse(), Ok(span));
        }
    }
}
