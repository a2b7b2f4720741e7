//! Cycles with modules, in the form in which robots of other frameworks are configured.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::DatasetError;
use super::workload::check_size;
use crate::{
    Access, CycleDescription, ModuleDescription, RobotDescription, SampleDescription, SourceDescription, Trigger,
    UpdateDescription,
};

/// A robot that was read from a module graph. See [`module_graph`].
#[derive(Debug, Clone)]
pub struct ModuleGraph {
    /// The cycles, and a source `default` for what is never filled.
    pub robot: RobotDescription,
    /// The other facts that the file has about the cycles, in the same order.
    pub cycles: Vec<CycleFacts>,
    /// The representations that are used and that nobody provides.
    pub unfilled: Vec<Unfilled>,
}

/// The settings with which a cycle runs in its original robot, as far as the file has them. They
/// change no plan.
///
/// ```
/// use hemiola_plan::datasets::CycleFacts;
/// let facts = CycleFacts { rate_hz: Some(50.0), ..CycleFacts::default() };
/// assert_eq!(facts.period(), Some(std::time::Duration::from_millis(20)));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CycleFacts {
    /// The number of runs per second.
    pub rate_hz: Option<f64>,
    /// The real-time priority of its threads; 0 means none.
    pub priority: Option<u8>,
    /// The number of threads that run its tasks.
    pub workers: Option<u16>,
}

/// A representation that a cycle uses and nobody provides: its value stays at its default.
///
/// ```
/// use hemiola_plan::datasets;
/// let graph = datasets::module_graph(r#"{"cycles": [{"name": "motion", "modules": [
///     {"name": "Walk", "requires": [], "uses": ["Wind"], "provides": [{"representation": "Gait", "concurrent": false}]}
/// ]}]}"#).unwrap();
/// assert_eq!(graph.unfilled[0].to_string(), "cycle `motion`: `Walk` uses `Wind`, which nobody provides");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfilled {
    /// The cycle.
    pub cycle: String,
    /// The first module that uses it there.
    pub module: String,
    /// The representation that is used.
    pub representation: String,
}

impl std::fmt::Display for Unfilled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cycle, module, representation } = self;
        write!(f, "cycle `{cycle}`: `{module}` uses `{representation}`, which nobody provides")
    }
}

#[derive(Deserialize)]
struct File {
    cycles: Vec<FileCycle>,
    shared: Option<Vec<FileShared>>,
    #[serde(default)]
    default: Vec<String>,
}

#[derive(Deserialize)]
struct FileCycle {
    name: String,
    modules: Vec<FileModule>,
    rate_hz: Option<f64>,
    priority: Option<u8>,
    workers: Option<u16>,
}

#[derive(Deserialize)]
struct FileModule {
    name: String,
    requires: Vec<String>,
    uses: Vec<String>,
    provides: Vec<FileRepresentation>,
    #[serde(default)]
    subflow: bool,
}

#[derive(Deserialize)]
struct FileRepresentation {
    representation: String,
    concurrent: bool,
}

#[derive(Deserialize)]
struct FileShared {
    /// The name of the representation in the reading cycle.
    representation: String,
    from: String,
    to: String,
    /// The name in the providing cycle, if it differs.
    source: Option<String>,
}

/// Reads a module graph, whose dependencies are per module, and expands each module to its updates:
///
/// - one update per provided representation, which requires and uses all that the module does;
/// - a module may require what it provides: its other updates then run after the one that provides
///   it;
/// - a module with `subflow` has an update `prepare` that runs before all others;
/// - what a cycle reads and does not provide comes from the cycle that `shared` names, where it is
///   called `source` if that is given; without `shared` from the one other cycle that provides it;
/// - representations that are listed as `default`, and those that are used and provided nowhere,
///   are never filled: a source `default` stands for them;
/// - what several cycles provide under the same name is called `cycle.Name` where another cycle
///   reads it.
///
/// # Errors
/// Fails if the text is not such a module graph.
///
/// ```
/// use hemiola_plan::{TaskGraph, datasets, resolve};
/// let graph = datasets::module_graph(r#"{"cycles": [{"name": "motion", "modules": [
///     {"name": "Walk", "requires": ["Joints"], "uses": [], "subflow": true,
///      "provides": [{"representation": "Gait", "concurrent": true}, {"representation": "Steps", "concurrent": true}]},
///     {"name": "Body", "requires": [], "uses": ["Gait"], "provides": [{"representation": "Joints", "concurrent": false}]}
/// ]}]}"#).unwrap();
/// let graph = TaskGraph::of(&resolve(&graph.robot).unwrap().cycles[0]);
/// assert_eq!(graph.tasks().len(), 4); // Walk.prepare, Walk.Gait, Walk.Steps, Body.Joints
/// ```
pub fn module_graph(json: &str) -> Result<ModuleGraph, DatasetError> {
    let file: File = serde_json::from_str(json)?;
    let modules: usize = file.cycles.iter().map(|cycle| cycle.modules.len()).sum();
    let updates = file.cycles.iter().flat_map(|cycle| &cycle.modules).map(|module| module.provides.len() + 1);
    check_size("cycles", file.cycles.len())?;
    check_size("modules", modules)?;
    check_size("provides", updates.sum())?;
    let cycles =
        file.cycles.iter().enumerate().map(|(position, cycle)| cycle.facts(position)).collect::<Result<_, _>>();
    let cycles: Vec<CycleFacts> = cycles?;
    let mut names = Names::new(&file)?;
    let names_of_cycles = (0..file.cycles.len()).map(|cycle| names.of_cycle(cycle)).collect::<Result<Vec<_>, _>>()?;
    let Names { unfilled, mut never_filled, providers, .. } = names;
    never_filled.extend(file.default.iter().filter(|name| !providers.contains_key(name.as_str())).cloned());
    let described = file.cycles.iter().zip(names_of_cycles).map(|(cycle, names)| CycleDescription {
        name: cycle.name.clone(),
        modules: cycle.modules.iter().map(|module| module.expanded(&names)).collect(),
        trigger: Trigger::Rate,
    });
    let default =
        SampleDescription { name: "default".into(), provides: never_filled.into_iter().collect(), reads: Vec::new() };
    let sources = vec![SourceDescription { name: "default".into(), samples: vec![default] }];
    let robot = RobotDescription { cycles: described.collect(), sources, ..RobotDescription::default() };
    Ok(ModuleGraph { robot, cycles, unfilled })
}

