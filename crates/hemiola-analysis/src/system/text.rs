use std::fmt::{self, Display};

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use super::Begin;
use crate::TimeSpan;
use crate::time::text::{self, TimeError, parse};

/// The range of execution times without interference: `"2 ms"` if only the longest is known, else
/// `"1.5 ms .. 2 ms"`.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Span};
/// let span: Span = "1.5 ms .. 2 ms".parse().unwrap();
/// assert_eq!(span, Span { shortest: TimeSpan::microseconds(1500), longest: TimeSpan::milliseconds(2) });
/// assert_eq!(span.to_string(), "1.5 ms .. 2 ms");
/// assert_eq!("2".parse::<Span>().unwrap_err().to_string(), "`2` needs a unit: ns, us, ms or s");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The shortest time.
    pub shortest: TimeSpan,
    /// The longest time.
    pub longest: TimeSpan,
}

impl Span {
    /// Returns a range of which only the longest time is known.
    pub const fn upto(longest: TimeSpan) -> Self {
        Self { shortest: TimeSpan::ZERO, longest }
    }
}

impl Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shortest {
            TimeSpan::ZERO => write!(formatter, "{}", self.longest),
            shortest => write!(formatter, "{shortest} .. {}", self.longest),
        }
    }
}

impl std::str::FromStr for Span {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let span = match text.split_once("..") {
            None => Self::upto(parse(text)?),
            Some((shortest, longest)) => Self { shortest: parse(shortest)?, longest: parse(longest)? },
        };
        if span.shortest > span.longest {
            let Self { shortest, longest } = span;
            return Err(TimeError::Reversed { text: text.to_owned(), shortest, longest });
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

pub(super) fn optional_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TimeSpan>, D::Error> {
    text::deserialize(deserializer).map(Some)
}

pub(super) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TimeSpan, D::Error> {
    text::deserialize(deserializer)
}

/// Reads a time, or `none`.
pub(super) fn deadline<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TimeSpan>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let deadline = if text == NO_DEADLINE { Ok(TimeSpan::MAX) } else { parse(&text) };
    deadline.map(Some).map_err(D::Error::custom)
}

/// The deadline of a chain that has none.
pub(super) const NO_DEADLINE: &str = "none";

/// A [`super::Begin`] in the form in which it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBegin {
    #[serde(default, deserialize_with = "optional_time")]
    every: Option<TimeSpan>,
    #[serde(default, deserialize_with = "optional_time")]
    offset: Option<TimeSpan>,
    after: Option<String>,
}

impl TryFrom<WrittenBegin> for Begin {
    type Error = &'static str;

    fn try_from(WrittenBegin { every, offset, after }: WrittenBegin) -> Result<Self, &'static str> {
        match (every, offset, after) {
            (Some(period), offset, None) => Ok(Self::Every { period, offset }),
            (None, None, Some(name)) => Ok(Self::After(name)),
            (None, Some(_), _) => Err("an `offset` goes with a period: write it beside `every`"),
            _ => Err("write either `every` with a time or `after` with a name"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read_again() {
        for nanoseconds in [1, 999, 1_000, 1_500_000, 123_456_789, 80_000_000_000] {
            let span =
                Span { shortest: TimeSpan::nanoseconds(nanoseconds / 3), longest: TimeSpan::nanoseconds(nanoseconds) };
            assert_eq!(span.to_string().parse(), Ok(span));
        }
    }
}
