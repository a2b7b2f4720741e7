use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hemiola_model::configuration::Configuration;

use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{LONGEST_TEXT, parse_text};
use crate::foreign::{ForeignFile, move_to};
use crate::node::{Content, Node, Table};
use crate::overlay::{parse_assignment, put_over};
use crate::place::{Place, SourceText};
use crate::robot::deploy::{Deployment, read_deployments};
use crate::robot::hosts::read_hosts;
use crate::robot::modules::unknown_module;
use crate::robot::read_robot;
use crate::section::Section;
use crate::suggest::{list, nearest};
use crate::{ConfigError, Origins};

/// The files and values to load: later ones override earlier ones, in the order of the fields.
///
/// ```
/// use hemiola_config::LoadOptions;
///
/// let at_the_tournament = LoadOptions {
///     overlays: vec!["outdoor".into()],
///     assignments: vec!["cycle.motion.workers=2".into()],
///     ..LoadOptions::new("robot.toml")
/// };
/// assert_eq!(at_the_tournament.base.to_string(), "robot.toml");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The base, which everything else overrides.
    pub base: Base,
    /// The files that override it, in this order. A bare name such as `outdoor` means
    /// `overlays/outdoor.toml` beside the base file; anything that has a `/` or ends in `.toml` is
    /// a path.
    pub overlays: Vec<String>,
    /// The files in other formats that override these, in this order.
    pub foreign: Vec<ForeignFile>,
    /// The single values that override all files, in this order: `cycle.motion.workers=2`.
    pub assignments: Vec<String>,
}

/// The base of a configuration.
///
/// ```
/// use hemiola_config::{Base, Catalog, LoadOptions, load};
///
/// let base = Base::Text { name: "built-in robot.toml".into(), text: "[cycle.main]\nrate = 30.0\n".into() };
/// let options = LoadOptions { assignments: vec!["cycle.main.rate=60.0".into()], ..LoadOptions::new(base) };
/// let loaded = load(&options, &Catalog::default())?;
/// assert_eq!(loaded.origins.of("cycle.main.rate").unwrap().place.text(), "60.0");
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A file, `robot.toml`. Parameter files in `parameters/` beside it override it.
    File(PathBuf),
    /// A text in memory. It has no parameter files; its overlays are searched in `overlays/` of the
    /// working folder.
    Text {
        /// The name of the text in messages.
        name: String,
        /// The text itself.
        text: String,
    },
}

impl fmt::Display for Base {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Text { name, .. } => formatter.write_str(name),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for Base {
    fn from(path: P) -> Self {
        Self::File(path.into())
    }
}

/// A configuration without errors.
///
/// ```
/// use hemiola_config::{Catalog, parse};
///
/// let loaded = parse("[cycle.main]\nrate = 30.0\n", "robot.toml", &Catalog::default())?;
/// assert_eq!(loaded.configuration.cycles[0].name, "main");
/// assert_eq!(loaded.origins.of("cycle.main.rate").unwrap().place.to_string(), "robot.toml:2:8");
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration itself.
    pub configuration: Configuration,
    /// The places where each value was written.
    pub origins: Origins,
    /// The warnings about what is probably not meant.
    pub warnings: Diagnostics,
    /// The texts from which it was read, in the order in which later ones override earlier ones.
    pub texts: Vec<ConfigurationText>,
}

/// A file or an assignment from which a configuration was read.
///
/// ```
/// use hemiola_config::{Catalog, ConfigurationText, parse};
///
/// let text = "[cycle.main]\nrate = 30.0\n";
/// let loaded = parse(text, "robot.toml", &Catalog::default())?;
/// assert_eq!(loaded.texts, [ConfigurationText { name: "robot.toml".into(), content: text.into() }]);
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationText {
    /// The path of the file as the user gave it, or `--set`.
    pub name: String,
    /// The whole text.
    pub content: String,
}

impl LoadOptions {
    /// Creates options for that file or text alone.
    pub fn new(base: impl Into<Base>) -> Self {
        Self { base: base.into(), overlays: Vec::new(), foreign: Vec::new(), assignments: Vec::new() }
    }
}

/// Loads and checks a robot's configuration. Reads files; allocates.
///
/// # Errors
/// Returns all errors, with their places.
///
/// ```no_run
/// use hemiola_config::{Catalog, LoadOptions, load};
///
/// let options = LoadOptions { overlays: vec!["outdoor".into()], ..LoadOptions::new("robot.toml") };
/// match load(&options, &Catalog::linked()) {
///     Ok(loaded) => println!("{} cycles", loaded.configuration.cycles.len()),
///     Err(error) => eprintln!("{}", error.coloured()),
/// }
/// ```
pub fn load(options: &LoadOptions, catalog: &Catalog) -> Result<Loaded, ConfigError> {
    let mut loader = Loader::new(catalog);
    let overlays = loader.base(&options.base);
    if let Base::File(path) = &options.base {
        loader.parameter_files(&beside(path, "parameters"));
    }
    loader.rest(options, &overlays);
    loader.finish()
}

