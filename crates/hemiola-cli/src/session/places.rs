//! The places of files that a robot writes and reads again: beside its robot.toml instead of the
//! folder in which it happens to be started.

use std::path::{Path, PathBuf};

use hemiola_config::{Base, Origins};
use hemiola_model::configuration::Configuration;

/// Resolves every relative path of the configuration: one in a file relative to that file's folder,
/// one in the command line relative to the current folder. The profile of a robot that has no file
/// is kept in `state`.
pub fn settle(configuration: &mut Configuration, origins: &Origins, state: Option<&Path>) {
    let Configuration { output, log, .. } = configuration;
    for (key, path) in [
        ("output.trace", &mut output.trace),
        ("output.statistics", &mut output.statistics),
        ("log.folder", &mut log.folder),
    ] {
        *path = path.take().map(|path| beside(&path, key, origins).unwrap_or(path));
    }
    output.profile = output.profile.take().map(|path| {
        let kept = || if is_typed("output.profile", origins) { None } else { Some(state?.join(&path)) };
        beside(&path, "output.profile", origins).or_else(kept).unwrap_or(path)
    });
}

/// Returns the folder for traces without a path: beside robot.toml. Traces of a robot without one
/// are left in the current folder, because they are many and large, and nobody would notice that
/// they pile up elsewhere.
pub fn traces(base: &Base) -> PathBuf {
    let folder = match base {
        Base::File(path) => path.parent().unwrap_or(Path::new("")),
        _ => Path::new(""),
    };
    folder.join("traces")
}

/// Returns the path of a file beside another one, with a suffix to its name: `game-vision.mcap`.
pub fn sibling(path: &Path, ending: &str) -> PathBuf {
    let Some(stem) = path.file_stem() else { return path.to_owned() };
    let mut name = stem.to_owned();
    name.push(ending);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Resolves a relative path in a file relative to that file's folder.
fn beside(path: &Path, key: &str, origins: &Origins) -> Option<PathBuf> {
    let file = Path::new(origins.of(key)?.place.file());
    (path.is_relative() && !is_typed(key, origins) && file.is_file())
        .then(|| file.parent().unwrap_or(Path::new("")).join(path))
}

fn is_typed(key: &str, origins: &Origins) -> bool {
    origins.of(key).is_some_and(|origin| origin.place.file() == "--set")
}

/// Returns the user's folder for state of programs, by the XDG Base Directory Specification.
pub fn state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")))?;
    let program = std::env::current_exe().ok()?;
    Some(state.join("hemiola").join(program.file_stem()?))
}

#[cfg(test)]
mod tests {
    use hemiola_config::{Catalog, LoadOptions, load};

    use super::*;

    const NAMES: &str = "[cycle.main]\nrate = 30.0\n[output]\nprofile = 'p.json'\ntrace = 't/t.pftrace'\n\
        statistics = '/s.json'\n[log]\nfolder = 'logs'\n";

    fn settled(base: Base, assignments: &[&str]) -> [Option<PathBuf>; 4] {
        let assignments = assignments.iter().map(|&assignment| assignment.to_owned()).collect();
        let options = LoadOptions { assignments, ..LoadOptions::new(base) };
        let mut loaded = load(&options, &Catalog::default()).unwrap();
        settle(&mut loaded.configuration, &loaded.origins, Some(Path::new("/state/robot")));
        let Configuration { output, log, .. } = loaded.configuration;
        [output.profile, output.trace, output.statistics, log.folder]
    }

    #[test]
    fn what_a_file_names_lies_beside_it_wherever_one_stands() {
        let folder = std::env::temp_dir().join(format!("hemiola-places-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let robot = folder.join("robot.toml");
        std::fs::write(&robot, NAMES).unwrap();
        let beside = |name: &str| Some(folder.join(name));
        let [profile, trace, statistics, log] = settled(Base::File(robot.clone()), &[]);
        assert_eq!([profile, trace, log], ["p.json", "t/t.pftrace", "logs"].map(beside));
        assert_eq!(statistics, Some("/s.json".into()));
        assert_eq!(traces(&Base::File(robot.clone())), folder.join("traces"));
        // Paths of the command line are meant from the present folder.
        let typed = ["output.profile='here.json'", "log.folder='here'"];
        let [profile, _, _, log] = settled(Base::File(robot), &typed);
        assert_eq!([profile, log], ["here.json", "here"].map(|name| Some(PathBuf::from(name))));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_robot_without_a_file_keeps_its_profile_in_the_users_state_folder() {
        let built_in = || Base::Text { name: "built-in robot.toml".into(), text: NAMES.into() };
        let [profile, trace, ..] = settled(built_in(), &[]);
        assert_eq!((profile, trace), (Some("/state/robot/p.json".into()), Some("t/t.pftrace".into())));
        let [profile, ..] = settled(built_in(), &["output.profile='here.json'"]);
        assert_eq!(profile, Some("here.json".into()));
        assert_eq!(traces(&built_in()), Path::new("traces"));
    }
}
