//! `override`, `release`, `workers`, `safe-state`, `stop`.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use hemiola_live::RunningRobot;
use hemiola_live::client::{Address, ClientError, Connection, each_process};
use hemiola_live::protocol::{ChangeText, Request};
use serde_json::{Value, json};

use super::connect::{Meant, connect, meant};
use super::text::typed;
use super::{change, complete, say};
use crate::command_line::live::{
    OutputArguments, OverrideArguments, ReleaseArguments, SafeStateCommand, Workers, WorkersArguments,
};
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn override_value(own: Option<&str>, arguments: &OverrideArguments) -> Result<ExitCode, CommandError> {
    let OverrideArguments { representation, value, output } = arguments;
    let value = json!(typed(value)?);
    let mut robot = connect(own, &output.robot)?;
    // Omitted fields keep their current values.
    let shown = robot.request(Request::Read { value: representation.clone() })?["value"].take();
    let whole = if shown.is_object() && value.is_object() { merged(shown, value) } else { value };
    let value = serde_json::from_value(whole).map_err(|error| CommandError::Usage(error.to_string()))?;
    let overridden = ChangeText::Override { representation: representation.clone(), value };
    robot.request(Request::Change { change: overridden.clone() })?;
    let said = format!("{representation} has that value until: release {representation}");
    say(output, &json!({ "change": overridden }), &said)
}

/// Applies a typed value over that of a representation. Structures within it are completed, too;
/// variants of enumerations, which are also tables, replace each other.
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
    change(own, output, released, &format!("{representation} has the value of its provider"))
}

pub fn workers(own: Option<&str>, arguments: &WorkersArguments) -> Result<ExitCode, CommandError> {
    let WorkersArguments { cycle, workers, output } = arguments;
    let (count, said) = match workers {
        Workers::Auto => (None, format!("{cycle} runs on the number of workers of its plan")),
        Workers::Count(count) => {
            (Some(*count), format!("{cycle} runs on {}", hemiola_words::counted(*count as u64, "worker")))
        }
    };
    change(own, output, ChangeText::Workers { cycle: cycle.clone(), workers: count }, &said)
}

pub fn safe_state(own: Option<&str>, command: &SafeStateCommand) -> Result<ExitCode, CommandError> {
    let (output, enters, said) = match command {
        SafeStateCommand::Enter(output) => (output, true, "is in its safe state until: safe-state leave"),
        SafeStateCommand::Leave(output) => (output, false, "has left its safe state"),
    };
    match meant(own, &output.robot)? {
        Meant::Whole(robot) if robot.is_cut() => safe_state_of_all(&robot, output, enters, said),
        _ => change(own, output, ChangeText::SafeState(enters), &format!("the robot {said}")),
    }
}

/// The time within which a process enters or leaves its safe state.
const PROMPT: Duration = Duration::from_secs(10);

/// Makes all processes of a robot enter or leave their safe states, each as soon as it is reached.
fn safe_state_of_all(
    robot: &RunningRobot,
    output: &OutputArguments,
    enters: bool,
    said: &str,
) -> Result<ExitCode, CommandError> {
    let changed = each_process(&robot.sockets, |socket| {
        let mut process = Connection::open(&Address::Unix(socket.path.clone()))?;
        process.set_patience(PROMPT);
        process.request(Request::Change { change: ChangeText::SafeState(enters) })?;
        Ok(process.welcome().parts.clone())
    });
    let parts: BTreeSet<String> = changed.iter().flat_map(|(_, parts)| parts.iter().flatten().cloned()).collect();
    let mut failed: Vec<_> = changed
        .iter()
        .filter_map(|(name, changed)| Some((name.clone(), changed.as_ref().err()?.to_string())))
        .collect();
    let away = parts.into_iter().filter(|part| !changed.iter().any(|(name, _)| name == part));
    failed.extend(away.map(|part| (part, "it is not running".to_owned())));
    let done: Vec<_> = changed.into_iter().filter(|(_, changed)| changed.is_ok()).map(|(name, _)| name).collect();
    if output.json {
        let change = ChangeText::SafeState(enters);
        let failed: serde_json::Map<_, _> = failed.iter().map(|(name, error)| (name.clone(), json!(error))).collect();
        print_json(&json!({ "change": change, "processes": done, "failed": failed }))?;
    } else {
        print(&done.iter().map(|name| format!("{name} {said}\n")).collect::<String>())?;
    }
    match failed.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(ClientError::Processes { done, failed }.into()),
    }
}

/// Ends the robot, and waits until it has ended.
pub fn stop(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let name = robot.name().to_owned();
    for (process, ended) in robot.each(end) {
        let name = if robot.processes().is_empty() { name.clone() } else { format!("{name}-{process}") };
        match ended {
            Ok(true) => {}
            Ok(false) => {
                return Err(CommandError::Usage(format!("{name} was requested to end, but has not ended within 10 s")));
            }
            Err(error) => return Err(error.into()),
        }
    }
    complete(&robot, say(arguments, &json!({ "ended": name }), &format!("{name} has ended"))?)
}

/// Requests a robot or one of its processes to end; returns whether it has.
fn end(process: &mut Connection) -> Result<bool, ClientError> {
    let asked = process.request(Request::Stop {}).map(drop);
    let ended = asked.and_then(|()| {
        loop {
            if process.next(Duration::from_secs(10))?.is_none() {
                return Ok(false);
            }
        }
    });
    match ended {
        // The last message may be lost with its connection. All processes end when the first of
        // them does.
        Err(ClientError::Ended { .. } | ClientError::Lost { .. }) => Ok(true),
        other => other,
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
