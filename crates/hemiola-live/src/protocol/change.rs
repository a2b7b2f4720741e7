//! The changes of a robot, in the form for clients.

use hemiola_model::Value;
use hemiola_runtime::Change;
use serde::{Deserialize, Serialize};

/// A [`Change`] in the form that clients write and read.
///
/// ```
/// use hemiola_live::protocol::ChangeText;
///
/// let text: ChangeText = serde_json::from_str(r#"{"workers": {"cycle": "motion", "workers": 2}}"#)?;
/// assert_eq!(text, ChangeText::Workers { cycle: "motion".into(), workers: Some(2) });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeText {
    /// Sets a parameter.
    Parameter {
        /// The module or source that has the parameter.
        module: String,
        /// The name of the parameter.
        name: String,
        /// The new value.
        value: Value,
    },
    /// Switches the provider of a representation.
    Provider {
        /// The representation.
        representation: String,
        /// The module that provides it from now on.
        module: String,
    },
    /// Overrides the value of a representation, in place of its provider.
    Override {
        /// The representation.
        representation: String,
        /// The value that it has from now on.
        value: Value,
    },
    /// Ends the override of a representation, which gets its provider's value again.
    Release {
        /// The representation.
        representation: String,
    },
    /// Sets the number of workers on which a cycle runs.
    Workers {
        /// The cycle.
        cycle: String,
        /// The number of workers; `None` to let the plan choose.
        workers: Option<usize>,
    },
    /// Restarts a module with a new state.
    Restart {
        /// The module.
        module: String,
    },
    /// Begins or ends a trace of all events.
    Trace {
        /// The file that the trace is written to; `None` to end the trace.
        file: Option<String>,
    },
    /// Enters the safe state (`true`), or leaves it (`false`).
    SafeState(bool),
}

impl From<ChangeText> for Change {
    fn from(text: ChangeText) -> Self {
        match text {
            ChangeText::Parameter { module, name, value } => Self::Parameter { module, parameter: name, value },
            ChangeText::Provider { representation, module } => Self::Provider { representation, module },
            ChangeText::Override { representation, value } => Self::Override { representation, value },
            ChangeText::Release { representation } => Self::Release { representation },
            ChangeText::Workers { cycle, workers } => Self::Workers { cycle, workers },
            ChangeText::Restart { module } => Self::Restart { module },
            ChangeText::Trace { file } => Self::Trace { file: file.map(Into::into) },
            ChangeText::SafeState(true) => Self::EnterSafeState,
            ChangeText::SafeState(false) => Self::LeaveSafeState,
        }
    }
}

impl From<Change> for ChangeText {
    fn from(change: Change) -> Self {
        match change {
            Change::Parameter { module, parameter, value } => Self::Parameter { module, name: parameter, value },
            Change::Provider { representation, module } => Self::Provider { representation, module },
            Change::Override { representation, value } => Self::Override { representation, value },
            Change::Release { representation } => Self::Release { representation },
            Change::Workers { cycle, workers } => Self::Workers { cycle, workers },
            Change::Restart { module } => Self::Restart { module },
            Change::Trace { file } => Self::Trace { file: file.map(|file| file.to_string_lossy().into_owned()) },
            Change::EnterSafeState => Self::SafeState(true),
            Change::LeaveSafeState => Self::SafeState(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_read_as_they_are_described() {
        let change = json!({"parameter": {"module": "Walk", "name": "gain", "value": 0.7}});
        let text: ChangeText = serde_json::from_value(change.clone()).unwrap();
        assert_eq!(serde_json::to_value(&text).unwrap(), change);
        assert_eq!(Change::from(text), Change::parameter("Walk", "gain", 0.7));
        let safe: ChangeText = serde_json::from_value(json!({"safe_state": true})).unwrap();
        assert_eq!(Change::from(safe), Change::EnterSafeState);
        let trace: ChangeText = serde_json::from_value(json!({"trace": {}})).unwrap();
        assert_eq!(Change::from(trace), Change::Trace { file: None });
    }
}
