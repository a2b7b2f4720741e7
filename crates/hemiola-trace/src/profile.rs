//! The measurements of earlier runs, from which the first plan knows how long everything takes, and
//! on which bounds rest.

mod conditions;
mod costs;
mod executor;
mod format;
mod held_up;
mod history;
mod link;
mod measured;
mod part;
#[cfg(test)]
mod tests;

pub use conditions::{Conditions, Pace};
pub use costs::{CALIBRATIONS, CostProfile, MeasuredCosts};
pub use executor::{CallbackOrder, CallbackProfile, ExecutorProfile, ExecutorThread};
pub use held_up::HeldUp;
pub use history::{Known, ProfileHistory};
pub use link::LinkProfile;
pub use measured::Measured;
pub use part::in_part;

use crate::distribution::Distribution;
use format::{AnyFormat, FirstFormat, Format, ThirdFormat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The durations of runs under the same conditions, by the names of cycles, tasks, sources, chains
/// and executors. [`ProfileHistory`] keeps them.
///
/// ```
/// use hemiola_trace::{Distribution, Profile};
///
/// let mut execution = Distribution::new();
/// execution.record(52_000);
/// let mut profile = Profile::default();
/// profile.insert("motion", "Walk.joints", &execution);
///
/// let other_run = profile.clone();
/// profile.merge(&other_run);
/// assert_eq!(profile.task("motion", "Walk.joints").unwrap().count(), 2);
/// assert!(profile.task("motion", "Kick.joints").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    format: Format,
    /// The conditions of the measurement, which keep the durations of different robots apart.
    #[serde(default)]
    pub conditions: Conditions,
    /// The number of runs that were measured.
    #[serde(default)]
    pub runs: u64,
    /// The costs of the machine itself, by name: the wake-up of a thread, a late timer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<String, CostProfile>,
    /// The cycles that ran, by name.
    #[serde(default)]
    pub cycles: BTreeMap<String, CycleProfile>,
    /// The times that each source paced by the framework took to acquire a sample.
    #[serde(default)]
    pub sources: BTreeMap<String, Measured>,
    /// The chains that had an output.
    #[serde(default)]
    pub chains: Vec<ChainProfile>,
    /// The executors beside the cycles whose callbacks ran, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub executors: BTreeMap<String, ExecutorProfile>,
    /// The links over which values came, by the names of the sources that they are here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, LinkProfile>,
}

/// The measurements of a cycle.
///
/// ```
/// use hemiola_trace::{Distribution, Profile};
///
/// let mut profile = Profile::default();
/// for (task, nanoseconds) in [("Walk.joints", 52_000), ("Balance.pressure", 8_000)] {
///     let mut execution = Distribution::new();
///     execution.record(nanoseconds);
///     profile.insert("motion", task, &execution);
/// }
/// // The longest that all tasks of the cycle took, one after the other.
/// let tasks = profile.cycles["motion"].tasks.values();
/// assert_eq!(tasks.map(|task| task.maximum()).sum::<u64>(), 60_000);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleProfile {
    /// The times from entry to return of each task, where nothing interrupted it.
    pub tasks: BTreeMap<String, Measured>,
    /// The times from trigger to end of a run, on the robot's own threads in real time.
    #[serde(default)]
    pub response: Measured,
}

/// The measurements of a chain from a sensor to an output, on the robot's own threads in real time.
///
/// ```
/// use hemiola_trace::Profile;
/// # use hemiola_trace::{ChainProfile, Distribution};
/// # let mut reaction = Distribution::new();
/// # reaction.record(53_500_000);
/// # let (source, cycle, output) = ("Camera".into(), "motion".into(), "Motors.send".into());
/// # let chain = ChainProfile { source, cycle, output, reaction: reaction.into(), ..ChainProfile::default() };
/// # let mut profile = Profile::default();
/// # profile.chains.push(chain);
///
/// let chain = profile.chain("Camera", "motion", "Motors.send").unwrap();
/// assert_eq!(chain.reaction.maximum(), 53_500_000);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainProfile {
    /// The source of the samples.
    pub source: String,
    /// The cycle of the output task.
    pub cycle: String,
    /// The output task.
    pub output: String,
    /// The reaction times, as in [`ChainStatistics::reaction`](crate::ChainStatistics).
    pub reaction: Measured,
    /// The data ages, as in [`ChainStatistics::data_age`](crate::ChainStatistics).
    pub data_age: Measured,
    /// The ages of the newest sample, as in
    /// [`ChainStatistics::newest_age`](crate::ChainStatistics).
    #[serde(default)]
    pub newest_age: Measured,
}

