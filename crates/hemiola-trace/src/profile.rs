//! Execution times kept between runs, so that the first plan already knows them.

use crate::{
    distribution::{Bucket, Distribution},
    error::Error,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The execution times of tasks, by the names of cycle and task. A JSON file:
/// `{"cycles": {"motion": {"Walk.joints": [[52000, 81], [53000, 4]]}}}`, each pair nanoseconds and count.
///
/// ```
/// use hemiola_trace::{Distribution, Profile};
///
/// let mut execution = Distribution::new();
/// execution.record(52_000);
/// let mut profile = Profile::default();
/// profile.insert("motion", "Walk.joints", &execution);
/// assert_eq!(profile.task("motion", "Walk.joints").unwrap()[0].count, 1);
/// assert!(profile.task("motion", "Kick.joints").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    cycles: BTreeMap<String, BTreeMap<String, Vec<Bucket>>>,
}

impl Profile {
    /// Reads a profile that [`save`](Self::save) wrote.
    ///
    /// The file is checked as a whole before anything of it is used: JSON of the right form, durations and counts in range.
    ///
    /// # Errors
    /// The file cannot be read, or is no profile.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = fs::read(path).map_err(|source| Error::ReadProfile { path: path.to_owned(), source })?;
        serde_json::from_slice(&text).map_err(|source| Error::InvalidProfile { path: path.to_owned(), source })
    }

    /// Writes the profile; the file is replaced as a whole, so that a crash leaves the old one or the new one.
    ///
    /// # Errors
    /// The file, or the new one beside it, cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let failed = |source| Error::Write { what: "profile", path: path.to_owned(), source };
        let text = serde_json::to_vec(self).map_err(|source| failed(source.into()))?;
        let beside = PathBuf::from(format!("{}.new", path.display()));
        fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(failed)
    }

    /// Sets the execution times of a task.
    pub fn insert(&mut self, cycle: &str, task: &str, execution: &Distribution) {
        self.cycles.entry(cycle.to_owned()).or_default().insert(task.to_owned(), execution.buckets().collect());
    }

    /// The execution times of a task, ascending, if they are known.
    pub fn task(&self, cycle: &str, task: &str) -> Option<&[Bucket]> {
        self.cycles.get(cycle)?.get(task).map(Vec::as_slice)
    }

    /// All tasks of a cycle with their execution times.
    pub fn tasks(&self, cycle: &str) -> impl Iterator<Item = (&str, &[Bucket])> {
        self.cycles.get(cycle).into_iter().flatten().map(|(name, buckets)| (name.as_str(), buckets.as_slice()))
    }

    /// Takes over what `newer` knows; tasks that only the present one knows stay.
    pub fn update(&mut self, newer: Self) {
        for (cycle, tasks) in newer.cycles {
            self.cycles.entry(cycle).or_default().extend(tasks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(times: &[(&str, u64)]) -> Profile {
        let mut profile = Profile::default();
        for &(task, nanoseconds) in times {
            let execution = [Bucket { nanoseconds, count: 2 }].into_iter().collect();
            profile.insert("motion", task, &execution);
        }
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
        assert_eq!(profile.tasks("motion").map(|(name, _)| name).collect::<Vec<_>>(), ["kick", "walk"]);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_newer_profile_replaces_what_it_knows_and_keeps_the_rest() {
        let mut known = profile(&[("walk", 500), ("kick", 70)]);
        known.update(profile(&[("walk", 600)]));
        assert_eq!(known, profile(&[("walk", 600), ("kick", 70)]));
    }

    #[test]
    fn a_file_that_is_no_profile_is_refused_with_its_name_and_place() {
        let path = file("refused");
        for text in
            ["", "[]", r#"{"cycles": 3}"#, r#"{"cycles": {"m": {"t": [[1, -1]]}}}"#, r#"{"cycles": {}, "x": 1}"#]
        {
            fs::write(&path, text).unwrap();
            let message = Profile::load(&path).unwrap_err().to_string();
            assert!(message.contains(&path.display().to_string()) && message.contains("line"), "{message}");
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let message = Profile::default().save("/nowhere/profile.json").unwrap_err().to_string();
        assert!(message.starts_with("cannot write the profile /nowhere/profile.json: "), "{message}");
    }
}
