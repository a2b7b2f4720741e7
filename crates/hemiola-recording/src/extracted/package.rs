//! The package to which a file of tests belongs.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::ExtractedError;

/// The package to which a folder of tests belongs.
pub struct Package {
    folder: PathBuf,
    manifest: Table,
}

impl Package {
    /// Finds the nearest package above a folder, which need not exist yet. Returns `None` if `cargo
    /// test` does not run its tests.
    ///
    /// # Errors
    /// Returns an error if the manifest cannot be read.
    pub fn around(tests: &Path) -> Result<Option<Self>, ExtractedError> {
        let tests = absolute(tests);
        for folder in tests.ancestors().skip(1) {
            let path = folder.join("Cargo.toml");
            if !path.is_file() {
                continue;
            }
            let unfit = |reason: String| ExtractedError::Unfit { path: path.clone(), reason };
            let text = fs::read_to_string(&path).map_err(|error| unfit(format!("cannot be read: {error}")))?;
            let manifest: Table = text.parse().map_err(|error| unfit(format!("{error}")))?;
            // The manifest of a mere workspace has no tests.
            if manifest.contains_key("package") {
                return Ok(Some(Self { folder: folder.to_owned(), manifest }));
            }
        }
        Ok(None)
    }

    /// Checks that the package's tests can `use` a crate: its own library, or a dependency.
    ///
    /// # Errors
    /// Returns an error with a remedy if they cannot.
    pub fn can_use(&self, name: &str) -> Result<(), ExtractedError> {
        if self.library().as_deref() == Some(name) || self.depends_on(name) {
            return Ok(());
        }
        let is_own =
            self.manifest["package"].get("name").and_then(Value::as_str).map(identifier).as_deref() == Some(name);
        let remedy = if is_own {
            format!(
                "it is a program, whose modules no test can link: declare them in src/lib.rs, and let src/main.rs say `use {name} \
                 as _;`"
            )
        } else {
            format!(
                "add `{}` to its dependencies, or name the tests of another package with --output",
                name.replace('_', "-")
            )
        };
        Err(ExtractedError::NotLinked { manifest: self.folder.join("Cargo.toml"), name: name.to_owned(), remedy })
    }

    /// Returns the path from the package to a folder in it.
    pub fn way_to(&self, folder: &Path) -> PathBuf {
        let folder = absolute(folder);
        folder.strip_prefix(&self.folder).map(Path::to_owned).unwrap_or(folder)
    }

    /// Returns the name of the package's library, if it has one.
    fn library(&self) -> Option<String> {
        let described = self.manifest.get("lib");
        let path = described.and_then(|lib| lib.get("path")).and_then(Value::as_str).unwrap_or("src/lib.rs");
        let name = described.and_then(|lib| lib.get("name")).or_else(|| self.manifest["package"].get("name"));
        self.folder.join(path).is_file().then(|| name.and_then(Value::as_str).map(identifier)).flatten()
    }

    /// Returns whether the crate is a dependency of the package's tests, on any machine.
    fn depends_on(&self, name: &str) -> bool {
        let targets = self.manifest.get("target").and_then(Value::as_table);
        let tables = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table).chain([&self.manifest]);
        let lists = tables.flat_map(|table| [table.get("dependencies"), table.get("dev-dependencies")]);
        lists.flatten().filter_map(Value::as_table).flat_map(Table::keys).any(|key| identifier(key) == name)
    }
}

/// Returns the name of a package as an identifier of Rust.
fn identifier(package: &str) -> String {
    package.replace('-', "_")
}

/// Returns the absolute path or, if the present folder does not exist any more, the path itself.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, manifest: &str, files: &[&str]) -> Package {
        let folder = std::env::temp_dir().join(format!("hemiola-package-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        files.iter().for_each(|file| fs::write(folder.join(file), "").unwrap());
        Package::around(&folder.join("tests")).unwrap().expect("it is there")
    }

    #[test]
    fn tests_use_the_own_library_and_dependencies() {
        let manifest = "[package]\nname = \"my-robot\"\n[dependencies]\nhemiola = \"1\"\n\
                        [target.'cfg(unix)'.dev-dependencies]\nits-modules = { path = \"x\" }\n";
        let package = package("library", manifest, &["src/lib.rs"]);
        for name in ["my_robot", "hemiola", "its_modules"] {
            package.can_use(name).unwrap();
        }
        let error = package.can_use("other_robot").unwrap_err().to_string();
        assert!(error.contains("Cargo.toml") && error.contains("`other-robot`"), "{error}");
        assert_eq!(package.way_to(&package.folder.join("tests/slow")), Path::new("tests/slow"));
        fs::remove_dir_all(&package.folder).unwrap();
    }

    #[test]
    fn a_program_alone_is_told_to_have_a_library() {
        let package = package("program", "[package]\nname = \"my-robot\"\n", &["src/main.rs"]);
        let error = package.can_use("my_robot").unwrap_err().to_string();
        assert!(error.contains("src/lib.rs") && error.contains("use my_robot as _;"), "{error}");
        fs::remove_dir_all(&package.folder).unwrap();
    }
}
