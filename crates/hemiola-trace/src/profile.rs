//! What was measured in earlier runs: so that the first plan already knows how long everything
//! takes, and bounds have something to rest on.

mod executor;
mod format;
mod held_up;
mod measured;

pub use executor::{CallbackOrder, CallbackProfile, ExecutorProfile, ExecutorThread};
pub use held_up::HeldUp;
pub use measured::Measured;

use crate::{distribution::Distribution, error::Error};
use format::{AnyFormat, FirstFormat, Format};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Durations by the names of cycles, tasks, sources, chains and executors. A JSON file.
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
    /// The program that was measured, so that nobody takes the durations of one for those of
    /// another.
    #[serde(default)]
    pub program: String,
    /// What the machine takes for itself, by name: the wake-up of a thread, a late timer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<String, CostProfile>,
    /// Each cycle that ran.
    #[serde(default)]
    pub cycles: BTreeMap<String, CycleProfile>,
    /// How long each source that the framework paces took for a sample.
    #[serde(default)]
    pub sources: BTreeMap<String, Measured>,
    /// Each chain that was gone through.
    #[serde(default)]
    pub chains: Vec<ChainProfile>,
    /// Each executor beside the cycles, whose callbacks were called.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub executors: BTreeMap<String, ExecutorProfile>,
}

/// What the machine takes for itself each time.
///
/// ```
/// use hemiola_trace::CostProfile;
/// let wake_up = CostProfile { samples: 200, p99: 48_000, maximum: 9_300_000 };
/// assert!(wake_up.maximum > 100 * wake_up.p99); // once, something else had the core
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostProfile {
    /// How often it was measured.
    pub samples: u64,
    /// What 99 % of the measurements do not exceed, in nanoseconds.
    pub p99: u64,
    /// The most, in nanoseconds.
    pub maximum: u64,
}

/// What was measured of a cycle.
///
/// ```
/// use hemiola_trace::CycleProfile;
/// assert_eq!(CycleProfile::default().response.count(), 0);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleProfile {
    /// From entry to return of each task, where nothing interrupted it.
    pub tasks: BTreeMap<String, Measured>,
    /// From trigger to end of a run, on the robot's own threads in real time.
    #[serde(default)]
    pub response: Measured,
}

/// What was measured of a chain from a sensor to an output, on the robot's own threads in real
/// time.
///
/// ```
/// use hemiola_trace::ChainProfile;
/// assert_eq!(ChainProfile::default().reaction.maximum(), 0);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainProfile {
    /// The source of the samples.
    pub source: String,
    /// The cycle that puts out.
    pub cycle: String,
    /// The task that puts out.
    pub output: String,
    /// As [`ChainStatistics::reaction`](crate::ChainStatistics).
    pub reaction: Measured,
    /// As [`ChainStatistics::data_age`](crate::ChainStatistics).
    pub data_age: Measured,
}

