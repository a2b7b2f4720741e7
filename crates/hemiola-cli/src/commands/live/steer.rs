//! `override`, `release`, `workers`, `safe-state`, `stop`.

use std::process::ExitCode;
use std::time::Duration;

use hemiola_live::client::ClientError;
use hemiola_live::protocol::{ChangeText, Request};
use serde_json::{Value, json};

use super::text::typed;
use super::{change, connect::connect, say};
use crate::command_line::live::{
    OutputArguments, OverrideArguments, ReleaseArguments, SafeStateCommand, Workers, WorkersArguments,
};
use crate::error::CommandError;

pub fn override_value(own: Option<&str>, arguments: &OverrideArguments) -> Result<ExitCode, CommandError> {
    let OverrideArguments { representation, value, output } = arguments;
    let value = json!(typed(value)?);
    let mut robot = connect(own, &output.robot)?;
    // Fields that are left out stay as they are shown now.
    let shown = robot.request(Request::Read { value: representation.clone() })?["value"].take();
    let whole = if shown.is_object() && value.is_object() { merged(shown, value) } else { value };
    let value = serde_json::from_value(whole).map_err(|error| CommandError::Usage(error.to_string()))?;
    let overridden = ChangeText::Override { representation: representation.clone(), value };
    robot.request(Request::Change { change: overridden.clone() })?;
    let said = format!("{representation} shows that until: release {representation}");
    say(output, &json!({ "change": overridden }), &said)
}

/// Puts what somebody typed over a representation. Structures within it are filled up as well;
/// variants of enumerations, which are tables too, replace each other.
fn merged(below: Value, above: Value) -> Value {
    let (mut below, above) = match (below, above) {
        (Value::Object(below), Value::Object(above)) => (below, above),
        (_, above) => return above,
    };
    for (key, value) in above {
        let under = below.remove(&key).unwrap_or_default();
        let is_part = |under: &serde_json::Map<String, Value>| {
            value.as_object().is_some_and(|value| value.keys().all(|key| under.contains_key(key)))
        };
        let is_filled_up = under.as_object().is_some_and(is_part);
        below.insert(key, if is_filled_up { merged(under, value) } else { value });
    }
    Value::Object(below)
}

pub fn release(own: Option<&str>, arguments: &ReleaseArguments) -> Result<ExitCode, CommandError> {
    let ReleaseArguments { representation, output } = arguments;
    let released = ChangeText::Release { representation: representation.clone() };
    change(own, output, released, &format!("{representation} is what its provider says"))
}

pub fn workers(own: Option<&str>, arguments: &WorkersArguments) -> Result<ExitCode, CommandError> {
    let WorkersArguments { cycle, workers, output } = arguments;
    let (count, said) = match workers {
        Workers::Auto => (None, format!("{cycle} runs on as many workers as its plan says")),
        Workers::Count(count) => {
            (Some(*count), format!("{cycle} runs on {}", hemiola_words::counted(*count as u64, "worker")))
        }
    };
    change(own, output, ChangeText::Workers { cycle: cycle.clone(), workers: count }, &said)
}

pub fn safe_state(own: Option<&str>, command: &SafeStateCommand) -> Result<ExitCode, CommandError> {
    let (output, enters, said) = match command {
        SafeStateCommand::Enter(output) => (output, true, "the robot is in its safe state until: safe-state leave"),
        SafeStateCommand::Leave(output) => (output, false, "the robot has left its safe state"),
    };
    change(own, output, ChangeText::SafeState(enters), said)
}

/// Ends the robot, and waits until it has ended.
pub fn stop(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let name = robot.welcome().name.clone();
    let ended = robot.request(Request::Stop {}).map(|_| {
        loop {
            match robot.next(Duration::from_secs(10)) {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(ended) => break Some(ended),
            }
        }
    });
    match ended {
        Ok(None) => Err(CommandError::Usage(format!("{name} was asked to end, and has not for 10 s"))),
        // The robot's last message may be lost with its connection.
        Ok(Some(ClientError::Ended { .. } | ClientError::Lost { .. })) | Err(ClientError::Ended { .. }) => {
            say(arguments, &json!({ "ended": name }), &format!("{name} has ended"))
        }
        Ok(Some(error)) | Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_a_value_stays_as_it_is() {
        let shown = json!({ "seen": true, "at": { "x": 1.0, "y": 2.0 }, "gait": { "Fast": { "speed": 0.3 } } });
        let typed = json!({ "at": { "y": 3.0 }, "gait": { "Turn": [1.0] }, "age": 2 });
        let expected = json!({ "seen": true, "at": { "x": 1.0, "y": 3.0 }, "gait": { "Turn": [1.0] }, "age": 2 });
        assert_eq!(merged(shown, typed), expected);
    }
}
