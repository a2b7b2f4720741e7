//! Profiles made as if they had been measured for a robot.

use std::path::Path;

use hemiola::configuration::{Base, Catalog, LoadOptions, Loaded, load};
use hemiola::trace::{Profile, ProfileHistory};
use hemiola_insight::profile::{add_run, recall};
use hemiola_runtime::Robot;

/// Saves a profile as that of the robot of a file, as it is now.
pub fn keep(profile: &Profile, robot: &Path, path: &Path) {
    let options = LoadOptions::new(Base::File(robot.to_owned()));
    let Loaded { configuration, origins, .. } = load(&options, &Catalog::linked()).unwrap();
    let (_, known) = recall(Robot::assemble(configuration).unwrap(), &origins, &ProfileHistory::default());
    let mut history = ProfileHistory::default();
    add_run(&mut history, &known.profile.conditions, profile.clone(), true);
    history.save(path).unwrap();
}

/// Returns the profile of the robot that ran last.
#[allow(dead_code, reason = "not every test reads what was measured")]
pub fn last(path: &Path) -> Profile {
    ProfileHistory::load(path).unwrap().profiles().last().unwrap().clone()
}
