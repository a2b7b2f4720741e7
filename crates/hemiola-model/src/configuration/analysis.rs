//! `[analysis]` and `[chain.*]`: the deadlines of chains, and the assumptions on which their bounds
//! rest.

use std::collections::BTreeMap;
use std::time::Duration;

/// The assumptions on which bounds on response times and latencies rest, and the reaction if they
/// exceed deadlines.
///
/// ```
/// use hemiola_model::configuration::{Admission, AnalysisConfiguration};
///
/// let analysis = AnalysisConfiguration { admission: Admission::Refuse, ..AnalysisConfiguration::default() };
/// assert_eq!(analysis.quantile, None); // the longest execution times that were observed
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysisConfiguration {
    /// The reaction at the start of a robot for which not all deadlines are guaranteed to be met.
    pub admission: Admission,
    /// The quantile of the execution times that a task is assumed to take; `None`: the longest one
    /// that was observed.
    pub quantile: Option<f64>,
    /// The number of cores of the robot's computer; `None`: as many as this computer has.
    pub cores: Option<usize>,
    /// The minimum time between two samples of sources that stamp their samples themselves, and
    /// between two messages of topics, by name.
    pub periods: BTreeMap<String, Duration>,
}

/// The reaction at the start of a robot for which not all deadlines are guaranteed to be met.
///
/// See [`AnalysisConfiguration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Nothing: bounds are not checked.
    #[default]
    Off,
    /// A warning, and the robot starts.
    Warn,
    /// An error, and the robot does not start.
    Refuse,
}

/// A chain from a sensor to an actuator, and its deadlines.
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
    /// The name of the chain.
    pub name: String,
    /// The source of the samples.
    pub from: String,
    /// The end of the chain, where it leaves the robot's software: a source that reads, such as a
    /// bus of actuators, or an update that provides nothing.
    pub to: String,
    /// The maximum time from a change in the world to the first output that reflects it.
    pub reaction: Option<Duration>,
    /// The maximum age of a sample on which an output rests.
    pub data_age: Option<Duration>,
}
