//! The dependency of a new crate on Hemiola.

use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// A dependency on Hemiola.
#[derive(Debug)]
pub struct Dependency {
    /// The value of the dependency in `Cargo.toml`.
    pub toml: String,
    /// The value of the dependency on `hemiola-ros`, for a robot that has messages of ROS 2.
    pub ros: String,
    /// A sentence for the user about where Hemiola is.
    pub remark: String,
}

/// Returns the dependency on Hemiola in that folder, or, without one, on the sources of this
/// program.
pub fn dependency(folder: Option<&Path>) -> Result<Dependency, CommandError> {
    match folder {
        Some(folder) => sources(folder).map(|found| at(&found)).ok_or_else(|| {
            CommandError::Usage(format!(
                "Hemiola is not in {}: --hemiola takes a clone of its repository, with crates/hemiola in it",
                folder.display()
            ))
        }),
        None => built_from(Path::new(env!("CARGO_MANIFEST_DIR")), env!("CARGO_PKG_VERSION")),
    }
}

/// Returns the dependency for a program that was built in that folder.
fn built_from(folder: &Path, version: &str) -> Result<Dependency, CommandError> {
    // Archives of crates are unpacked into folders of this name, clones have others.
    if folder.ends_with(format!("hemiola-cli-{version}")) {
        return Ok(Dependency {
            toml: format!("\"{version}\""),
            ros: format!("\"{version}\""),
            remark: format!("it uses Hemiola {version} from crates.io"),
        });
    }
    let beside = folder.with_file_name("hemiola");
    sources(&beside).map(|found| at(&found)).ok_or_else(|| {
        CommandError::Usage(format!(
            "the sources from which this program was built are gone ({}): give the folder of Hemiola with --hemiola FOLDER",
            beside.display()
        ))
    })
}

fn at(folder: &Path) -> Dependency {
    let path = |folder: &Path| format!("{{ path = {} }}", toml_text(&folder.to_string_lossy()));
    Dependency {
        toml: path(folder),
        ros: path(&folder.with_file_name("hemiola-ros")),
        remark: format!("it uses Hemiola in {}, as its Cargo.toml says", folder.display()),
    }
}

/// Returns the folder of the crate `hemiola`, if `folder` is that or a workspace with it.
fn sources(folder: &Path) -> Option<PathBuf> {
    [folder.to_owned(), folder.join("crates/hemiola")].into_iter().find_map(|folder| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let is_named = manifest.lines().any(|line| line.trim() == r#"name = "hemiola""#);
        if is_named { folder.canonicalize().ok() } else { None }
    })
}

/// Returns a text as a TOML string.
fn toml_text(text: &str) -> String {
    // TOML escapes what JSON does, in the same way.
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_built_in_a_clone_names_the_clone() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let there = crates.join("hemiola").canonicalize().unwrap();
        for folder in [None, Some(crates.join("hemiola")), crates.parent().map(Path::to_owned)] {
            let dependency = dependency(folder.as_deref()).unwrap();
            assert_eq!(dependency.toml, format!("{{ path = {:?} }}", there.display().to_string()));
            let ros = there.with_file_name("hemiola-ros");
            assert_eq!(dependency.ros, format!("{{ path = {:?} }}", ros.display().to_string()));
            assert!(ros.join("Cargo.toml").exists());
            assert!(dependency.remark.contains(&there.display().to_string()));
        }
    }

    #[test]
    fn a_program_from_crates_io_names_its_version() {
        let folder = Path::new("/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hemiola-cli-0.4.1");
        let dependency = built_from(folder, "0.4.1").unwrap();
        assert_eq!([dependency.toml, dependency.ros], ["\"0.4.1\"", "\"0.4.1\""]);
    }

    #[test]
    fn who_has_moved_the_sources_is_asked_where_they_are() {
        let error = built_from(Path::new("/gone/crates/hemiola-cli"), "0.1.0").unwrap_err().to_string();
        assert!(error.contains("/gone/crates/hemiola") && error.contains("--hemiola FOLDER"), "{error}");
        let error = dependency(Some(Path::new("/gone"))).unwrap_err().to_string();
        assert!(error.contains("/gone") && error.contains("crates/hemiola"), "{error}");
    }

    #[test]
    fn paths_are_quoted_as_toml_does() {
        assert_eq!(toml_text("/home/me/\"robots\"\\é"), r#""/home/me/\"robots\"\\é""#);
    }
}
