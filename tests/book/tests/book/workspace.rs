//! The packages of this workspace, and the programs that a command of a page names: `cargo run -p
//! rover -- check` starts the program `rover` with `check`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;

use crate::page::root;

/// The packages, as cargo describes them.
#[derive(Deserialize)]
pub struct Workspace {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
    features: BTreeMap<String, Vec<String>>,
    default_run: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// A program of the workspace, with the arguments of a command.
pub struct Started {
    pub program: Program,
    pub arguments: Vec<String>,
    /// The folder of its package, in which overlays are.
    pub folder: PathBuf,
}

/// A program or an example of a package.
pub struct Program {
    pub package: String,
    kind: &'static str,
    name: String,
}

impl Workspace {
    pub fn read() -> Self {
        let metadata = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root())
            .output()
            .unwrap();
        serde_json::from_slice(&metadata.stdout).unwrap()
    }

    /// Returns the program that a command starts, if it is one of this workspace; `default` is the
    /// package of `cargo run` without a name.
    ///
    /// # Errors
    /// Returns what the workspace does not have.
    pub fn started(&self, words: &[String], default: &str) -> Result<Option<Started>, String> {
        let [program, rest @ ..] = words else { return Ok(None) };
        match (program.as_str(), rest.first().map(String::as_str)) {
            ("cargo", Some("run")) => self.run(&rest[1..], default).map(Some),
            ("cargo", Some("test")) => self.test(&rest[1..]).map(|()| None),
            ("cargo", Some("install")) => self.install(&rest[1..]).map(|()| None),
            ("hemiola", _) => self.run_of("hemiola-cli", "hemiola", rest).map(Some),
            ("robot", _) => self.run_of("hemiola-cart", "hemiola-cart", rest).map(Some),
            (path, _) if path.starts_with("./") || path.starts_with(".ci/") => {
                let is_there = root().join(path).is_file();
                is_there.then_some(None).ok_or_else(|| format!("there is no {path}"))
            }
            (name, _) if self.package(name).is_ok_and(|package| package.has("bin", name).is_ok()) => {
                self.run_of(name, name, rest).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn run(&self, words: &[String], default: &str) -> Result<Started, String> {
        let options = Options::read(words)?;
        let package = self.package(options.package.as_deref().unwrap_or(default))?;
        package.has_features(&options)?;
        let (kind, name) = match options.target.as_slice() {
            [] => ("bin", package.program()?),
            [(kind @ ("bin" | "example"), name)] => (*kind, name.clone()),
            other => return Err(format!("`cargo run` starts one program, not {other:?}")),
        };
        package.has(kind, &name)?;
        Ok(package.started(kind, &name, options.arguments))
    }

    fn run_of(&self, package: &str, program: &str, arguments: &[String]) -> Result<Started, String> {
        let package = self.package(package)?;
        package.has("bin", program)?;
        Ok(package.started("bin", program, arguments.to_vec()))
    }

    fn test(&self, words: &[String]) -> Result<(), String> {
        let options = Options::read(words)?;
        let Some(package) = &options.package else { return Ok(()) };
        let package = self.package(package)?;
        package.has_features(&options)?;
        options.target.iter().try_for_each(|(kind, name)| package.has(kind, name))
    }

    /// Checks the folder of a package that is here; others come from a registry.
    fn install(&self, words: &[String]) -> Result<(), String> {
        let [path, folder] = words else { return Ok(()) };
        let manifest = root().join(folder).join("Cargo.toml");
        let is_here = path != "--path" || self.packages.iter().any(|package| package.manifest_path == manifest);
        is_here.then_some(()).ok_or_else(|| format!("no package is in {folder}"))
    }

    fn package(&self, name: &str) -> Result<&Package, String> {
        let found = self.packages.iter().find(|package| package.name == name);
        found.ok_or_else(|| format!("the workspace has no package {name}"))
    }
}

impl Package {
    fn has(&self, kind: &str, name: &str) -> Result<(), String> {
        let is = |target: &Target| target.name == name && target.kind.iter().any(|one| one == kind);
        self.targets.iter().any(is).then_some(()).ok_or_else(|| format!("{} has no {kind} {name}", self.name))
    }

    fn has_features(&self, options: &Options) -> Result<(), String> {
        let missing = options.features.iter().find(|feature| !self.features.contains_key(*feature));
        missing.map_or(Ok(()), |feature| Err(format!("{} has no feature {feature}", self.name)))
    }

    /// Returns the program of `cargo run` without a name.
    fn program(&self) -> Result<String, String> {
        let programs = self.targets.iter().filter(|target| target.kind.iter().any(|kind| kind == "bin"));
        let programs: Vec<_> = programs.map(|target| target.name.clone()).collect();
        match (&self.default_run, programs.as_slice()) {
            (Some(name), _) => Ok(name.clone()),
            (None, [only]) => Ok(only.clone()),
            (None, other) => Err(format!("which program of {} is it: {other:?}?", self.name)),
        }
    }

    fn started(&self, kind: &'static str, name: &str, arguments: Vec<String>) -> Started {
        let program = Program { package: self.name.clone(), kind, name: name.to_owned() };
        Started { program, arguments, folder: self.manifest_path.with_file_name("") }
    }
}

impl Program {
    pub fn new(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), kind: "bin", name: name.to_owned() }
    }

    /// Returns the file of the program, which is built if the tests of the workspace have not.
    pub fn file(&self) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("debug");
        let file =
            if self.kind == "example" { folder.join("examples").join(&self.name) } else { folder.join(&self.name) };
        if !file.is_file() {
            let kind = format!("--{}", self.kind);
            let build = ["build", "--quiet", "-p", &self.package, &kind, &self.name];
            let built = Command::new(env!("CARGO")).args(build).status();
            assert!(built.is_ok_and(|status| status.success()), "{} cannot be built", self.name);
        }
        file
    }

    /// Runs the program, in the folder of the repository.
    pub fn output(&self, arguments: &[String]) -> Output {
        Command::new(self.file()).args(arguments).current_dir(root()).output().unwrap()
    }
}

/// The options of a command of cargo.
#[derive(Default)]
struct Options {
    package: Option<String>,
    /// What is run or tested: its kind, such as `example`, and its name.
    target: Vec<(&'static str, String)>,
    features: Vec<String>,
    /// What follows `--`.
    arguments: Vec<String>,
}

impl Options {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} has no value"));
            match word.as_str() {
                "--" => options.arguments = words.by_ref().cloned().collect(),
                "-p" | "--package" => options.package = Some(value()?),
                "--bin" => options.target.push(("bin", value()?)),
                "--example" => options.target.push(("example", value()?)),
                "--test" => options.target.push(("test", value()?)),
                "--features" => options.features = value()?.split(',').map(str::to_owned).collect(),
                "--release" | "--doc" | "--lib" | "--workspace" => {}
                option if option.starts_with('-') => return Err(format!("does cargo know {option}? Then add it here")),
                // The name of a test.
                _ => {}
            }
        }
        Ok(options)
    }
}