impl Profile {
    /// Reads a profile that [`save`](Self::save) wrote, also one of the first format, which had
    /// durations of tasks only.
    ///
    /// The file is checked as a whole before anything of it is used: JSON of the right form,
    /// durations and counts in range.
    ///
    /// # Errors
    /// The file cannot be read, or is no profile.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = fs::read(path).map_err(|source| Error::ReadProfile { path: path.to_owned(), source })?;
        Self::from_json(&text).map_err(|source| Error::InvalidProfile { path: path.to_owned(), source })
    }

    /// Reads the text of such a file, as it is in logs.
    ///
    /// # Errors
    /// It is no profile.
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        match serde_json::from_slice::<AnyFormat>(text)?.format {
            None => Ok(serde_json::from_slice::<FirstFormat>(text)?.into()),
            Some(_) => serde_json::from_slice(text),
        }
    }

    /// As text for a file or a log.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers, strings and string keys always serialise")
    }

    /// Writes the profile; the file is replaced as a whole, so that a crash leaves the old one or
    /// the new one.
    ///
    /// # Errors
    /// The file, or the new one beside it, cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let failed = |source| Error::Write { what: "profile", path: path.to_owned(), source };
        let beside = PathBuf::from(format!("{}.new", path.display()));
        fs::write(&beside, self.to_json()).and_then(|()| fs::rename(&beside, path)).map_err(failed)
    }

    /// What was measured of a cycle, to be added to.
    pub fn cycle_mut(&mut self, cycle: &str) -> &mut CycleProfile {
        self.cycles.entry(cycle.to_owned()).or_default()
    }

    /// Sets the execution times of a task.
    pub fn insert(&mut self, cycle: &str, task: &str, execution: &Distribution) {
        self.cycle_mut(cycle).tasks.insert(task.to_owned(), execution.into());
    }

    /// The execution times of a task, if they are known.
    pub fn task(&self, cycle: &str, task: &str) -> Option<&Measured> {
        self.cycles.get(cycle)?.tasks.get(task)
    }

    /// What was measured of a chain, if it was gone through.
    pub fn chain(&self, source: &str, cycle: &str, output: &str) -> Option<&ChainProfile> {
        self.chains.iter().find(|chain| chain.source == source && chain.cycle == cycle && chain.output == output)
    }

    /// Takes over what `newer` knows; what only the present one knows stays. For planning, where
    /// the newest counts.
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
        self.costs.extend(newer.costs);
        self.program = newer.program;
    }

    /// Adds another run of the same program. For bounds, where every run is evidence.
    pub fn merge(&mut self, other: &Self) {
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
        for chain in &other.chains {
            match self.chain_mut(chain) {
                Some(known) => {
                    known.reaction.merge(&chain.reaction);
                    known.data_age.merge(&chain.data_age);
                }
                None => self.chains.push(chain.clone()),
            }
        }
    }

    /// Execution times alone: those of a run that was stepped, or slowed down, say nothing about
    /// when something was done.
    #[must_use]
    pub fn without_latencies(mut self) -> Self {
        self.cycles.values_mut().for_each(|cycle| cycle.response = Measured::default());
        self.chains.clear();
        self.executors.values_mut().for_each(ExecutorProfile::forget_latencies);
        self
    }

    fn chain_mut(&mut self, of: &ChainProfile) -> Option<&mut ChainProfile> {
        self.chains
            .iter_mut()
            .find(|chain| (&chain.source, &chain.cycle, &chain.output) == (&of.source, &of.cycle, &of.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Bucket;

    fn measured(nanoseconds: u64, count: u32) -> Measured {
        [Bucket { nanoseconds, count }].into_iter().collect::<Distribution>().into()
    }

    fn profile(times: &[(&str, u64)]) -> Profile {
        let mut profile = Profile { program: "robot".into(), ..Profile::default() };
        for &(task, nanoseconds) in times {
            let execution = [Bucket { nanoseconds, count: 2 }].into_iter().collect();
            profile.insert("motion", task, &execution);
        }
        profile.cycle_mut("motion").response = measured(5_000, 9);
        profile.sources.insert("imu".into(), measured(7, 1));
        let (reaction, data_age) = (measured(9_000, 3), measured(8_000, 3));
        let names = ["imu", "motion", "legs"].map(str::to_owned);
        let [source, cycle, output] = names;
        profile.chains.push(ChainProfile { source, cycle, output, reaction, data_age });
        profile
    }

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("hemiola-profile-{}-{name}.json", std::process::id()))
    }

    #[test]
    fn a_profile_survives_its_file() {
        let (path, profile) = (file("survives"), profile(&[("walk", 500), ("kick", 70)]));
        profile.save(&path).unwrap();
        assert_eq!(Profile::load(&path).unwrap(), profile);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_newer_profile_replaces_what_it_knows_and_keeps_the_rest() {
        let mut known = profile(&[("walk", 500), ("kick", 70)]);
        known.update(profile(&[("walk", 600)]));
        assert_eq!(known, profile(&[("walk", 600), ("kick", 70)]));
    }

    #[test]
    fn runs_of_the_same_program_add_up_and_no_maximum_is_lost() {
        let mut known = profile(&[("walk", 500)]);
        known.merge(&profile(&[("walk", 600), ("kick", 70)]));
        let walk = known.task("motion", "walk").unwrap();
        assert_eq!((walk.count(), walk.minimum(), walk.maximum()), (4, 500, 600));
        assert_eq!((walk.quantile(0.5), walk.quantile(0.51), walk.quantile(1.0)), (500, 600, 600));
        let chain = known.chain("imu", "motion", "legs").unwrap();
        assert_eq!((chain.reaction.count(), known.sources["imu"].count()), (6, 2));
        assert_eq!(known.cycles["motion"].response.count(), 18);
        assert_eq!(known.without_latencies().cycles["motion"].response.count(), 0);
    }

    #[test]
    fn profiles_of_the_first_format_are_read() {
        let text = br#"{"cycles": {"motion": {"Walk.joints": [[52000, 81], [53000, 4]]}}}"#;
        let profile = Profile::from_json(text).unwrap();
        let walk = profile.task("motion", "Walk.joints").unwrap();
        assert_eq!((walk.count(), walk.maximum()), (85, 53_000));
    }

    #[test]
    fn a_file_that_is_no_profile_is_refused_with_its_name_and_place() {
        let path = file("refused");
        for text in [
            "",
            "[]",
            r#"{"cycles": 3}"#,
            r#"{"cycles": {"m": {"t": [[1, -1]]}}}"#,
            r#"{"format": 3, "cycles": {}, "x": 1}"#,
            r#"{"format": 3, "sources": {"imu": {"maximum": 3}}}"#,
        ] {
            fs::write(&path, text).unwrap();
            let message = Profile::load(&path).unwrap_err().to_string();
            assert!(message.contains(&path.display().to_string()) && message.contains("line"), "{message}");
        }
        fs::write(&path, r#"{"format": 9}"#).unwrap();
        let message = Profile::load(&path).unwrap_err().to_string();
        assert!(message.contains("its format is 9, and this program knows 3 at most"), "{message}");
        fs::write(&path, r#"{"format": 2}"#).unwrap();
        let message = Profile::load(&path).unwrap_err().to_string();
        assert!(
            message.contains("of an earlier version") && message.ends_with("(delete it; a run writes a new one)"),
            "{message}"
        );
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let message = Profile::default().save("/nowhere/profile.json").unwrap_err().to_string();
        assert!(message.starts_with("cannot write the profile /nowhere/profile.json: "), "{message}");
    }
}
