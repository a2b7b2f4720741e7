//! `new`: a crate with a robot that runs immediately.

mod hemiola;
mod name;
mod repository;
mod workspace;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use super::print;
use crate::command_line::new::NewArguments;
use crate::error::CommandError;
use crate::notes::tell;
use crate::shell::quoted;
use crate::templates::Names;

/// Creates the crate, or leaves nothing behind.
pub fn new(arguments: &NewArguments) -> Result<ExitCode, CommandError> {
    let folder = &arguments.folder;
    let name = name::of(folder)?;
    let hemiola = hemiola::dependency(arguments.hemiola.as_deref())?;
    let crate_folder = NewFolder::make(folder)?;
    let names = Names { package: &name, hemiola: &hemiola.toml, hemiola_ros: &hemiola.ros };
    for (path, text) in arguments.template.files(&names) {
        write(&folder.join(path), &text)?;
    }
    let workspace = workspace::around(folder);
    if workspace.is_some() {
        workspace::leave(folder)?;
    }
    let has_repository = repository::make(folder, arguments.vcs)?;
    crate_folder.keep();

    let shown = folder.display();
    let with_repository = if has_repository { ", with a git repository" } else { "" };
    tell(format_args!("created the robot `{name}` in {shown}{with_repository}"));
    tell(&hemiola.remark);
    if let Some(workspace) = workspace {
        tell(format_args!(
            "it is not a member of the workspace {} (a workspace has profiles for all of its crates)",
            workspace.display()
        ));
    }
    tell("next (the first build takes some minutes):");
    print(&format!("  cd {}\n  cargo run\n", quoted(&folder.display().to_string())))
}

/// A folder that is removed again unless it is kept.
struct NewFolder<'p> {
    path: &'p Path,
    is_kept: bool,
}

impl<'p> NewFolder<'p> {
    fn make(path: &'p Path) -> Result<Self, CommandError> {
        match fs::create_dir(path) {
            Ok(()) => Ok(Self { path, is_kept: false }),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(CommandError::Usage(format!(
                "{} already exists, and a new robot overwrites nothing: choose another name, or remove it",
                path.display()
            ))),
            Err(error) => Err(CommandError::Write { path: path.to_owned(), error }),
        }
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for NewFolder<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            _ = fs::remove_dir_all(self.path);
        }
    }
}

/// Writes a file, and creates its folder.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| CommandError::Write { path: path.to_owned(), error })
}