impl ChainProfile {
    /// Adds the measurements of another run, or along another path.
    pub fn merge(&mut self, other: &Self) {
        self.reaction.merge(&other.reaction);
        self.data_age.merge(&other.data_age);
        self.newest_age.merge(&other.newest_age);
    }
}

impl Profile {
    /// Parses the text of a profile, as logs contain it, also of an earlier version, whose
    /// conditions are not known.
    ///
    /// # Errors
    /// Returns an error if the text is not a profile.
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        match serde_json::from_slice::<AnyFormat>(text)?.format {
            None => Ok(serde_json::from_slice::<FirstFormat>(text)?.into()),
            Some(3) => Ok(serde_json::from_slice::<ThirdFormat>(text)?.into()),
            Some(_) => serde_json::from_slice(text),
        }
    }

    /// Returns the profile as text for a log.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers, strings and string keys always serialise")
    }

    /// Returns the measurements of a cycle, to which others can be added.
    pub fn cycle_mut(&mut self, cycle: &str) -> &mut CycleProfile {
        self.cycles.entry(cycle.to_owned()).or_default()
    }

    /// Sets the execution times of a task.
    pub fn insert(&mut self, cycle: &str, task: &str, execution: &Distribution) {
        self.cycle_mut(cycle).tasks.insert(task.to_owned(), execution.into());
    }

    /// Returns the execution times of a task, if they are known.
    pub fn task(&self, cycle: &str, task: &str) -> Option<&Measured> {
        self.cycles.get(cycle)?.tasks.get(task)
    }

    /// Returns the measurements of a chain, if it had an output.
    pub fn chain(&self, source: &str, cycle: &str, output: &str) -> Option<&ChainProfile> {
        self.chains.iter().find(|chain| chain.source == source && chain.cycle == cycle && chain.output == output)
    }

    /// Replaces durations by those of `newer`, and keeps what `newer` lacks. It is for planning,
    /// where the newest durations count.
    pub fn update(&mut self, newer: Self) {
        for (name, cycle) in newer.cycles {
            let known = self.cycle_mut(&name);
            known.tasks.extend(cycle.tasks);
            known.response = cycle.response;
        }
        self.sources.extend(newer.sources);
        for chain in newer.chains {
            match self.chain_mut(&chain) {
                Some(known) => *known = chain,
                None => self.chains.push(chain),
            }
        }
        for (name, executor) in newer.executors {
            self.executors.entry(name).or_default().update(executor);
        }
        self.links.extend(newer.links);
        self.costs.extend(newer.costs);
        self.conditions = newer.conditions;
        self.runs = newer.runs;
    }

    /// Adds another run under the same conditions. It is for bounds, where every run is evidence.
    pub fn merge(&mut self, other: &Self) {
        self.runs = self.runs.saturating_add(other.runs);
        for (name, cycle) in &other.cycles {
            let known = self.cycle_mut(name);
            for (task, measured) in &cycle.tasks {
                known.tasks.entry(task.clone()).or_default().merge(measured);
            }
            known.response.merge(&cycle.response);
        }
        for (cost, measured) in &other.costs {
            self.costs.insert(cost.clone(), *measured);
        }
        for (source, measured) in &other.sources {
            self.sources.entry(source.clone()).or_default().merge(measured);
        }
        for (name, executor) in &other.executors {
            self.executors.entry(name.clone()).or_default().merge(executor);
        }
        for (name, link) in &other.links {
            self.links.entry(name.clone()).or_default().merge(link);
        }
        for chain in &other.chains {
            match self.chain_mut(chain) {
                Some(known) => known.merge(chain),
                None => self.chains.push(chain.clone()),
            }
        }
    }

    /// Removes everything but execution times: those of a run that was stepped, or slowed down, do
    /// not show when something happened.
    #[must_use]
    pub fn without_latencies(mut self) -> Self {
        self.cycles.values_mut().for_each(|cycle| cycle.response = Measured::default());
        self.chains.clear();
        self.links.clear();
        self.executors.values_mut().for_each(ExecutorProfile::forget_latencies);
        self
    }

    /// Removes response times; the density of messages stays if the run was in real time.
    fn without_responses(mut self) -> Self {
        if self.conditions.pace == Pace::Other {
            return self.without_latencies();
        }
        self.cycles.values_mut().for_each(|cycle| cycle.response = Measured::default());
        self.chains.clear();
        self.links.clear();
        let callbacks = self.executors.values_mut().flat_map(|executor| executor.callbacks.values_mut());
        callbacks.for_each(|callback| callback.response = Measured::default());
        self
    }

    fn chain_mut(&mut self, of: &ChainProfile) -> Option<&mut ChainProfile> {
        self.chains
            .iter_mut()
            .find(|chain| (&chain.source, &chain.cycle, &chain.output) == (&of.source, &of.cycle, &of.output))
    }
}