/// The names of representations in the robot, where a name has one meaning.
struct Names<'f> {
    file: &'f File,
    /// The cycles that provide each representation.
    providers: BTreeMap<&'f str, BTreeSet<&'f str>>,
    /// The representations that other cycles read: the reading cycle and the name there lead to the
    /// providing cycle and the name there.
    shared: BTreeMap<(&'f str, &'f str), (&'f str, &'f str)>,
    /// The representations that keep their defaults.
    never_filled: BTreeSet<String>,
    unfilled: Vec<Unfilled>,
}

impl<'f> Names<'f> {
    fn new(file: &'f File) -> Result<Self, DatasetError> {
        let mut providers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for cycle in &file.cycles {
            let mut by: BTreeMap<&str, &str> = BTreeMap::new();
            for module in &cycle.modules {
                for FileRepresentation { representation, .. } in &module.provides {
                    if let Some(other) = by.insert(representation, &module.name) {
                        return Err(DatasetError::ProvidedTwice {
                            cycle: cycle.name.clone(),
                            representation: representation.clone(),
                            modules: [other, &module.name].map(|name| format!("`{name}`")).to_vec(),
                        });
                    }
                    providers.entry(representation).or_default().insert(&cycle.name);
                }
            }
        }
        let mut shared = BTreeMap::new();
        for (position, entry) in file.shared.iter().flatten().enumerate() {
            let FileShared { representation, from, to, .. } = entry;
            let source = entry.source.as_deref().unwrap_or(representation);
            let wrong = |problem| DatasetError::Shared { position, representation: representation.clone(), problem };
            for (key, name) in [("from", from), ("to", to)] {
                if !file.cycles.iter().any(|cycle| cycle.name == *name) {
                    let known: Vec<_> = file.cycles.iter().map(|cycle| cycle.name.as_str()).collect();
                    let known = known.join(", ");
                    return Err(wrong(format!("`{key}` is `{name}`, which is not a cycle; use one of: {known}")));
                }
            }
            if !providers.get(source).is_some_and(|cycles| cycles.contains(from.as_str())) {
                return Err(wrong(format!(
                    "`from` is `{from}`, where no module provides `{source}`; write the cycle that does, and under `source` \
                     what it is called there"
                )));
            }
            let other = shared.insert((to.as_str(), representation.as_str()), (from.as_str(), source));
            if other.is_some_and(|other| other != (from, source)) {
                return Err(wrong(format!("`{to}` receives another one of that name; give it a name of its own")));
            }
        }
        Ok(Self { file, providers, shared, never_filled: BTreeSet::new(), unfilled: Vec::new() })
    }

