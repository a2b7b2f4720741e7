//! Quality of service: by name, and as tokens contain it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::error::Ros2Error;

/// A quality of service. The default is that of ROS 2: reliable, volatile, keep the last 10
/// messages.
///
/// ```
/// use hemiola_ros2::{Durability, Quality, Reliability};
///
/// let map: Quality = "transient local, depth 1".parse()?;
/// assert_eq!((map.reliability, map.durability, map.depth), (Reliability::Reliable, Durability::TransientLocal, 1));
/// assert_eq!(map.to_token(), ":1:,1:,:,:,,");
/// assert_eq!(Quality::from_token("2::,5:,:,:,,")?.to_string(), "best effort, volatile, depth 5");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quality {
    /// The reliability: whether a publisher repeats lost messages.
    pub reliability: Reliability,
    /// The durability: whether a subscriber receives messages from before it subscribed.
    pub durability: Durability,
    /// The history: which messages are kept.
    pub history: History,
    /// The number of messages kept if the history is [`History::KeepLast`].
    pub depth: usize,
    /// The maximum time between two messages; `None` is unlimited.
    pub deadline: Option<Duration>,
    /// The time after which a message expires; `None` is unlimited.
    pub lifespan: Option<Duration>,
    /// The liveliness: who asserts that a publisher is alive.
    pub liveliness: Liveliness,
    /// The time within which a publisher must assert that it is alive; `None` is unlimited.
    pub lease: Option<Duration>,
}

/// The reliability of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Lost messages are repeated.
    Reliable,
    /// Lost messages are not repeated.
    BestEffort,
    /// A policy of which only the number in `rmw/types.h` is known.
    Other(u32),
}

/// The durability of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Durability {
    /// A publisher keeps its last messages for subscribers that join later.
    TransientLocal,
    /// A subscriber receives only what is published while it exists.
    Volatile,
    /// A policy of which only the number in `rmw/types.h` is known.
    Other(u32),
}

/// The number of messages that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum History {
    /// The last messages, as many as the depth.
    KeepLast,
    /// All messages, as long as there is memory.
    KeepAll,
    /// A policy of which only the number in `rmw/types.h` is known.
    Other(u32),
}

/// The ways to assert that a publisher is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Liveliness {
    /// The middleware asserts it.
    Automatic,
    /// The program asserts it for each topic.
    ManualByTopic,
    /// A policy of which only the number in `rmw/types.h` is known.
    Other(u32),
}

/// The depth that `rmw_zenoh` omits from tokens.
const TOKEN_DEPTH: usize = 42;
/// The representation of unlimited time in ROS 2 (`RMW_DURATION_INFINITE`): `i64::MAX` nanoseconds.
const UNLIMITED: Duration = Duration::from_nanos(i64::MAX as u64);

impl Default for Quality {
    fn default() -> Self {
        Self {
            reliability: Reliability::Reliable,
            durability: Durability::Volatile,
            history: History::KeepLast,
            depth: 10,
            deadline: None,
            lifespan: None,
            liveliness: Liveliness::Automatic,
            lease: None,
        }
    }
}

impl Quality {
    /// Returns the quality as tokens contain it. Values that are `rmw_zenoh`'s defaults are
    /// omitted.
    pub fn to_token(&self) -> String {
        let given = |number: u32, default: u32| if number == default { String::new() } else { number.to_string() };
        let depth = if self.depth == TOKEN_DEPTH { String::new() } else { self.depth.to_string() };
        format!(
            "{}:{}:{},{depth}:{}:{}:{},{}",
            given(self.reliability.number(), Reliability::Reliable.number()),
            given(self.durability.number(), Durability::Volatile.number()),
            given(self.history.number(), History::KeepLast.number()),
            time_to_token(self.deadline),
            time_to_token(self.lifespan),
            given(self.liveliness.number(), Liveliness::Automatic.number()),
            time_to_token(self.lease),
        )
    }

    /// Parses a quality as tokens contain it.
    ///
    /// # Errors
    /// Returns an error if parts are missing or are not numbers.
    pub fn from_token(text: &str) -> Result<Self, Ros2Error> {
        let wrong = |why: String| Ros2Error::Quality { text: text.to_owned(), why };
        let parts: Vec<&str> = text.split(':').collect();
        // Later versions may have more parts, as `rmw_zenoh` permits.
        let [reliability, durability, history, deadline, lifespan, liveliness, ..] = parts[..] else {
            return Err(wrong(format!("it has {} parts instead of 6", parts.len())));
        };
        let split = |part: &'static str, text| pair(text).ok_or_else(|| wrong(format!("its {part} has no `,`")));
        let (history, depth) = split("history", history)?;
        let (liveliness, lease) = split("liveliness", liveliness)?;
        let number = |part: &'static str, text: &str, default: u32| {
            parsed(text, default).ok_or_else(|| wrong(format!("its {part} is `{text}`, which is not a number")))
        };
        let time = |part: &'static str, text| {
            let (seconds, nanoseconds) = split(part, text)?;
            time_from_token(seconds, nanoseconds)
                .ok_or_else(|| wrong(format!("its {part} is `{text}`, which is not a time")))
        };
        Ok(Self {
            reliability: Reliability::of(number("reliability", reliability, Reliability::Reliable.number())?),
            durability: Durability::of(number("durability", durability, Durability::Volatile.number())?),
            history: History::of(number("history", history, History::KeepLast.number())?),
            depth: parsed(depth, TOKEN_DEPTH)
                .ok_or_else(|| wrong(format!("its depth is `{depth}`, which is not a number")))?,
            deadline: time("deadline", deadline)?,
            lifespan: time("lifespan", lifespan)?,
            liveliness: Liveliness::of(number("liveliness", liveliness, Liveliness::Automatic.number())?),
            lease: time("lease", lease)?,
        })
    }
}

