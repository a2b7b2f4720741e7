//! The answers that take time: values, explanations and bounds.

use std::time::{Duration, Instant};

use hemiola_insight::why::{Evidence, Question};
use hemiola_insight::{Findings, Knowledge, Origin, as_json, derive};
use serde_json::{Value, json};

use super::Shared;
use super::partial::completed;
use crate::door::errands::Outcome;
use crate::protocol::part;

/// Returns the value at a path, such as `Ball` or `Ball.position[0]`.
pub fn read(shared: &Shared, path: &str) -> Outcome {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    let value = shared.handle.read(name).map_err(|error| error.to_string())?;
    let time = shared.handle.now().nanoseconds();
    let whole = serde_json::to_value(&value).map_err(|error| error.to_string())?;
    Ok(json!({"value": part(&whole, rest)?, "time": time}))
}

/// Captures the values of all cycles.
pub fn capture(shared: &Shared) -> Value {
    let captured = shared.handle.capture_values();
    json!({"time": captured.at.nanoseconds(), "cycles": captured.cycles, "silent": captured.silent})
}

/// Explains why a run or chain took so long, from the recent events that are still in memory.
pub fn why(shared: &Shared, subject: Option<String>, worst: Option<usize>, run: Option<u32>, age: bool) -> Outcome {
    let question = Question { subject, run, age, worst: worst.unwrap_or(1).clamp(1, 20), ..Question::default() };
    let configuration = shared.handle.with_robot(|robot| robot.configuration().clone());
    let evidence = Evidence::of_running(shared.handle.capture_events(), configuration, shared.handle.profile());
    let answer = evidence.and_then(|evidence| evidence.answer(&question));
    Ok(json!(answer.map_err(|error| error.to_string())?))
}

/// Derives which deadlines are met, from all measurements up to now.
pub fn bounds(shared: &Shared) -> Outcome {
    let mut known = shared.facts.known.clone();
    known.profile.update(shared.handle.measured());
    let found = shared.handle.with_robot(|robot| {
        let quantile = robot.configuration().analysis.quantile;
        let knowledge = Knowledge { known: known.clone(), quantile, origin: Origin::Run };
        derive(robot, &knowledge)
    });
    let derived = found.map_err(|error| error.to_string())?;
    let mut findings = Findings::of_robot(&derived.system, &derived, &known.profile);
    shared.facts.over_links.fill(&derived, &mut findings);
    Ok(as_json(&findings, &derived.system, &[]))
}

/// Publishes a message to a topic; fields that it lacks have their default values.
pub fn publish(shared: &Shared, topic: &str, message: &hemiola_model::Value) -> Result<(), String> {
    let bus = shared.handle.bus();
    let whole = match bus.readable_topics().into_iter().find(|(known, _)| known == topic) {
        Some((_, descriptor)) => &completed(descriptor, message)?,
        None => message,
    };
    let published = bus.publish_value(topic, whole);
    published.ok_or_else(|| super::values::unknown_topic(&shared.handle, topic))?.map_err(|error| error.to_string())
}

/// The time within which a call must be answered, counted from when it was requested.
const CALL_PATIENCE: Duration = Duration::from_secs(10);

/// Returns the time that is left for the answer to a call that was requested at `asked`.
///
/// # Errors
/// Returns an error if no time is left, because earlier calls were not answered.
pub fn patience_left(service: &str, asked: Instant) -> Result<Duration, String> {
    let left = CALL_PATIENCE.checked_sub(asked.elapsed()).filter(|left| !left.is_zero());
    left.ok_or_else(|| {
        format!("`{service}` was not called: earlier calls were not answered, and none could begin for 10 s")
    })
}

/// Calls a service that can be called from outside. The call was requested at `asked`.
pub fn call(shared: &Shared, service: &str, request: &hemiola_model::Value, asked: Instant) -> Outcome {
    let bus = shared.handle.bus();
    let answer = bus.call_value(service, request, patience_left(service, asked)?).ok_or_else(|| {
        let known: Vec<_> = bus.callable_services().into_iter().map(|service| service.name).collect();
        match bus.services().iter().any(|known| known.name == service) {
            true => {
                format!("`{service}` cannot be called from outside: its program must allow that with `bus.allow_calls`")
            }
            false => hemiola_config::unknown("service that can be called", service, &known),
        }
    })?;
    Ok(json!({"response": answer.map_err(|error| error.to_string())?}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_has_waited_for_its_whole_time_is_refused() {
        let now = Instant::now();
        assert!(patience_left("double", now).is_ok_and(|left| left <= CALL_PATIENCE));
        let long_ago = now.checked_sub(CALL_PATIENCE).expect("the machine has run for longer");
        assert!(patience_left("double", long_ago).unwrap_err().contains("`double` was not called"));
    }
}
