//! What was changed from outside, and by which number runs name it.

use hemiola_model::Value;

/// What somebody changed while the robot ran.
///
/// ```
/// use hemiola_model::Value;
/// use hemiola_runtime::Change;
///
/// let tuned = Change::Parameter { module: "Pilot".into(), parameter: "distance".into(), value: Value::Float(0.7) };
/// assert_eq!(tuned, tuned.clone());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// [`RobotHandle::set_parameter`](crate::RobotHandle::set_parameter)
    Parameter {
        /// Of this module.
        module: String,
        /// Its name.
        parameter: String,
        /// What it is now.
        value: Value,
    },
    /// [`RobotHandle::switch_provider`](crate::RobotHandle::switch_provider)
    Provider {
        /// What is provided.
        representation: String,
        /// By whom now.
        module: String,
    },
    /// [`RobotHandle::set_workers`](crate::RobotHandle::set_workers)
    Workers {
        /// Of this cycle.
        cycle: String,
        /// How many; `None`: the plan chooses.
        workers: Option<usize>,
    },
    /// [`RobotHandle::override_representation`](crate::RobotHandle::override_representation)
    Override {
        /// What is shown.
        representation: String,
        /// Instead of what its provider says.
        value: Value,
    },
    /// [`RobotHandle::release_representation`](crate::RobotHandle::release_representation)
    Release {
        /// What its provider says again.
        representation: String,
    },
    /// A module failed, and was replaced by a new instance, as its `on_failure` says.
    Restart {
        /// The module.
        module: String,
    },
    /// [`RobotHandle::enter_safe_state`](crate::RobotHandle::enter_safe_state)
    EnterSafeState,
    /// [`RobotHandle::leave_safe_state`](crate::RobotHandle::leave_safe_state)
    LeaveSafeState,
}

/// What a change of results is called in the journal and in transcripts.
pub type ChangeNumber = u32;

/// A few changes. More than that come into force only where somebody waits for none of them.
#[derive(Default)]
pub struct NewChanges {
    numbers: [ChangeNumber; MOST_CHANGES],
    count: usize,
}

/// So many changes at once are written down; a run that begins with more is not.
pub const MOST_CHANGES: usize = 16;

impl NewChanges {
    pub fn add(&mut self, change: ChangeNumber) {
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = change;
        }
        self.count += 1;
    }

    /// `None` if there were too many.
    pub fn numbers(&self) -> Option<&[ChangeNumber]> {
        self.numbers.get(..self.count)
    }
}
