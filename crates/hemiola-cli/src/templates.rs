//! The crates that `hemiola new` creates: their files, which are part of the program.
//!
//! A template is a folder in `templates`, and a crate of the workspace that is built and tested as
//! it stands (`tests/templates`, by links). A new crate differs by its name, in three places with
//! unique text, and by the dependency on Hemiola.

use clap::ValueEnum;

/// A robot to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A cart with two wheels that drives from waypoint to waypoint, simulated
    Cart,
    /// A rover in two processes that drives to goals around obstacles that its lidar sees,
    /// simulated
    Rover,
    /// A humanoid that keeps its balance and looks at a ball, simulated
    Humanoid,
    /// A node of a ROS 2 system: scan and odometry in, velocity out, a service, parameters
    Node,
}

/// The name of a crate, and the dependency on Hemiola in its `Cargo.toml`.
pub struct Names<'n> {
    /// The name of the crate.
    pub package: &'n str,
    /// The value of the dependency on Hemiola, as TOML.
    pub hemiola: &'n str,
    /// The value of the dependency on `hemiola-ros`, as TOML.
    pub hemiola_ros: &'n str,
}

/// A file of a template: its path in a new crate, and its contents.
type File = (&'static str, &'static str);

/// Includes files of a template. `manifest.toml` becomes `Cargo.toml`: a folder with a `Cargo.toml`
/// would be excluded from the archive of this crate.
macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[
            ("Cargo.toml", include_str!(concat!("../templates/", $folder, "/manifest.toml"))),
            (".gitignore", include_str!(concat!("../templates/", $folder, "/gitignore"))),
            $(($path, include_str!(concat!("../templates/", $folder, "/", $path)))),*
        ]
    };
}

const CART: &[File] = files!("cart":
    "robot.toml",
    "src/main.rs",
    "src/lib.rs",
    "src/representations.rs",
    "src/board.rs",
    "src/motion.rs",
    "src/motion/odometry.rs",
    "src/motion/pilot.rs",
    "src/motion/motors.rs",
    "src/planning.rs",
    "src/planning/route.rs",
    "src/logbook.rs",
    "tests/drive.rs",
);

const ROVER: &[File] = files!("rover":
    "robot.toml",
    "overlays/ros2.toml",
    "src/main.rs",
    "src/lib.rs",
    "src/representations.rs",
    "src/world.rs",
    "src/drive.rs",
    "src/drive/motors.rs",
    "src/drive/odometry.rs",
    "src/navigation.rs",
    "src/navigation/planner.rs",
    "src/announcer.rs",
    "tests/drive.rs",
);

const HUMANOID: &[File] = files!("humanoid":
    "robot.toml",
    "src/main.rs",
    "src/lib.rs",
    "src/representations.rs",
    "src/body.rs",
    "src/motion.rs",
    "src/motion/balance.rs",
    "src/motion/centre_of_mass.rs",
    "src/motion/head.rs",
    "src/motion/joints.rs",
    "src/cognition.rs",
    "src/cognition/attention.rs",
    "src/cognition/ball_finder.rs",
    "src/voice.rs",
    "tests/stand.rs",
);

const NODE: &[File] = files!("node":
    "robot.toml",
    "src/main.rs",
    "src/lib.rs",
    "src/avoider.rs",
    "src/switch.rs",
    "tests/node.rs",
);

impl Template {
    /// Returns the files of a new crate: their paths and contents.
    pub fn files(self, names: &Names<'_>) -> impl Iterator<Item = (&'static str, String)> {
        let (package, library) = (names.package.to_owned(), names.package.replace('-', "_"));
        let hemiola = format!("hemiola = {}", names.hemiola);
        let hemiola_ros = format!("hemiola-ros = {}", names.hemiola_ros);
        self.sources().iter().map(move |(path, text)| {
            let text = text.replace(&self.package(), &package).replace(&self.library(), &library);
            let is_manifest = *path == "Cargo.toml";
            (*path, if is_manifest { text.replace(HERE, &hemiola).replace(ROS_HERE, &hemiola_ros) } else { text })
        })
    }

    fn sources(self) -> &'static [File] {
        match self {
            Self::Cart => CART,
            Self::Rover => ROVER,
            Self::Humanoid => HUMANOID,
            Self::Node => NODE,
        }
    }

    /// Returns the name of the template, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cart => "cart",
            Self::Rover => "rover",
            Self::Humanoid => "humanoid",
            Self::Node => "node",
        }
    }

    /// Returns the name of the crate that the template is in this workspace.
    fn package(self) -> String {
        format!("hemiola-{}", self.name())
    }

    /// Returns the name of its library.
    fn library(self) -> String {
        format!("hemiola_{}", self.name())
    }
}

/// The dependency on Hemiola of templates, relative to their folders.
const HERE: &str = r#"hemiola = { path = "../../../hemiola" }"#;
/// The dependency of templates on `hemiola-ros`.
const ROS_HERE: &str = r#"hemiola-ros = { path = "../../../hemiola-ros" }"#;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn every_file_of_a_template_is_part_of_the_program() {
        for template in Template::value_variants() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates").join(template.name());
            let there: BTreeSet<PathBuf> = files_below(&folder).into_iter().collect();
            let embedded = template.sources().iter().map(|(path, _)| match *path {
                "Cargo.toml" => folder.join("manifest.toml"),
                ".gitignore" => folder.join("gitignore"),
                path => folder.join(path),
            });
            assert_eq!(embedded.collect::<BTreeSet<_>>(), there);
        }
    }

    #[test]
    fn a_new_crate_has_its_own_name_everywhere_and_names_hemiola_once() {
        let names = Names { package: "my-robot", hemiola: "\"0.7\"", hemiola_ros: "\"0.7\"" };
        for template in Template::value_variants() {
            let files: Vec<_> = template.files(&names).collect();
            let all: String = files.iter().map(|(_, text)| text.as_str()).collect();
            assert!(!all.contains(&template.package()) && !all.contains(&template.library()), "{all}");
            assert!(all.contains("name = \"my-robot\"") && all.contains("use my_robot::"), "{all}");
            let manifest = &files.iter().find(|(path, _)| *path == "Cargo.toml").unwrap().1;
            assert_eq!(manifest.matches("hemiola = ").count(), 1, "{manifest}");
            assert!(manifest.contains("\nhemiola = \"0.7\"\n"), "{manifest}");
            assert!(!manifest.contains(".."), "{manifest}");
        }
    }

    fn files_below(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
    }
}
