//! The program that is deployed, and its build with cargo.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::c_compiler::Compiler;
use super::step::Step;
use crate::error::CommandError;

/// A program of the robot's crate.
pub struct Build {
    folder: PathBuf,
    /// The manifest with the profiles.
    manifest: PathBuf,
    target_folder: PathBuf,
    /// The name of the program, which is that of the robot.
    pub name: String,
}

impl Build {
    /// Asks cargo for the program of the crate in a folder.
    ///
    /// # Errors
    /// Returns an error if there is no cargo, no crate, or no single program of that name.
    pub fn of(folder: &Path, program: Option<&str>) -> Result<Self, CommandError> {
        let manifest = folder.join("Cargo.toml");
        let metadata = ["metadata", "--no-deps", "--format-version", "1", "--manifest-path"];
        let ended = Step::new("cargo").with(metadata).with([manifest.display().to_string()]).run()?;
        let metadata: Value = serde_json::from_str(&ended.printed).unwrap_or_default();
        let same = |text: &Value| text.as_str().is_some_and(|text| is_same(Path::new(text), &manifest));
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(package) = packages.iter().find(|package| same(&package["manifest_path"])) else {
            let what = format!("there is no crate of a robot in {}", folder.display());
            let remedy =
                "write the path of its robot.toml, --config FILE, or that of a built program, --program FILE".into();
            return Err(CommandError::Deploy { what, said: ended.said, remedy });
        };
        let is_program = |target: &&Value| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"bin".into()));
        let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names: Vec<&str> = targets.iter().filter(is_program).filter_map(|target| target["name"].as_str()).collect();
        let own = program.or(package["default_run"].as_str()).or(package["name"].as_str());
        let name = match (program, names.as_slice()) {
            (None, [only]) => only,
            _ => names.iter().find(|name| Some(**name) == own).ok_or_else(|| match program {
                Some(program) => CommandError::unknown("program of this crate", program, names.iter().copied()),
                None => CommandError::Usage(format!(
                    "{} has several programs: choose one of them with --bin: {}",
                    folder.display(),
                    names.join(", ")
                )),
            })?,
        };
        let target_folder = metadata["target_directory"].as_str().unwrap_or("target").into();
        let root = metadata["workspace_root"].as_str().map_or(folder, Path::new);
        Ok(Self {
            folder: folder.to_owned(),
            manifest: root.join("Cargo.toml"),
            target_folder,
            name: (*name).to_owned(),
        })
    }

    /// Returns the command that builds the program for a target.
    pub fn step(&self, target: &str) -> Step {
        let arguments = ["build", "--release", "--bin", self.name.as_str(), "--target", target];
        Step::new("cargo")
            .with(arguments)
            .within(&self.folder)
            .under(self.strip().into_iter().chain(self.linker(target)).chain(Compiler::of(target).variables(target)))
    }

    /// Returns the path of the program when it is built.
    pub fn program(&self, target: &str) -> PathBuf {
        self.target_folder.join(target).join("release").join(&self.name)
    }

    /// Checks that Rust can build for a target.
    ///
    /// # Errors
    /// Returns an error if the target, or the compiler of C for it, is not installed.
    pub fn check(&self, target: &str) -> Result<(), CommandError> {
        let ended = Step::new("rustc").with(["--print", "sysroot"]).within(&self.folder).run()?;
        let sysroot = PathBuf::from(ended.printed.trim());
        if sysroot.join("lib/rustlib").join(target).is_dir() {
            return match Compiler::of(target) {
                Compiler::Missing { package } => {
                    let what =
                        format!("there is no compiler of C for `{target}` here, which the compression of logs needs");
                    let remedy = format!(
                        "install one: Debian and Ubuntu have it in `{package}`; or set CC_{}",
                        target.replace('-', "_")
                    );
                    Err(CommandError::Deploy { what, said: String::new(), remedy })
                }
                Compiler::Found | Compiler::Gnu(_) => Ok(()),
            };
        }
        let what = format!("Rust cannot build for `{target}`: it is not installed here");
        let remedy = format!(
            "`rustup target add {target}`; or use one that is, such as --target {}-unknown-linux-gnu, if the \
             machine has the same libraries",
            std::env::consts::ARCH
        );
        Err(CommandError::Deploy { what, said: String::new(), remedy })
    }

    /// Returns the variable with which cargo builds a program without debug information, which is
    /// most of its size, unless the manifest says itself what is stripped.
    fn strip(&self) -> Option<(String, String)> {
        let text = std::fs::read_to_string(&self.manifest).unwrap_or_default();
        let says = text.split("strip").skip(1).any(|rest| rest.trim_start().starts_with('='));
        (!says).then(|| (STRIP.to_owned(), std::env::var(STRIP).unwrap_or_else(|_| "debuginfo".to_owned())))
    }

    /// Returns the variable with which cargo links for a machine of another architecture: few
    /// systems have a linker for that, and the one of Rust can link static programs. A configured
    /// linker has precedence.
    fn linker(&self, target: &str) -> Option<(String, String)> {
        let name = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_"));
        let is_foreign = target.ends_with("-musl") && !target.starts_with(std::env::consts::ARCH);
        let is_configured = || {
            let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
            let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
            let folders = self.folder.ancestors().map(|folder| folder.join(".cargo")).chain(home);
            let texts = folders.flat_map(|folder| std::fs::read_to_string(folder.join("config.toml")));
            std::env::var_os(&name).is_some() || texts.into_iter().any(|text| text.contains(target))
        };
        (is_foreign && !is_configured()).then(|| (name.clone(), "rust-lld".to_owned()))
    }
}

/// The variable that overrides what is stripped from a program.
const STRIP: &str = "CARGO_PROFILE_RELEASE_STRIP";

/// Returns whether both paths lead to the same file.
fn is_same(left: &Path, right: &Path) -> bool {
    left.canonicalize().ok().zip(right.canonicalize().ok()).is_some_and(|(left, right)| left == right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_information_stays_here_unless_the_profile_decides() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let printed = |text: &str| {
            std::fs::write(&manifest, text).unwrap();
            let (folder, manifest) = (folder.path().to_owned(), manifest.clone());
            let build = Build { target_folder: folder.join("target"), folder, manifest, name: "rover".into() };
            build.step(&format!("{}-unknown-linux-musl", std::env::consts::ARCH)).to_string()
        };
        let stripping = "CARGO_PROFILE_RELEASE_STRIP=debuginfo cargo build --release --bin rover";
        let text = "[dependencies]\nstrip-ansi-escapes = '0.2'\n[profile.release]\ndebug = 'line-tables-only'\n";
        assert!(printed(text).contains(stripping), "{}", printed(text));
        for own in ["[profile.release]\nstrip = 'none'\n", "[profile]\nrelease = { strip = true }\n"] {
            assert!(!printed(own).contains("STRIP"), "{}", printed(own));
        }
    }
}
