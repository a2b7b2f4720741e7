//! `[analysis]` and `[chain.*]`: which deadlines chains have, and what their bounds rest on.

use std::collections::BTreeMap;
use std::time::Duration;

/// What bounds on response times and latencies rest on, and what happens if they do not fit.
///
/// ```
/// use hemiola_model::configuration::{Admission, AnalysisConfiguration};
///
/// let analysis = AnalysisConfiguration { admission: Admission::Refuse, ..AnalysisConfiguration::default() };
/// assert_eq!(analysis.quantile, None); // the longest execution times that were observed
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysisConfiguration {
    /// What happens when the robot is started and something does not fit.
    pub admission: Admission,
    /// Tasks take as long as this share of their runs does not exceed; `None`: as the longest one
    /// that was observed.
    pub quantile: Option<f64>,
    /// How many cores the robot's computer has; `None`: as many as this one.
    pub cores: Option<usize>,
    /// The least time between two samples of sources that tell their own times, and between two
    /// messages of topics, by name.
    pub periods: BTreeMap<String, Duration>,
}

/// What happens when the robot is started and something does not fit.
///
/// ```
/// use hemiola_model::configuration::Admission;
/// assert_eq!(Admission::default(), Admission::Off);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Nothing: nobody looks.
    #[default]
    Off,
    /// It says so, and starts.
    Warn,
    /// It says so, and does not start.
    Refuse,
}

/// A chain from a sensor to an actuator, and by when it has to be through.
///
/// ```
/// use hemiola_model::configuration::ChainConfiguration;
/// use std::time::Duration;
///
/// let chain = ChainConfiguration {
///     name: "ball-to-kick".into(),
///     from: "Cameras".into(),
///     to: "Legs".into(),
///     reaction: Some(Duration::from_millis(150)),
///     data_age: None,
/// };
/// assert!(chain.reaction > chain.data_age);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainConfiguration {
    /// Its name.
    pub name: String,
    /// The source of the samples.
    pub from: String,
    /// Where it leaves the robot's software: a source that reads, such as a bus of actuators, or an
    /// update that provides nothing.
    pub to: String,
    /// The longest from a change in the world to the first output that reflects it.
    pub reaction: Option<Duration>,
    /// The oldest that a sample may be on which an output rests.
    pub data_age: Option<Duration>,
}
