use std::path::{Path, PathBuf};

use crate::{
    error::{StructureError, read},
    source::Source,
};

/// A file of a crate: a module, or the crate's root.
#[derive(Debug)]
pub struct Module {
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// The names of the module and of those around it; empty for a crate's root.
    pub path: Vec<String>,
    /// The contents of the file.
    pub source: Source,
}

impl Module {
    /// Returns whether this is the one file of a crate that may name atomics: `sync.rs` or a
    /// `sync/`.
    pub fn is_sync(&self) -> bool {
        self.path.iter().any(|name| name == "sync")
    }
}

/// Reads a crate's root and all files of its modules, but for those that are for tests only.
pub fn module_tree(workspace: &Path, root: &Path) -> Result<Vec<Module>, StructureError> {
    let mut modules = Vec::new();
    let mut open = vec![(root.to_owned(), Vec::new())];
    while let Some((file, path)) = open.pop() {
        let source = Source::parse(&read(&workspace.join(&file))?)
            .map_err(|cause| StructureError::NotRust { path: file.clone(), cause })?;
        for child in &source.children {
            let mut names = path.clone();
            names.extend(child.within.iter().cloned());
            names.push(child.name.clone());
            let found = match &child.at {
                Some(at) => file.parent().unwrap_or(Path::new("")).join(at),
                None => file_of(workspace, root, &names).ok_or_else(|| StructureError::NoModuleFile {
                    module: child.name.clone(),
                    declared_in: file.clone(),
                    wanted: root.parent().unwrap_or(Path::new("")).join(names.join("/")).with_extension("rs"),
                })?,
            };
            open.push((found, names));
        }
        modules.push(Module { file, path, source });
    }
    modules.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(modules)
}

fn file_of(workspace: &Path, root: &Path, names: &[String]) -> Option<PathBuf> {
    let folder = root.parent().unwrap_or(Path::new("")).join(names.join("/"));
    [folder.with_extension("rs"), folder.join("mod.rs")].into_iter().find(|file| workspace.join(file).is_file())
}
