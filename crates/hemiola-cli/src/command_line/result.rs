//! The place for the result of a command that writes files.

use std::path::{Path, PathBuf};

use clap::Args;

/// The path of the result: the last argument, as for `cp`, or the option that other commands have.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub struct ResultArguments {
    /// The new file, or the folder
    #[arg(value_name = "OUT")]
    last: Option<PathBuf>,
    /// The same as an option
    #[arg(long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl ResultArguments {
    /// Returns the path of the new file or directory.
    pub fn path(&self) -> &Path {
        self.output.as_deref().or(self.last.as_deref()).expect("clap requires one of both")
    }
}
