//! Checks whether a robot can follow a recording.

use std::collections::BTreeSet;

use super::robot::Robot;
use super::wiring::recorded_inputs;
use crate::error::RuntimeError;
use crate::record::InputRecord;
use crate::script::Script;
use crate::stand_in::Course;

/// Checks that this robot has what the course replaces, and can repeat its runs.
pub(super) fn check_course(robot: &Robot, course: &Course) -> Result<(), RuntimeError> {
    let sources = || robot.sources.iter().map(|source| source.name().to_owned());
    if let Some(unknown) = course.feeds.keys().find(|feed| sources().all(|source| source != **feed)) {
        return Err(RuntimeError::Unknown { kind: "source", name: unknown.clone(), known: sources().collect() });
    }
    let provided = || robot.resolved.cycles.iter().flat_map(|cycle| cycle.providers.keys());
    if let Some(unknown) = course.taken.representations().find(|taken| provided().all(|name| name != *taken)) {
        return Err(RuntimeError::Unknown {
            kind: "representation that a cycle provides",
            name: unknown.clone(),
            known: provided().cloned().collect(),
        });
    }
    course.script.as_ref().map_or(Ok(()), |script| check_script(robot, course, script))
}

/// Checks that this robot can repeat these runs.
fn check_script(robot: &Robot, course: &Course, script: &Script) -> Result<(), RuntimeError> {
    let other = |reason: String| Err(RuntimeError::OtherRobot { reason });
    let inputs = recorded_inputs(robot);
    for (cycle, recorded) in script.inputs() {
        let Some(consumer) = robot.configuration.cycles.iter().position(|known| known.name == cycle) else {
            return other(format!("there is no cycle `{cycle}` in this robot"));
        };
        let (now, then) = (described(&inputs[consumer]), described(recorded));
        if now != then {
            let list =
                |all: BTreeSet<String>| if all.is_empty() { "nothing".into() } else { Vec::from_iter(all).join(", ") };
            return other(format!("`{cycle}` read from {} then, and reads from {} now", list(then), list(now)));
        }
    }
    let taken = script.runs().iter().flat_map(|run| &run.inputs).filter(|input| input.last().is_some());
    let from: BTreeSet<&str> = taken.map(|input| &*input.from).collect();
    let is_source = |name: &&&str| robot.sources.iter().any(|source| source.name() == **name);
    match from.iter().filter(is_source).find(|name| !course.feeds.contains_key(**name)) {
        Some(source) => other(format!("the samples of source `{source}` were not recorded")),
        None => Ok(()),
    }
}

/// Describes in words which inputs are read.
fn described(inputs: &[InputRecord]) -> BTreeSet<String> {
    let input = |input: &InputRecord| {
        let queues = input.samples.iter().map(|samples| format!(" with all its {}", samples.representation));
        format!("{}{}", input.from, queues.collect::<String>())
    };
    inputs.iter().map(input).collect()
}
