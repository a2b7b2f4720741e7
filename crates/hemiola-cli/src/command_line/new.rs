//! What can be typed after `new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::templates::Template;

#[derive(Args, Debug)]
pub struct NewArguments {
    /// The new folder; its name is that of the crate
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// What the robot begins as
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Template::Cart)]
    pub template: Template,
    /// A clone of Hemiola that the robot uses; by default what this program was built from
    #[arg(long, value_name = "FOLDER")]
    pub hemiola: Option<PathBuf>,
    /// Make a repository or none; by default one of git if that is installed, unless the folder is
    /// in a repository already
    #[arg(long, value_name = "WHICH", value_enum)]
    pub vcs: Option<VersionControl>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VersionControl {
    /// A repository of git
    Git,
    /// No repository
    None,
}
