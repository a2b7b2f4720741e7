//! The conditions of measurements, which keep the durations of different robots apart.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The conditions under which durations were measured: everything that could change them.
///
/// The duration of an update depends on the program, the machine, and what is computed: see
/// [`takes_as_long_as`](Self::takes_as_long_as). The time at which it ends depends on everything:
/// see [`is_same_robot_as`](Self::is_same_robot_as).
///
/// ```
/// use hemiola_trace::{Conditions, Pace};
///
/// let before = Conditions {
///     pace: Pace::RealTime,
///     build: "release build 3f2a".into(),
///     scheduled: [("cycle.motion.priority".into(), "40".into())].into(),
///     ..Conditions::default()
/// };
/// let now = Conditions { scheduled: [("cycle.motion.priority".into(), "80".into())].into(), ..before.clone() };
/// assert!(now.takes_as_long_as(&before) && !now.is_same_robot_as(&before));
/// assert_eq!(now.changes_since(&before), ["cycle.motion.priority (40, now 80)"]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// The pace of the robot's clock.
    pub pace: Pace,
    /// The build of the program.
    pub build: String,
    /// The description of the machine.
    pub machine: String,
    /// Set if the robot was given the real-time priorities that it requested; `None` if it
    /// requested none, or if that is not known.
    pub has_priorities: Option<bool>,
    /// The settings that determine what is computed, by key in `robot.toml`: modules, providers,
    /// parameters, triggers.
    pub computed: BTreeMap<String, String>,
    /// The settings that determine when it is computed: priorities, cores, workers.
    pub scheduled: BTreeMap<String, String>,
}

/// The pace of a robot's clock.
///
/// See [`Conditions`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// The clock ran at the rate of the world, with threads as configured, and nobody changed the
    /// robot meanwhile: the measurements are those of the robot.
    RealTime,
    /// The robot was stepped or replayed, ran faster or slower, or was changed while it ran; or the
    /// pace is not known.
    #[default]
    Other,
}

impl Conditions {
    /// Returns whether execution times that were measured under `other` are those of this robot: in
    /// real time, with the same program, on the same machine, with the same modules and parameters.
    pub fn takes_as_long_as(&self, other: &Self) -> bool {
        let of_robot = other.pace == Pace::RealTime;
        of_robot && (&self.build, &self.machine, &self.computed) == (&other.build, &other.machine, &other.computed)
    }

    /// Returns whether latencies that were observed under `other` are those of this robot. If it is
    /// not known whether one of them is given its priorities, it may be either.
    pub fn is_same_robot_as(&self, other: &Self) -> bool {
        let may_be = |one: Option<bool>, other: Option<bool>| one.is_none() || other.is_none() || one == other;
        self.takes_as_long_as(other)
            && self.scheduled == other.scheduled
            && may_be(self.has_priorities, other.has_priorities)
    }

    /// Returns the differences in words.
    pub fn changes_since(&self, before: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if self.build != before.build {
            changes.push("the program".to_owned());
        }
        if self.machine != before.machine {
            changes.push(match before.machine.is_empty() {
                true => "the machine".to_owned(),
                false => format!("the machine ({}, now {})", before.machine, self.machine),
            });
        }
        if let (Some(was), Some(is)) = (before.has_priorities, self.has_priorities)
            && was != is
        {
            changes.push(format!(
                "the permission for real-time priorities ({})",
                if is { "now given" } else { "now refused" }
            ));
        }
        for (before, now) in [(&before.scheduled, &self.scheduled), (&before.computed, &self.computed)] {
            let keys: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
            for key in keys {
                match (before.get(key), now.get(key)) {
                    (Some(was), Some(is)) if was != is => changes.push(format!("{key} ({was}, now {is})")),
                    (Some(was), None) => changes.push(format!("{key} ({was}, now the default)")),
                    (None, Some(is)) => changes.push(format!("{key} (now {is})")),
                    _ => {}
                }
            }
        }
        changes
    }
}