/// Reads the machines that a robot is copied to, `[deploy.*]` and `[host.*]`, without its modules:
/// nothing else of the configuration is checked. Reads files; allocates.
///
/// # Errors
/// Returns all errors in these tables, with their places.
///
/// ```
/// use hemiola_config::{Base, LoadOptions, deployments};
///
/// let text = "[deploy.nao]\nhost = \"10.0.0.2\"\nuser = \"nao\"\n[cycle.motion]\nmodules = [\"Walk\"]\n".into();
/// let options = LoadOptions::new(Base::Text { name: "robot.toml".into(), text });
/// assert_eq!(deployments(&options)?[0].destination, "nao@10.0.0.2");
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn deployments(options: &LoadOptions) -> Result<Vec<Deployment>, ConfigError> {
    let catalog = Catalog::default();
    let mut loader = Loader::new(&catalog);
    let overlays = loader.base(&options.base);
    loader.rest(options, &overlays);
    let (root, _, mut found) = loader.tree()?;
    let Some(mut section) = Section::open("", &root, &mut found) else { return Ok(Vec::new()) };
    let (hosts, deployments) = (section.entries("host", &mut found), section.entries("deploy", &mut found));
    let hosts = read_hosts(&hosts, &mut found);
    let deployments = read_deployments(&deployments, &hosts, &mut found);
    let found = found.sorted();
    if found.has_errors() { Err(ConfigError::Invalid(found)) } else { Ok(deployments) }
}

/// Checks a configuration in memory; `name` is its name in messages.
///
/// # Errors
/// Returns all errors, with their places.
///
/// ```
/// use hemiola_config::{Catalog, Component, parse};
///
/// let catalog = Catalog::new([Component::new("Walk", "nao::motion")], []);
/// let error = parse("[cycle.motion]\nraet = 83.3\nmodules = [\"nao::motion\"]\n", "robot.toml", &catalog).unwrap_err();
/// assert!(error.to_string().contains("did you mean `rate`?"));
/// ```
pub fn parse(text: &str, name: &str, catalog: &Catalog) -> Result<Loaded, ConfigError> {
    load(&LoadOptions::new(Base::Text { name: name.to_owned(), text: text.to_owned() }), catalog)
}

struct Loader<'c> {
    catalog: &'c Catalog,
    /// All values so far, of which later ones have replaced earlier ones.
    root: Table,
    texts: Vec<ConfigurationText>,
    /// Set as long as every text could be read. Otherwise, most of what the checks would find
    /// missing is in the texts that could not.
    complete: bool,
    found: Diagnostics,
}

