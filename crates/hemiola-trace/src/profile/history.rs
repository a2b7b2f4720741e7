//! The file of measurements that is kept from run to run, with the robots that they are of.

use super::costs::{add, middle};
use super::{Conditions, ExecutorProfile, Format, Measured, MeasuredCosts, Pace, Profile};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The measurements of a robot in earlier runs, by the [conditions](Conditions) under which they
/// were made, stored in a JSON file.
///
/// Runs under the same conditions are added up. Measurements under other conditions are not
/// observations of this robot, but they are the best guess for a plan: [`known`](Self::known)
/// distinguishes them.
///
/// ```
/// use hemiola_trace::{Conditions, Distribution, Pace, Profile, ProfileHistory};
///
/// let built = |build: &str| Conditions { pace: Pace::RealTime, build: build.into(), ..Conditions::default() };
/// let mut execution = Distribution::new();
/// execution.record(52_000);
/// let mut run = Profile::default();
/// run.conditions = built("yesterday's");
/// run.insert("motion", "Walk.joints", &execution);
///
/// let mut history = ProfileHistory::default();
/// history.add(run);
/// assert!(!history.known(&built("yesterday's")).is_estimate("motion", "Walk.joints"));
/// let known = history.known(&built("today's"));
/// assert!(known.profile.task("motion", "Walk.joints").is_some()); // for a plan
/// assert!(known.is_estimate("motion", "Walk.joints")); // and for no promise
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileHistory {
    format: Format,
    /// The calibrations of the machine's costs, the newest last.
    #[serde(default)]
    calibrations: Vec<MeasuredCosts>,
    /// The profiles, each under different conditions, the newest last.
    profiles: Vec<Profile>,
}

/// The durations of a robot, from measurements of it and of others.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Known {
    /// The durations of everything, and the latencies of this very robot.
    pub profile: Profile,
    /// The pairs of cycle and task, executor and callback, or an empty text and a source, whose
    /// execution times are not those of this robot.
    pub(super) estimates: BTreeSet<(String, String)>,
}

impl Known {
    /// Returns whether the execution time of a task or callback is that of another robot, or of a
    /// run that was not in real time.
    pub fn is_estimate(&self, owner: &str, task: &str) -> bool {
        self.estimates.contains(&(owner.to_owned(), task.to_owned()))
    }

    /// Returns whether the time to acquire a sample of a source is such an estimate.
    pub fn is_estimated_source(&self, source: &str) -> bool {
        self.is_estimate("", source)
    }
}

/// The measurements of this very robot.
impl From<Profile> for Known {
    fn from(profile: Profile) -> Self {
        Self { profile, estimates: BTreeSet::new() }
    }
}

/// The maximum number of conditions that are remembered.
const MOST_PROFILES: usize = 6;

