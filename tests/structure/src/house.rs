use std::path::{Path, PathBuf};

use toml::Table;

use crate::{
    circles::ModuleGraph,
    error::{StructureError, read},
    module_tree::{Module, module_tree},
};

/// The workspace: its crates, in the order of its manifest.
#[derive(Debug)]
pub struct House {
    /// The folder of the workspace's manifest.
    pub root: PathBuf,
    /// The crates of the workspace.
    pub crates: Vec<Crate>,
}

/// One crate of the workspace, as far as its structure goes.
#[derive(Debug)]
pub struct Crate {
    /// The package's name.
    pub name: String,
    /// The package's folder, relative to the workspace.
    pub folder: String,
    /// The crates of the workspace that it is built from; not those that only its tests need.
    pub needs: Vec<String>,
    /// The modules of the crate's library and program, without those that are for tests only.
    pub modules: Vec<Module>,
    /// The uses between the crate's top-level modules.
    pub graph: ModuleGraph,
}

impl House {
    /// Reads the workspace in which this program was started: a build may have come from another
    /// copy of it, with which it shares the folder of its targets.
    pub fn here() -> Result<Self, StructureError> {
        let started =
            std::env::current_dir().map_err(|cause| StructureError::Unreadable { path: ".".into(), cause })?;
        let is_root = |folder: &&Path| folder.join("tests/structure/Cargo.toml").is_file();
        let root = started.ancestors().find(is_root);
        Self::read(root.ok_or_else(|| StructureError::Outside { path: started.clone() })?)
    }

    /// Reads the workspace whose manifest lies in a folder.
    pub fn read(root: &Path) -> Result<Self, StructureError> {
        let manifest = read_toml(&root.join("Cargo.toml"))?;
        let folders: Vec<String> = manifest
            .get("workspace")
            .and_then(|workspace| workspace.get("members"))
            .and_then(|members| members.as_array())
            .ok_or_else(|| StructureError::Missing { path: root.join("Cargo.toml"), what: "[workspace] members" })?
            .iter()
            .filter_map(|member| member.as_str().map(str::to_owned))
            .collect();
        let mut crates = Vec::new();
        for folder in folders {
            crates.push(Crate::read(root, folder)?);
        }
        let names: Vec<String> = crates.iter().map(|one| one.name.clone()).collect();
        for one in &mut crates {
            one.needs.retain(|name| names.contains(name));
        }
        Ok(Self { root: root.to_owned(), crates })
    }
}

impl Crate {
    fn read(root: &Path, folder: String) -> Result<Self, StructureError> {
        let path = root.join(&folder).join("Cargo.toml");
        let manifest = read_toml(&path)?;
        let name = manifest
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(|name| name.as_str())
            .ok_or_else(|| StructureError::Missing { path: path.clone(), what: "package name" })?
            .to_owned();
        let needs = ["dependencies", "build-dependencies"]
            .iter()
            .filter_map(|section| manifest.get(*section)?.as_table())
            .flat_map(|dependencies| dependencies.keys().cloned())
            .collect();
        let mut modules = Vec::new();
        let mut graph = ModuleGraph::default();
        for entry in ["src/lib.rs", "src/main.rs"] {
            if root.join(&folder).join(entry).is_file() {
                let of_this = module_tree(root, &Path::new(&folder).join(entry))?;
                graph.add(&of_this);
                modules.extend(of_this);
            }
        }
        Ok(Self { name, folder, needs, modules, graph })
    }

    /// Files with `unsafe` that neither expect nor allow it themselves, so that the compiler's list
    /// of such files would be incomplete.
    pub fn unsafe_without_expectation(&self) -> Vec<&Module> {
        self.with_unsafe().filter(|module| module.source.lintable_unsafe > 0 && !module.source.expects_unsafe).collect()
    }

    /// Files with `unsafe`.
    pub fn with_unsafe(&self) -> impl Iterator<Item = &Module> {
        self.modules.iter().filter(|module| module.source.unsafe_uses > 0)
    }

    /// Files that name `std::sync::atomic` or loom's, but for the crate's `sync.rs`.
    pub fn atomics_past_sync(&self) -> Vec<&Module> {
        self.modules.iter().filter(|module| module.source.atomics > 0 && !module.is_sync()).collect()
    }

    /// Files of more than that many lines.
    pub fn longer_than(&self, lines: usize) -> Vec<&Module> {
        self.modules.iter().filter(|module| module.source.lines > lines).collect()
    }

    /// Returns whether the crate's root denies or forbids `unsafe`.
    pub fn denies_unsafe(&self) -> bool {
        self.modules.iter().filter(|module| module.path.is_empty()).all(|module| module.source.denies_unsafe)
    }
}

fn read_toml(path: &Path) -> Result<Table, StructureError> {
    read(path)?.parse().map_err(|cause| StructureError::NotToml { path: path.to_owned(), cause })
}