    /// Maps the names of representations in a cycle to their names in the robot.
    fn of_cycle(&mut self, cycle: usize) -> Result<BTreeMap<&'f str, String>, DatasetError> {
        let cycle = &self.file.cycles[cycle];
        let mut names = BTreeMap::new();
        for module in &cycle.modules {
            for name in module.provides.iter().map(|provided| &provided.representation) {
                names.insert(name.as_str(), self.unique(&cycle.name, name));
            }
        }
        // Representations that are required come first, because none of them may be missing.
        for (module, name) in
            cycle.modules.iter().flat_map(|module| module.requires.iter().map(move |name| (module, name)))
        {
            if !names.contains_key(name.as_str()) {
                let found = self.outside(&cycle.name, name);
                names.insert(name, found.ok_or_else(|| self.not_provided(cycle, module, name))?);
            }
        }
        for (module, name) in cycle.modules.iter().flat_map(|module| module.uses.iter().map(move |name| (module, name)))
        {
            if !names.contains_key(name.as_str()) {
                let found = self.outside(&cycle.name, name).unwrap_or_else(|| {
                    let (cycle, module) = (cycle.name.clone(), module.name.clone());
                    self.unfilled.push(Unfilled { cycle, module, representation: name.clone() });
                    self.default(name)
                });
                names.insert(name, found);
            }
        }
        Ok(names)
    }

    /// Returns the name in the robot of a representation that comes from another cycle or is listed
    /// as `default`.
    fn outside(&mut self, cycle: &str, name: &str) -> Option<String> {
        if let Some(&(from, source)) = self.shared.get(&(cycle, name)) {
            return Some(self.unique(from, source));
        }
        if self.file.default.iter().any(|default| default == name) {
            return Some(self.default(name));
        }
        let providers = self.providers.get(name).filter(|_| self.file.shared.is_none())?;
        providers.first().filter(|_| providers.len() == 1).map(|_| name.to_owned())
    }

    fn not_provided(&self, cycle: &FileCycle, module: &FileModule, name: &str) -> DatasetError {
        let remedy = match self.providers.get(name).map(|cycles| cycles.iter().copied().collect::<Vec<_>>()) {
            Some(cycles) => {
                let (from, to) = (cycles.join("\" or \""), &cycle.name);
                format!("add {{\"representation\": \"{name}\", \"from\": \"{from}\", \"to\": \"{to}\"}} to `shared`")
            }
            None => "add its provider, or list it under `default`: then it is never filled".to_owned(),
        };
        DatasetError::NotProvided {
            cycle: cycle.name.clone(),
            module: module.name.clone(),
            representation: name.to_owned(),
            remedy,
        }
    }

    /// Returns the name in the robot of a representation that a cycle provides.
    fn unique(&self, cycle: &str, name: &str) -> String {
        let is_shared = self.shared.values().any(|&shared| shared == (cycle, name));
        match self.providers.get(name).map_or(0, BTreeSet::len) {
            2.. if is_shared => format!("{cycle}.{name}"),
            _ => name.to_owned(),
        }
    }

    /// Returns the name in the robot of a representation that nobody fills.
    fn default(&mut self, name: &str) -> String {
        let default = if self.providers.contains_key(name) { format!("default.{name}") } else { name.to_owned() };
        self.never_filled.insert(default.clone());
        default
    }
}

impl FileCycle {
    fn facts(&self, position: usize) -> Result<CycleFacts, DatasetError> {
        let wrong = |key: &str, value: String, expected| {
            Err(DatasetError::Value { key: format!("cycles[{position}].{key}"), value, expected })
        };
        match *self {
            Self { rate_hz: Some(rate), .. } if !(RATES.contains(&rate)) => {
                wrong("rate_hz", rate.to_string(), "a rate is a number of runs per second from 0.001 to 1000000")
            }
            Self { priority: Some(priority), .. } if priority > 99 => {
                wrong("priority", priority.to_string(), "a real-time priority is 1 to 99, and 0 is none")
            }
            Self { workers: Some(0), .. } => wrong("workers", "0".to_owned(), "a cycle has at least one worker"),
            Self { rate_hz, priority, workers, .. } => Ok(CycleFacts { rate_hz, priority, workers }),
        }
    }
}

const RATES: std::ops::RangeInclusive<f64> = 0.001..=1e6;

impl FileModule {
    fn expanded(&self, names: &BTreeMap<&str, String>) -> ModuleDescription {
        let own = |name: &String| self.provides.iter().any(|provided| provided.representation == *name);
        let called = |name: &String| names.get(name.as_str()).unwrap_or(name).clone();
        let used: Vec<String> = self.uses.iter().map(called).collect();
        let prepared = format!("{}.prepared", self.name);
        let mut module = ModuleDescription::new(&self.name);
        if self.subflow {
            // It is concurrent because it runs before all its siblings anyway, so their order does
            // not concern it.
            let prepare = UpdateDescription::new("prepare", Access::Concurrent)
                .requires(self.requires.iter().filter(|name| !own(name)).map(called))
                .uses(used.clone())
                .provides([prepared.clone()]);
            module = module.with(prepare);
        }
        for FileRepresentation { representation, concurrent } in &self.provides {
            let access = if *concurrent { Access::Concurrent } else { Access::Exclusive };
            let update = UpdateDescription::new(representation, access)
                .requires(self.requires.iter().filter(|name| *name != representation).map(called))
                .requires(self.subflow.then(|| prepared.clone()))
                .uses(used.clone())
                .provides([called(representation)]);
            module = module.with(update);
        }
        if self.provides.is_empty() {
            let update = UpdateDescription::new("update", Access::Exclusive)
                .requires(self.requires.iter().map(called))
                .requires(self.subflow.then(|| prepared.clone()))
                .uses(used);
            module = module.with(update);
        }
        module
    }
}
