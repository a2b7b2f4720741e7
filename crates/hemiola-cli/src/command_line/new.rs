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
    /// The clone of Hemiola for the robot to use; default: the one from which this program was
    /// built
    #[arg(long, value_name = "FOLDER")]
    pub hemiola: Option<PathBuf>,
    /// The version control; default: a git repository if git is installed and the folder is not in
    /// a repository already
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
