//! The profiles of a robot's processes, combined into the profile of one robot.

use super::history::executions;
use super::{Known, Profile};
use std::collections::BTreeSet;

/// Returns the name of something that several processes of a robot may have, prefixed with the
/// process to which it belongs.
///
/// ```
/// assert_eq!(hemiola_trace::in_part("main", "link.vision.MotionRequest"), "main: link.vision.MotionRequest");
/// ```
pub fn in_part(process: &str, name: &str) -> String {
    format!("{process}: {name}")
}

impl Profile {
    /// Adds the profile of a process of the robot. `is_received` decides, by the name of a source,
    /// whether it comes over a link from another process: from then on, the names of these are
    /// prefixed with that of the process.
    ///
    /// ```
    /// use hemiola_trace::{LinkProfile, Profile};
    ///
    /// let mut main = Profile::default();
    /// main.links.insert("link.vision.Ball".into(), LinkProfile::default());
    /// let mut robot = Profile::default();
    /// robot.add_part("main", main, |source| source.starts_with("link.vision."));
    /// assert!(robot.links.contains_key("main: link.vision.Ball"));
    /// ```
    pub fn add_part(&mut self, process: &str, mut part: Self, is_received: impl Fn(&str) -> bool) {
        let named = |name: String| if is_received(&name) { in_part(process, &name) } else { name };
        part.sources = part.sources.into_iter().map(|(name, source)| (named(name), source)).collect();
        part.links = part.links.into_iter().map(|(name, link)| (named(name), link)).collect();
        part.chains.iter_mut().for_each(|chain| chain.source = named(std::mem::take(&mut chain.source)));
        self.merge(&part);
    }
}

impl Known {
    /// Adds what is known of a process of the robot: see [`Profile::add_part`]. Where only one of
    /// the two has measured how long something in this robot takes, that measurement counts alone.
    pub fn add_part(&mut self, process: &str, part: Self, is_received: impl Fn(&str) -> bool) {
        let Self { profile, estimates } = part;
        let mut known = Self::default();
        known.profile.add_part(process, profile, &is_received);
        known.estimates = estimates
            .into_iter()
            .map(|(owner, name)| match owner.is_empty() && is_received(&name) {
                true => (owner, in_part(process, &name)),
                false => (owner, name),
            })
            .collect();
        let measured: BTreeSet<_> = executions(&self.profile).difference(&self.estimates).cloned().collect();
        known.forget(&known.estimates.intersection(&measured).cloned().collect());
        self.forget(&executions(&known.profile).intersection(&self.estimates).cloned().collect());
        self.estimates.append(&mut known.estimates);
        self.profile.merge(&known.profile);
    }

    /// Removes execution times, by owner and name.
    fn forget(&mut self, forgotten: &BTreeSet<(String, String)>) {
        let stays = |owner: &str, name: &str| !forgotten.contains(&(owner.to_owned(), name.to_owned()));
        for (cycle, measured) in &mut self.profile.cycles {
            measured.tasks.retain(|task, _| stays(cycle, task));
        }
        for (executor, measured) in &mut self.profile.executors {
            measured.callbacks.retain(|callback, _| stays(executor, callback));
        }
        self.profile.sources.retain(|source, _| stays("", source));
        self.estimates.retain(|(owner, name)| stays(owner, name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Conditions, Distribution, Pace, ProfileHistory};

    fn conditions(build: &str) -> Conditions {
        Conditions { pace: Pace::RealTime, build: build.into(), ..Conditions::default() }
    }

    /// Returns what is known from one run of a build, for today's build.
    fn known(build: &str, tasks: &[&str], nanoseconds: u64) -> Known {
        let mut execution = Distribution::new();
        execution.record(nanoseconds);
        let mut run = Profile { conditions: conditions(build), ..Profile::default() };
        tasks.iter().for_each(|task| run.insert("motion", task, &execution));
        run.sources.insert("link.vision.Ball".into(), (&execution).into());
        ProfileHistory::from(run).known(&conditions("today's"))
    }

    #[test]
    fn what_one_process_has_measured_counts_alone_and_estimates_of_all_are_estimates() {
        let is_received = |name: &str| name.starts_with("link.vision.");
        let mut robot = known("yesterday's", &["Walk.joints", "Kick.joints"], 9_000);
        robot.add_part("main", known("today's", &["Walk.joints"], 5_000), is_received);
        robot.add_part("vision", known("yesterday's", &["Walk.joints"], 7_000), is_received);
        let longest = |task| robot.profile.task("motion", task).unwrap().maximum();
        assert_eq!((longest("Walk.joints"), longest("Kick.joints")), (5_000, 9_000));
        let is_estimate = |task| robot.is_estimate("motion", task);
        assert_eq!((is_estimate("Walk.joints"), is_estimate("Kick.joints")), (false, true));
        let received = ["main: link.vision.Ball", "vision: link.vision.Ball"];
        assert_eq!(received.map(|name| robot.is_estimated_source(name)), [false, true]);
        assert_eq!(robot.profile.sources["main: link.vision.Ball"].maximum(), 5_000);
    }
}
