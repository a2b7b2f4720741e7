//! The periods of cycles and sources, as far as they are known.

use std::time::Duration;

use hemiola_model::SourceRate;
use hemiola_model::configuration::{CycleConfiguration, Trigger};

use super::robot::Robot;
use crate::error::RuntimeError;

/// Returns the nominal time between two runs.
pub fn period_of(robot: &Robot, cycle: &CycleConfiguration) -> Option<Duration> {
    let rate = match &cycle.trigger {
        Trigger::Rate(rate) => Some(*rate),
        Trigger::Topic(_) => None,
        Trigger::Source(name) => return source_period(robot, name),
    };
    period(rate)
}

/// Returns the nominal time between two samples.
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

/// Checks that cycles and sources can run at their rates.
///
/// # Errors
/// Returns an error for the first rate that is impossible.
pub fn check_rates(robot: &Robot) -> Result<(), RuntimeError> {
    let cycles = robot.configuration.cycles.iter().filter_map(|cycle| match cycle.trigger {
        Trigger::Rate(rate) => Some((cycle.name.as_str(), rate)),
        Trigger::Topic(_) | Trigger::Source(_) => None,
    });
    let sources = robot.sources.iter().filter_map(|source| {
        let configured = robot.configuration.sources.get(source.name()).and_then(|source| source.rate);
        match source.rate() {
            SourceRate::Hertz(rate) => Some((source.name(), configured.unwrap_or(rate))),
            SourceRate::OwnStamps => None,
        }
    });
    match cycles.chain(sources).find(|&(_, rate)| period(Some(rate)).is_none()) {
        Some((name, rate)) => Err(RuntimeError::Rate { name: name.to_owned(), rate }),
        None => Ok(()),
    }
}

fn period(rate: Option<f64>) -> Option<Duration> {
    Duration::try_from_secs_f64(1.0 / rate?).ok().filter(|period| !period.is_zero())
}