impl ProfileHistory {
    /// Reads a file that [`save`](Self::save) wrote, also one of an earlier version, whose
    /// conditions are not known.
    ///
    /// The file is checked as a whole before anything in it is used.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or does not contain profiles.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = fs::read(path).map_err(|source| Error::ReadProfile { path: path.to_owned(), source })?;
        Self::from_json(&text).map_err(|source| Error::InvalidProfile { path: path.to_owned(), source })
    }

    /// Parses the text of such a file, or of a single [profile](Profile).
    ///
    /// # Errors
    /// Returns an error if it does not contain profiles.
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct AnyKind {
            profiles: Option<serde::de::IgnoredAny>,
        }
        match serde_json::from_slice::<AnyKind>(text)?.profiles {
            Some(_) => {
                let mut read: Self = serde_json::from_slice(text)?;
                // The contents of the file are bounded like those that are written.
                let mut kept = Self::default();
                read.calibrations.drain(..).for_each(|costs| kept.calibrate(costs));
                read.profiles.drain(..).for_each(|profile| kept.add(profile));
                Ok(kept)
            }
            None => Profile::from_json(text).map(Self::from),
        }
    }

    /// Returns the history as text for a file.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers, strings and string keys always serialise")
    }

    /// Writes the file. It is replaced as a whole, so that a crash leaves either the old one or the
    /// new one.
    ///
    /// # Errors
    /// Returns an error if the file, or the new one beside it, cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let failed = |source| Error::Write { what: "profile", path: path.to_owned(), source };
        let beside = PathBuf::from(format!("{}.new", path.display()));
        fs::write(&beside, self.to_json()).and_then(|()| fs::rename(&beside, path)).map_err(failed)
    }

    /// Returns the profiles, each under different conditions, the newest last.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Returns the calibrations of the machine's costs, the newest last.
    pub fn calibrations(&self) -> &[MeasuredCosts] {
        &self.calibrations
    }

    /// Adds a run. Runs under the same conditions are added up; of those that were not in real
    /// time, only the newest counts.
    pub fn add(&mut self, mut run: Profile) {
        run.costs = BTreeMap::new();
        if run.conditions.pace == Pace::Other {
            run = run.without_latencies();
            // One such run is enough to guess from, with what only earlier ones contain.
            if let Some(place) = self.profiles.iter().position(|known| known.conditions.pace == Pace::Other) {
                let mut known = self.profiles.remove(place);
                known.update(run);
                run = known;
            }
        } else if let Some(place) = self.profiles.iter().position(|known| known.conditions == run.conditions) {
            let mut known = self.profiles.remove(place);
            known.merge(&run);
            run = known;
        }
        self.profiles.push(run);
        if self.profiles.len() > MOST_PROFILES {
            self.profiles.remove(0);
        }
    }

    /// Adds a calibration of the machine's costs.
    pub fn calibrate(&mut self, costs: MeasuredCosts) {
        add(&mut self.calibrations, costs);
    }

    /// Returns the costs of the machine, for threads with or without real-time priority; if that is
    /// not given, those of the newest calibration of the machine.
    pub fn costs(&self, machine: &str, has_priority: Option<bool>) -> BTreeMap<String, super::CostProfile> {
        let of_machine = || self.calibrations.iter().filter(|known| known.machine == machine);
        let has_priority = has_priority.or_else(|| of_machine().next_back().map(|known| known.has_priority));
        middle(of_machine().filter(|known| Some(known.has_priority) == has_priority))
    }

    /// Returns the durations of a robot under these conditions, known or estimated.
    pub fn known(&self, now: &Conditions) -> Known {
        let mut estimates = Profile::default();
        let (real, other): (Vec<_>, Vec<_>) =
            self.profiles.iter().partition(|profile| profile.conditions.pace == Pace::RealTime);
        for profile in other.iter().chain(&real) {
            estimates.update((*profile).clone().without_responses());
        }
        let mut measured = Profile::default();
        for profile in real.iter().filter(|profile| now.takes_as_long_as(&profile.conditions)) {
            measured.merge(&(*profile).clone().without_responses());
        }
        let is_guessed =
            |(owner, name): &(String, String)| !executions(&measured).contains(&(owner.clone(), name.clone()));
        let guessed = executions(&estimates).into_iter().filter(is_guessed).collect();
        let mut profile = estimates;
        profile.update(measured);
        // If it is not known whether the robot is given its priorities, the newest observation
        // counts.
        if let Some(observed) = self.observed(now) {
            observe(&mut profile, observed);
        }
        profile.costs = self.costs(&now.machine, now.has_priorities);
        profile.conditions = now.clone();
        Known { profile, estimates: guessed }
    }

    /// Returns the measurements of this very robot.
    pub fn observed(&self, now: &Conditions) -> Option<&Profile> {
        self.profiles.iter().rev().find(|profile| now.is_same_robot_as(&profile.conditions))
    }

    /// Returns the changes since the last run in real time, if this robot has not run yet and
    /// another one has.
    pub fn changes(&self, now: &Conditions) -> Option<Vec<String>> {
        if self.observed(now).is_some() {
            return None;
        }
        let last = self.profiles.iter().rev().find(|profile| profile.conditions.pace == Pace::RealTime)?;
        Some(now.changes_since(&last.conditions))
    }

    /// Returns the conditions of the last run in real time, or else of the last run.
    pub fn last_conditions(&self) -> Option<&Conditions> {
        let of = |profile: &&Profile| profile.conditions.pace == Pace::RealTime;
        let last = self.profiles.iter().rev().find(of).or(self.profiles.last())?;
        Some(&last.conditions)
    }
}

impl From<Profile> for ProfileHistory {
    fn from(mut profile: Profile) -> Self {
        let mut history = Self::default();
        if profile.conditions.pace == Pace::Other {
            profile.costs = BTreeMap::new();
        }
        history.add(profile);
        history
    }
}

/// Returns the owners and names whose execution times are known.
pub(super) fn executions(profile: &Profile) -> BTreeSet<(String, String)> {
    let Profile { cycles, sources, executors, .. } = profile;
    let is_there = |measured: &Measured| measured.count() > 0;
    let mut names = BTreeSet::new();
    for (cycle, measured) in cycles {
        let tasks = measured.tasks.iter().filter(|(_, measured)| is_there(measured));
        names.extend(tasks.map(|(task, _)| (cycle.clone(), task.clone())));
    }
    for (executor, measured) in executors {
        let callbacks = measured.callbacks.iter().filter(|(_, callback)| is_there(&callback.execution));
        names.extend(callbacks.map(|(callback, _)| (executor.clone(), callback.clone())));
    }
    let sources = sources.iter().filter(|(_, measured)| is_there(measured));
    names.extend(sources.map(|(source, _)| (String::new(), source.clone())));
    names
}

/// Adds the latencies of this very robot.
fn observe(profile: &mut Profile, observed: &Profile) {
    for (name, cycle) in &observed.cycles {
        profile.cycle_mut(name).response = cycle.response.clone();
    }
    profile.chains = observed.chains.clone();
    profile.links = observed.links.clone();
    for (name, ExecutorProfile { callbacks, .. }) in &observed.executors {
        let Some(known) = profile.executors.get_mut(name) else { continue };
        for (callback, measured) in callbacks {
            if let Some(known) = known.callbacks.get_mut(callback) {
                known.response = measured.response.clone();
            }
        }
    }
}
