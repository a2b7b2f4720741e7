//! Changes from outside, and the numbers by which runs refer to them.

use std::fmt;
use std::path::PathBuf;

use hemiola_model::Value;

/// A change of a running robot from outside: [`RobotHandle::change`](crate::RobotHandle::change)
/// makes it, the journal and logs record it.
///
/// ```
/// use hemiola_model::Value;
/// use hemiola_runtime::Change;
///
/// let tuned = Change::parameter("Pilot", "distance", Value::Float(0.7));
/// let switched = Change::provider("Ball", "BallFilter");
/// assert_ne!(tuned, switched);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A module has another value of a parameter, in all cycles in which it runs.
    Parameter {
        /// The module.
        module: String,
        /// The name of the parameter.
        parameter: String,
        /// The new value.
        value: Value,
    },
    /// Another module provides a representation. The one that provided it ends if none of its other
    /// outputs is needed; a new one starts with the configured parameters.
    Provider {
        /// The representation.
        representation: String,
        /// The module that provides it now.
        module: String,
    },
    /// A cycle runs on another number of workers, at most as many as it was started with.
    Workers {
        /// The cycle.
        cycle: String,
        /// The number of workers; `None` if the plan chooses.
        workers: Option<usize>,
    },
    /// A representation shows this value, whatever its provider writes.
    Override {
        /// The representation.
        representation: String,
        /// The value instead of that of its provider.
        value: Value,
    },
    /// A representation shows its provider's value again.
    Release {
        /// The representation.
        representation: String,
    },
    /// A module is replaced by a new instance: because it failed and its `on_failure` requires it,
    /// or on request.
    Restart {
        /// The module.
        module: String,
    },
    /// The recording of all events into a trace for Perfetto starts or ends.
    Trace {
        /// The file to which the trace is written; `None` ends the trace that is being written.
        file: Option<PathBuf>,
    },
    /// The robot enters its safe state.
    EnterSafeState,
    /// The robot leaves its safe state.
    LeaveSafeState,
}

impl Change {
    /// Returns the change that gives a module another value of a parameter.
    pub fn parameter(module: impl Into<String>, parameter: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::Parameter { module: module.into(), parameter: parameter.into(), value: value.into() }
    }

    /// Returns the change that gives a representation another provider.
    pub fn provider(representation: impl Into<String>, module: impl Into<String>) -> Self {
        Self::Provider { representation: representation.into(), module: module.into() }
    }

    /// Returns the change that overrides the value of a representation.
    pub fn override_with(representation: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::Override { representation: representation.into(), value: value.into() }
    }

    /// Returns the change that ends an [`override_with`](Self::override_with).
    pub fn release(representation: impl Into<String>) -> Self {
        Self::Release { representation: representation.into() }
    }

    /// Returns the change of a cycle's number of workers; `None` lets the plan choose.
    pub fn workers(cycle: impl Into<String>, workers: impl Into<Option<usize>>) -> Self {
        Self::Workers { cycle: cycle.into(), workers: workers.into() }
    }

    /// Returns whether runs may have other results after it: then it has a number, and each run
    /// that begins with it records that number.
    pub(crate) fn has_number(&self) -> bool {
        match self {
            Self::Parameter { .. }
            | Self::Provider { .. }
            | Self::Override { .. }
            | Self::Release { .. }
            | Self::Restart { .. } => true,
            Self::Workers { .. } | Self::Trace { .. } | Self::EnterSafeState | Self::LeaveSafeState => false,
        }
    }
}

/// Writes the change in words: `Walk.gain = 0.7`.
impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter { module, parameter, value } => write!(formatter, "{module}.{parameter} = {value}"),
            Self::Provider { representation, module } => write!(formatter, "{module} provides {representation}"),
            Self::Workers { cycle, workers: Some(workers) } => write!(formatter, "{cycle} on {workers} workers"),
            Self::Workers { cycle, workers: None } => write!(formatter, "{cycle} on as many workers as its plan says"),
            Self::Override { representation, value } => write!(formatter, "{representation} overridden by {value}"),
            Self::Release { representation } => write!(formatter, "{representation} released"),
            Self::Restart { module } => write!(formatter, "{module} restarted"),
            Self::Trace { file: Some(file) } => write!(formatter, "a trace to {}", file.display()),
            Self::Trace { file: None } => formatter.write_str("the trace ends"),
            Self::EnterSafeState => formatter.write_str("the safe state entered"),
            Self::LeaveSafeState => formatter.write_str("the safe state left"),
        }
    }
}

/// The number of a change of results in the journal and in transcripts.
pub type ChangeNumber = u32;

/// A few changes that come into force with one run. There can be more only if nobody waits for
/// them.
#[derive(Default)]
pub struct NewChanges {
    numbers: [ChangeNumber; MOST_CHANGES],
    count: usize,
}

/// The maximum number of changes at once that are recorded; a run that begins with more is not
/// recorded.
pub const MOST_CHANGES: usize = 16;

impl NewChanges {
    pub fn add(&mut self, change: ChangeNumber) {
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = change;
        }
        self.count += 1;
    }

    /// Returns whether a run can begin with no further change.
    pub fn is_full(&self) -> bool {
        self.count >= MOST_CHANGES
    }

    /// Returns the numbers of the changes; `None` if there were too many.
    pub fn numbers(&self) -> Option<&[ChangeNumber]> {
        self.numbers.get(..self.count)
    }
}
