use std::path::PathBuf;

use thiserror::Error;

/// The reasons for which the structure cannot be measured.
#[derive(Debug, Error)]
pub enum StructureError {
    /// A file cannot be read.
    #[error("cannot read {path}: {cause} (run this inside a checkout of the workspace)")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        cause: std::io::Error,
    },
    /// The program was started somewhere else.
    #[error("neither {path} nor a folder above it is this workspace (run this inside a checkout of it)")]
    Outside {
        /// The folder in which it was started.
        path: PathBuf,
    },
    /// A file is not the TOML that it should be.
    #[error("{path} is not valid TOML: {cause}")]
    NotToml {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        cause: toml::de::Error,
    },
    /// A source file is not Rust.
    #[error("cannot parse {path}: {cause} (does it compile?)")]
    NotRust {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        cause: syn::Error,
    },
    /// A module is declared, but no file holds it.
    #[error("no file for `mod {module};` of {declared_in} (looked for {wanted})")]
    NoModuleFile {
        /// The module's name.
        module: String,
        /// The file that declares it.
        declared_in: PathBuf,
        /// The path at which it should be.
        wanted: PathBuf,
    },
    /// A manifest or ARCHITECTURE.md lacks what is read from it.
    #[error("{path} has no {what}")]
    Missing {
        /// The file.
        path: PathBuf,
        /// The part that is missing.
        what: &'static str,
    },
}

pub(crate) fn read(path: &std::path::Path) -> Result<String, StructureError> {
    std::fs::read_to_string(path).map_err(|cause| StructureError::Unreadable { path: path.to_owned(), cause })
}
