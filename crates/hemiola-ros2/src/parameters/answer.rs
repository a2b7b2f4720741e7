//! The answers of the services for parameters.

use hemiola_model::Value;
use hemiola_model::cdr::{decode, encode};
use hemiola_model::data::Data;
use hemiola_runtime::{Change, RobotHandle};

use super::{Entry, ParameterTable};
use crate::rcl_interfaces::{
    ListParameters, Names, Parameter, ParameterDescriptor, ParameterService, ParameterValue, Parameters,
    SetParametersResult,
};

/// The author of changes, as the journal names it.
const WHO: &str = "a node of ROS 2";
/// The maximum number of bytes of a request.
const LARGEST_REQUEST: usize = 1 << 20;

impl ParameterService {
    /// Returns the response to a request, which may come from anybody; both are in CDR. A request
    /// to set parameters waits for the cycles that use them.
    ///
    /// # Errors
    /// Returns an error with the reason if the request cannot be read. This calls user code, which
    /// may panic.
    pub fn answer(self, robot: &RobotHandle, request: &[u8]) -> Result<Vec<u8>, String> {
        let table = ParameterTable::of(robot);
        Ok(match self {
            Self::List => encode(&table.list(&read::<ListParameters>(request)?)),
            Self::Get => {
                let values = read::<Names>(request)?.names.iter().map(|name| table.value(name)).collect();
                encode::<Vec<ParameterValue>>(&values)
            }
            Self::GetTypes => {
                let types = read::<Names>(request)?.names.iter().map(|name| table.value(name).kind).collect();
                encode::<Vec<u8>>(&types)
            }
            Self::Describe => {
                let descriptors = read::<Names>(request)?.names.iter().map(|name| table.describe(name)).collect();
                encode::<Vec<ParameterDescriptor>>(&descriptors)
            }
            Self::Set => {
                let results =
                    read::<Parameters>(request)?.parameters.iter().map(|wanted| set(robot, &table, wanted)).collect();
                encode::<Vec<SetParametersResult>>(&results)
            }
            Self::SetAtomically => encode(&result(set_all(robot, &table, &read::<Parameters>(request)?.parameters))),
        })
    }
}

fn read<T: Data>(cdr: &[u8]) -> Result<T, String> {
    if cdr.len() > LARGEST_REQUEST {
        return Err(format!(
            "the request has {} bytes, which is more than a request for parameters may have",
            cdr.len()
        ));
    }
    decode(cdr).map_err(|error| error.to_string())
}

fn set(robot: &RobotHandle, table: &ParameterTable, wanted: &Parameter) -> SetParametersResult {
    result(table.accept(wanted).and_then(|(entry, value)| {
        robot.change_by(change(entry, value), WHO).wait().map_err(|error| error.to_string())
    }))
}

/// Sets all parameters, or none: each is checked before the first one is changed, and if the robot
/// refuses one nevertheless, the ones before it get their previous values back.
fn set_all(robot: &RobotHandle, table: &ParameterTable, wanted: &[Parameter]) -> Result<(), String> {
    let accepted: Vec<(&Entry, Value)> = wanted.iter().map(|wanted| table.accept(wanted)).collect::<Result<_, _>>()?;
    let mut pending = Vec::new();
    for (entry, value) in &accepted {
        let mut change = robot.change_by(change(entry, value.clone()), WHO);
        if let Some(Err(error)) = change.poll() {
            let reason = error.to_string();
            for (entry, _) in accepted.iter().take(pending.len()) {
                // A parameter that accepted the new value accepts its previous one.
                drop(robot.change_by(self::change(entry, entry.value.clone()), WHO));
            }
            return Err(reason);
        }
        pending.push(change);
    }
    pending.into_iter().try_for_each(|change| change.wait().map_err(|error| error.to_string()))
}

fn change(entry: &Entry, value: Value) -> Change {
    Change::parameter(entry.owner, entry.description.name.clone(), value)
}

fn result(outcome: Result<(), String>) -> SetParametersResult {
    SetParametersResult { successful: outcome.is_ok(), reason: outcome.err().unwrap_or_default() }
}
