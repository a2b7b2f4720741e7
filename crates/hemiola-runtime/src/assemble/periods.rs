//! How often cycles run and sources bring samples, as far as that is said.

use std::time::Duration;

use hemiola_model::SourceRate;
use hemiola_model::configuration::{CycleConfiguration, Trigger};

use super::robot::Robot;

/// The nominal distance of two runs.
pub fn period_of(robot: &Robot, cycle: &CycleConfiguration) -> Option<Duration> {
    let rate = match &cycle.trigger {
        Trigger::Rate(rate) => Some(*rate),
        Trigger::Topic(_) => None,
        Trigger::Source(name) => return source_period(robot, name),
    };
    period(rate)
}

/// The nominal distance of two samples.
pub fn source_period(robot: &Robot, name: &str) -> Option<Duration> {
    let configured = robot.configuration.sources.get(name).and_then(|source| source.rate);
    period(configured.or_else(|| {
        let source = robot.sources.iter().find(|source| source.name() == name)?;
        match source.rate() {
            SourceRate::Hertz(rate) => Some(rate),
            SourceRate::OwnStamps => None,
        }
    }))
}

fn period(rate: Option<f64>) -> Option<Duration> {
    rate.filter(|rate| rate.is_finite() && *rate > 0.0).map(|rate| Duration::from_secs_f64(1.0 / rate))
}
