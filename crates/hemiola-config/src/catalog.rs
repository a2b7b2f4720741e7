use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::ParameterDescription;
use hemiola_model::data::DataType;
use hemiola_model::module::{ArgumentKind, PortRole, Update, registry};

/// The modules, sources and representations that a configuration may refer to.
///
/// ```
/// use hemiola_config::{Catalog, Component, parse};
///
/// let catalog = Catalog::new([Component::new("Walk", "nao::motion")], []);
/// assert!(parse("[cycle.motion]\nrate = 83.3\nmodules = [\"nao::motion\"]\n", "robot.toml", &catalog).is_ok());
/// assert!(parse("[cycle.motion]\nrate = 83.3\nmodules = [\"Wlak\"]\n", "robot.toml", &catalog).is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The modules.
    pub modules: Vec<Component>,
    /// The sources.
    pub sources: Vec<Component>,
    /// The names of the representations that any of them reads or provides.
    pub representations: BTreeSet<String>,
    /// The schemas of the representations that can leave the process.
    pub schemas: BTreeMap<String, DataType>,
    /// The topics that any of them publishes or subscribes to.
    pub topics: BTreeSet<String>,
    /// The services that any of them calls.
    pub services: BTreeSet<String>,
}

/// A module or a source.
///
/// ```
/// use hemiola_config::{Catalog, Component};
///
/// let catalog = Catalog::new([Component::new("BallFinder", "nao::cognition").providing(["BallPercept"])], []);
/// assert!(catalog.representations.contains("BallPercept"));
/// ```
#[derive(Clone, Debug)]
pub struct Component {
    /// The name of the module or source.
    pub name: String,
    /// The Rust module that defines it.
    pub path: String,
    /// The parameters that can be tuned.
    pub parameters: Vec<ParameterDescription>,
    /// The representations that it can provide.
    pub provides: BTreeSet<String>,
    /// The representations without which it cannot run.
    pub requires: BTreeSet<String>,
}

impl Catalog {
    /// Creates a catalog of these modules and sources, and of the representations that they
    /// provide.
    pub fn new(modules: impl IntoIterator<Item = Component>, sources: impl IntoIterator<Item = Component>) -> Self {
        let (modules, sources): (Vec<_>, Vec<_>) = (modules.into_iter().collect(), sources.into_iter().collect());
        let representations =
            modules.iter().chain(&sources).flat_map(|component| component.provides.iter().cloned()).collect();
        let (schemas, topics, services) = Default::default();
        Self { modules, sources, representations, schemas, topics, services }
    }

    /// Adds the schema of a representation, which is opaque otherwise.
    #[must_use]
    pub fn with_schema(mut self, representation: &str, schema: DataType) -> Self {
        self.schemas.insert(representation.to_owned(), schema);
        self
    }

    /// Creates a catalog of everything that is linked into this program.
    pub fn linked() -> Self {
        let (mut representations, mut schemas) = (BTreeSet::new(), BTreeMap::new());
        let (mut topics, mut services) = (BTreeSet::new(), BTreeSet::new());
        let mut component = |name: &str, path: &str, parameters: Vec<_>, updates: &[Update]| {
            let (mut provides, mut requires) = (BTreeSet::new(), BTreeSet::new());
            for argument in updates.iter().flat_map(|update| update.arguments()) {
                if let Some(port) = argument.port() {
                    let names = if port.role() == PortRole::Calls { &mut services } else { &mut topics };
                    names.insert(port.name().to_owned());
                }
                let Some(representation) = argument.representation() else { continue };
                if representations.insert(representation.name().to_owned()) {
                    let schema = representation.data_type();
                    schemas.extend(schema.map(|schema| (representation.name().to_owned(), schema)));
                }
                let names = match argument.kind() {
                    ArgumentKind::Provides => &mut provides,
                    ArgumentKind::Requires | ArgumentKind::Collects => &mut requires,
                    _ => continue,
                };
                names.insert(representation.name().to_owned());
            }
            Component { name: name.to_owned(), path: path.to_owned(), parameters, provides, requires }
        };
        let modules = registry::modules()
            .into_iter()
            .map(|module| component(module.name(), module.path(), module.parameters().to_vec(), module.updates()))
            .collect();
        let sources = registry::sources()
            .into_iter()
            .map(|source| {
                component(
                    source.name(),
                    source.path(),
                    source.parameters().to_vec(),
                    std::slice::from_ref(source.sample()),
                )
            })
            .collect();
        Self { modules, sources, representations, schemas, topics, services }
    }

    pub(crate) fn module(&self, name: &str) -> Option<&Component> {
        self.modules.iter().find(|module| module.name == name)
    }

    pub(crate) fn source(&self, name: &str) -> Option<&Component> {
        self.sources.iter().find(|source| source.name == name)
    }
}

impl Component {
    /// Creates a component that has no parameters and provides nothing.
    pub fn new(name: impl Into<String>, path: impl Into<String>) -> Self {
        let (provides, requires) = Default::default();
        Self { name: name.into(), path: path.into(), parameters: Vec::new(), provides, requires }
    }

    /// Sets the parameters.
    pub fn with_parameters(mut self, parameters: Vec<ParameterDescription>) -> Self {
        self.parameters = parameters;
        self
    }

    /// Adds representations that the component provides.
    pub fn providing<N: Into<String>>(mut self, representations: impl IntoIterator<Item = N>) -> Self {
        self.provides.extend(representations.into_iter().map(Into::into));
        self
    }

    /// Adds representations without which the component cannot run.
    pub fn requiring<N: Into<String>>(mut self, representations: impl IntoIterator<Item = N>) -> Self {
        self.requires.extend(representations.into_iter().map(Into::into));
        self
    }
}
