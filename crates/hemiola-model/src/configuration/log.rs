//! `[log]`: whether and how runs are recorded.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Condition;

/// What is recorded of a run, where and how.
///
/// ```
/// use hemiola_model::configuration::LogConfiguration;
/// use std::time::Duration;
///
/// let always = LogConfiguration { folder: Some("logs".into()), ..LogConfiguration::default() };
/// assert_eq!(always.flush, Duration::from_millis(500)); // what a killed process may lose
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LogConfiguration {
    /// Every run leaves a log in this folder; `None`: only a run that is asked to.
    pub folder: Option<PathBuf>,
    /// How it is made smaller.
    pub compression: LogCompression,
    /// How long after it was provided a value can be read from the file at the latest.
    pub flush: Duration,
    /// So much goes into a file before the next one begins; `None`: everything into one, or a
    /// quarter of what is kept.
    pub split: Option<LogExtent>,
    /// Only the last files that hold so much are kept; `None`: all are.
    pub keep: Option<LogExtent>,
    /// So many bytes are left free on the disk.
    pub reserve: u64,
    /// How often what modules remember goes into the log, so that a replay can begin there; `None`:
    /// never.
    pub snapshot: Option<Duration>,
    /// Only these representations; empty: all that can be.
    pub only: Vec<String>,
    /// What of plots, drawings and texts of updates is recorded, as names, spaces, or beginnings
    /// with a `*` behind them.
    pub debug: Vec<String>,
    /// What deviates for single representations, by name.
    pub channels: BTreeMap<String, LogChannelConfiguration>,
}

/// A part of a log.
///
/// ```
/// use hemiola_model::configuration::LogExtent;
/// use std::time::Duration;
///
/// let (half, disk) = (LogExtent::Time(Duration::from_secs(600)), LogExtent::Size(2_000_000_000));
/// assert_eq!(half.quarter(), LogExtent::Time(Duration::from_secs(150)));
/// assert_eq!(disk.quarter(), LogExtent::Size(500_000_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogExtent {
    /// On the robot's clock.
    Time(Duration),
    /// In bytes.
    Size(u64),
}

impl LogExtent {
    /// A quarter of it.
    #[must_use]
    pub fn quarter(self) -> Self {
        match self {
            Self::Time(time) => Self::Time(time / 4),
            Self::Size(bytes) => Self::Size(bytes / 4),
        }
    }
}

/// What deviates for one representation.
///
/// ```
/// use hemiola_model::configuration::LogChannelConfiguration;
///
/// let thumbnails = LogChannelConfiguration { rate: Some(2.0), ..LogChannelConfiguration::default() };
/// assert_eq!(thumbnails.enabled, None); // it is recorded
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogChannelConfiguration {
    /// `false`: it is not recorded.
    pub enabled: Option<bool>,
    /// At most so many values a second; `None`: all.
    pub rate: Option<f64>,
    /// Only while this holds; `None`: always.
    pub only_while: Option<Condition>,
}

/// How chunks of a log are made smaller.
///
/// ```
/// use hemiola_model::configuration::LogCompression;
/// assert_eq!(LogCompression::default(), LogCompression::Lz4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogCompression {
    /// Not at all: least work for the processor, most for the disk.
    None,
    /// A little, at hundreds of megabytes per second.
    #[default]
    Lz4,
    /// More, at several times the work.
    Zstd,
}

impl Default for LogConfiguration {
    fn default() -> Self {
        Self {
            folder: None,
            compression: LogCompression::default(),
            flush: Duration::from_millis(500),
            split: None,
            keep: None,
            reserve: 100_000_000,
            snapshot: Some(Duration::from_secs(10)),
            only: Vec::new(),
            debug: Vec::new(),
            channels: BTreeMap::new(),
        }
    }
}