impl<'c> Loader<'c> {
    fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, root: Table::new(), texts: Vec::new(), complete: true, found: Diagnostics::default() }
    }

    /// Reads the base, and returns the folder with its overlays.
    fn base(&mut self, base: &Base) -> PathBuf {
        match base {
            Base::File(path) => {
                self.file(path);
                beside(path, "overlays")
            }
            Base::Text { name, text } => {
                self.text(name, text.clone());
                PathBuf::from("overlays")
            }
        }
    }

    /// Reads what overrides the files of the robot.
    fn rest(&mut self, options: &LoadOptions, overlays: &Path) {
        options.overlays.iter().for_each(|overlay| self.overlay(overlays, overlay));
        options.foreign.iter().for_each(|file| self.foreign(file));
        options.assignments.iter().for_each(|assignment| self.assignment(assignment));
    }

    fn file(&mut self, path: &Path) {
        if let Some(text) = self.read(path) {
            self.text(&path.display().to_string(), text);
        }
    }

    fn text(&mut self, name: &str, text: String) {
        let text = self.source(name, text);
        let root = parse_text(&text, &mut self.found);
        self.put(root);
    }

    fn assignment(&mut self, assignment: &str) {
        let text = self.source("--set", assignment.to_owned());
        let root = parse_assignment(&text, &mut self.found);
        self.put(root);
    }

    fn foreign(&mut self, file: &ForeignFile) {
        let text = self.source(&file.name, file.content.clone());
        for value in &file.values {
            let assignment = SourceText::new(&file.name, &value.assignment, text.order);
            let mut root = parse_assignment(&assignment, &mut self.found);
            root.iter_mut().for_each(|root| move_to(root, &text, &value.span));
            self.put(root);
        }
    }

    /// Registers the next text, which overrides those before it.
    fn source(&mut self, name: &str, content: String) -> Arc<SourceText> {
        self.texts.push(ConfigurationText { name: name.to_owned(), content: content.clone() });
        SourceText::new(name, content, self.texts.len() - 1)
    }

    fn put(&mut self, root: Option<Node>) {
        match root.map(|node| node.content) {
            Some(Content::Table(over)) => put_over(&mut self.root, over, "", &mut self.found),
            _ => self.complete = false,
        }
    }

    fn overlay(&mut self, folder: &Path, overlay: &str) {
        let is_path = overlay.contains(['/', '\\']) || overlay.ends_with(".toml");
        if is_path {
            return self.file(Path::new(overlay));
        }
        let path = folder.join(format!("{overlay}.toml"));
        if path.is_file() {
            return self.file(&path);
        }
        self.complete = false;
        let error = Diagnostic::error(format!("there is no overlay `{overlay}`: {} does not exist", path.display()));
        let names: Vec<_> = toml_files(folder).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
        let known = || names.iter().map(String::as_str);
        let error = match nearest(overlay, known()) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error,
        };
        let help = if names.is_empty() {
            format!("{} holds none", folder.display())
        } else {
            format!("there are: {}", list(known()))
        };
        self.found.push(error.help(help));
    }

    /// Applies the parameter files of a folder: `BallFinder.toml` overrides `[module.BallFinder]`,
    /// and so on.
    fn parameter_files(&mut self, folder: &Path) {
        let files = match toml_files(folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.unreadable(folder, &error),
        };
        for (module, path) in files {
            let Some(content) = self.read(&path) else { continue };
            let text = self.source(&path.display().to_string(), content);
            let Some(parameters) = parse_text(&text, &mut self.found) else {
                self.complete = false;
                continue;
            };
            if self.catalog.module(&module).is_none() {
                let error = unknown_module(&module, &parameters, self.catalog);
                self.found.push(error.help("a parameter file is named after its module"));
                continue;
            }
            let (key, place) = (parameters.key.clone(), parameters.place.clone());
            let wrap = |name: &str, node: Node| Node {
                content: Content::Table(Table::from([(name.to_owned(), node)])),
                key: key.clone(),
                place: place.clone(),
                overrides: Vec::new(),
            };
            self.put(Some(wrap("module", wrap(&module, parameters))));
        }
    }

    fn read(&mut self, path: &Path) -> Option<String> {
        let mut bytes = Vec::new();
        // One byte more than allowed is enough to see that it is too long.
        let read = File::open(path).and_then(|file| file.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            self.unreadable(path, &error);
            return None;
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&byte| byte == b'\n').count();
                self.complete = false;
                self.found.push(
                    Diagnostic::error(format!("{}:{line}: this is not text in UTF-8", path.display()))
                        .help("save it as UTF-8"),
                );
                None
            }
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        self.complete = false;
        self.found.push(Diagnostic::error(format!("cannot read {}: {error}", path.display())));
    }

    /// Returns all that was read as one tree, if every text could be read.
    fn tree(self) -> Result<(Node, Vec<ConfigurationText>, Diagnostics), ConfigError> {
        if !self.complete {
            return Err(ConfigError::Invalid(self.found.sorted()));
        }
        let nowhere = Place::new(&SourceText::new("", "", 0), 0..0);
        let content = Content::Table(self.root);
        let root = Node { content, key: nowhere.clone(), place: nowhere, overrides: Vec::new() };
        Ok((root, self.texts, self.found))
    }

    fn finish(self) -> Result<Loaded, ConfigError> {
        let catalog = self.catalog;
        let (root, texts, mut found) = self.tree()?;
        let configuration = read_robot(&root, catalog, &mut found);
        let found = found.sorted();
        if found.has_errors() {
            return Err(ConfigError::Invalid(found));
        }
        Ok(Loaded { configuration, origins: Origins::collect(&root), warnings: found, texts })
    }
}

/// Returns the path of `name` in the folder of `path`.
pub(crate) fn beside(path: &Path, name: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(name)
}

/// Returns the TOML files of a folder, sorted, each with its name without the extension.
fn toml_files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let (Some(name), Some("toml")) = (path.file_stem(), path.extension().and_then(|ending| ending.to_str())) {
            files.push((name.to_string_lossy().into_owned(), path));
        }
    }
    files.sort();
    Ok(files)
}
