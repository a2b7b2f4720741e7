//! The arguments of `new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::templates::Template;

#[derive(Args, Debug)]
pub struct NewArguments {
    /// The new folder, whose name is also the name of the crate
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The robot to begin with
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Template::Cart)]
    pub template: Template,
    /// A clone of Hemiola that the robot uses; default: the one that this program was built from
    #[arg(long, value_name = "FOLDER")]
    pub hemiola: Option<PathBuf>,
    /// Create a repository or none; default: a git repository if git is installed and the folder
    /// is not in a repository already
    #[arg(long, value_name = "WHICH", value_enum)]
    pub vcs: Option<VersionControl>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VersionControl {
    /// A git repository
    Git,
    /// No repository
    None,
}
