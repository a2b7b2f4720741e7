//! The arguments of `export`.

use clap::{Args, Subcommand};

use super::{ConfigurationArguments, ResultArguments};

#[derive(Args, Debug)]
pub struct ExportArguments {
    #[command(subcommand)]
    pub command: ExportCommand,
}

#[derive(Subcommand, Debug)]
pub enum ExportCommand {
    /// Write the robot's types as packages for a ROS 2 workspace
    #[command(after_help = "Examples:
  export ros-package src              packages in src/, for `colcon build`
  export ros-package src --only Ball,WorldModel
                                      only these representations and topics, and the types in them
  export ros-package src --maintainer \"Ada <ada@example.com>\" --license Apache-2.0

There is a package for each Rust crate with types in it; packages of ROS 2 itself, such as sensor_msgs, are named as dependencies.
Services are those that the program declares with `Application::service`, actions those of `[ros2]`. More: docs/book/src/ros2.md.")]
    RosPackage(RosPackageArguments),
}

#[derive(Args, Debug)]
pub struct RosPackageArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    #[command(flatten)]
    pub result: ResultArguments,
    /// Only these representations, topics, services and actions
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// The maintainer of the packages: "NAME <EMAIL>"
    #[arg(long, value_name = "NAME <EMAIL>", value_parser = parse_maintainer)]
    pub maintainer: Option<Maintainer>,
    /// The packages' licence, such as Apache-2.0
    #[arg(long, value_name = "NAME")]
    pub license: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maintainer {
    pub name: String,
    pub email: String,
}

fn parse_maintainer(text: &str) -> Result<Maintainer, String> {
    let parsed = text.split_once('<').and_then(|(name, rest)| Some((name.trim(), rest.strip_suffix('>')?.trim())));
    match parsed {
        Some((name, email)) if !name.is_empty() && email.contains('@') => {
            Ok(Maintainer { name: name.to_owned(), email: email.to_owned() })
        }
        _ => Err("write a name and an address, such as \"Ada <ada@example.com>\"".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maintainer_has_a_name_and_an_address() {
        let ada = Maintainer { name: "Ada L.".into(), email: "ada@example.com".into() };
        assert_eq!(parse_maintainer("Ada L. <ada@example.com>"), Ok(ada));
        for text in ["", "Ada", "ada@example.com", "<ada@example.com>", "Ada <ada>", "Ada <ada@example.com"] {
            assert!(parse_maintainer(text).is_err(), "{text}");
        }
    }
}