impl FromStr for Quality {
    type Err = Ros2Error;

    /// Parses words separated by commas: `reliable` or `best effort`, `volatile` or `transient
    /// local`, `depth 5` or `keep all`, each at most once. What is not given has its default value.
    fn from_str(text: &str) -> Result<Self, Ros2Error> {
        let wrong = |why: String| Ros2Error::Quality { text: text.to_owned(), why };
        let mut quality = Self::default();
        let mut said: Vec<&str> = Vec::new();
        for word in text.split(',').map(str::trim) {
            let subject = match word {
                "reliable" | "best effort" => {
                    let reliable = word == "reliable";
                    quality.reliability = if reliable { Reliability::Reliable } else { Reliability::BestEffort };
                    "reliability"
                }
                "volatile" | "transient local" => {
                    let volatile = word == "volatile";
                    quality.durability = if volatile { Durability::Volatile } else { Durability::TransientLocal };
                    "durability"
                }
                "keep all" => {
                    quality.history = History::KeepAll;
                    "history"
                }
                _ => {
                    let Some(depth) = word.strip_prefix("depth ") else {
                        return Err(wrong(format!(
                            "`{word}` is unknown (use `reliable`, `best effort`, `volatile`, `transient local`, `depth 10`, \
                             `keep all`, separated by commas)"
                        )));
                    };
                    quality.depth = match depth.trim().parse() {
                        Ok(depth) if depth > 0 => depth,
                        _ => return Err(wrong(format!("`{word}` is not a depth (use `depth 1` or more)"))),
                    };
                    "history"
                }
            };
            if said.contains(&subject) {
                return Err(wrong(format!("`{word}` comes after another {subject} (remove one of them)")));
            }
            said.push(subject);
        }
        Ok(quality)
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.history {
            History::KeepLast => write!(formatter, "{}, {}, depth {}", self.reliability, self.durability, self.depth)?,
            history => write!(formatter, "{}, {}, {history}", self.reliability, self.durability)?,
        }
        let times = [("deadline", self.deadline), ("lifespan", self.lifespan), ("lease", self.lease)];
        for (what, time) in times {
            if let Some(time) = time {
                write!(formatter, ", {what} {time:?}")?;
            }
        }
        match self.liveliness {
            Liveliness::Automatic => Ok(()),
            liveliness => write!(formatter, ", {liveliness}"),
        }
    }
}

macro_rules! policy {
    ($policy:ident, $what:literal, $($variant:ident = $number:literal $name:literal),*) => {
        impl $policy {
            /// Returns the number in `rmw/types.h`.
            fn number(self) -> u32 {
                match self {
                    $(Self::$variant => $number,)*
                    Self::Other(number) => number,
                }
            }

            fn of(number: u32) -> Self {
                match number {
                    $($number => Self::$variant,)*
                    number => Self::Other(number),
                }
            }
        }

        impl fmt::Display for $policy {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant => formatter.write_str($name),)*
                    Self::Other(number) => write!(formatter, concat!($what, " {}"), number),
                }
            }
        }
    };
}

policy!(Reliability, "reliability", Reliable = 1 "reliable", BestEffort = 2 "best effort");
policy!(Durability, "durability", TransientLocal = 1 "transient local", Volatile = 2 "volatile");
policy!(History, "history", KeepLast = 1 "keep last", KeepAll = 2 "keep all");
policy!(Liveliness, "liveliness", Automatic = 1 "automatic", ManualByTopic = 3 "manual by topic");

fn pair(text: &str) -> Option<(&str, &str)> {
    text.split_once(',')
}

/// Parses a number; an empty text gives the default.
fn parsed<T: FromStr>(text: &str, default: T) -> Option<T> {
    // `rmw_zenoh` writes no numbers with a sign.
    match text {
        "" => Some(default),
        text if text.bytes().all(|letter| letter.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

fn time_to_token(time: Option<Duration>) -> String {
    let time = time.unwrap_or(UNLIMITED);
    let given = |number: u64, default: u64| if number == default { String::new() } else { number.to_string() };
    let seconds = given(time.as_secs(), UNLIMITED.as_secs());
    format!("{seconds},{}", given(time.subsec_nanos().into(), UNLIMITED.subsec_nanos().into()))
}

/// Parses a time; `Some(None)` is unlimited.
fn time_from_token(seconds: &str, nanoseconds: &str) -> Option<Option<Duration>> {
    let seconds = Duration::from_secs(parsed(seconds, UNLIMITED.as_secs())?);
    let nanoseconds = Duration::from_nanos(parsed(nanoseconds, UNLIMITED.subsec_nanos().into())?);
    let time = seconds.checked_add(nanoseconds)?;
    Some((time != UNLIMITED).then_some(time))
}
