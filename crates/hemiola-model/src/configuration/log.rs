//! `[log]`: the settings by which runs are recorded.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Condition;

/// The settings by which runs are recorded.
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
    /// The folder in which every run leaves a log; `None`: runs are recorded on request only.
    pub folder: Option<PathBuf>,
    /// The compression of the log.
    pub compression: LogCompression,
    /// The maximum time between providing a value and its being readable from the file.
    pub flush: Duration,
    /// The extent of a file, after which the next one begins; `None`: there is one file, or, if
    /// only the last files are kept, each has a quarter of what is kept.
    pub split: Option<LogExtent>,
    /// The extent of the last files that are kept; `None`: all are.
    pub keep: Option<LogExtent>,
    /// The number of bytes that are left free on the disk.
    pub reserve: u64,
    /// The time between two checkpoints of the modules' states in the log, at which a replay can
    /// begin; `None`: there are none.
    pub snapshot: Option<Duration>,
    /// The representations that are recorded; empty: all that can be.
    pub only: Vec<String>,
    /// The plots, drawings and texts of updates that are recorded: names, spaces, or beginnings
    /// followed by a `*`.
    pub debug: Vec<String>,
    /// The deviating settings of single representations, by name.
    pub channels: BTreeMap<String, LogChannelConfiguration>,
}

/// The extent of a part of a log.
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
    /// A time on the robot's clock.
    Time(Duration),
    /// A size in bytes.
    Size(u64),
}

impl LogExtent {
    /// Returns a quarter of the extent.
    #[must_use]
    pub fn quarter(self) -> Self {
        match self {
            Self::Time(time) => Self::Time(time / 4),
            Self::Size(bytes) => Self::Size(bytes / 4),
        }
    }
}

/// The deviating settings of one representation.
///
/// ```
/// use hemiola_model::configuration::LogChannelConfiguration;
///
/// let thumbnails = LogChannelConfiguration { rate: Some(2.0), ..LogChannelConfiguration::default() };
/// assert_eq!(thumbnails.enabled, None); // it is recorded
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogChannelConfiguration {
    /// Set to `false` to leave the representation out of the log.
    pub enabled: Option<bool>,
    /// The maximum number of values per second; `None`: all are recorded.
    pub rate: Option<f64>,
    /// The condition while which values are recorded; `None`: always.
    pub only_while: Option<Condition>,
}

/// The compression of a log's chunks.
///
/// See [`LogConfiguration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogCompression {
    /// No compression: least work for the processor, most for the disk.
    None,
    /// Some compression, at hundreds of megabytes per second.
    #[default]
    Lz4,
    /// More compression, at several times the work.
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
