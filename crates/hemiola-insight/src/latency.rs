use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::System;

use crate::links::Way;
use crate::routes::Chain;
use crate::unbounded::Unbounded;

/// The time that a chain takes.
pub struct Latency {
    /// Its name in `[chain.*]`, if it is there.
    pub declared: Option<String>,
    /// The chain itself.
    pub chain: Chain,
    /// The paths, the first of which bounds the reaction time, and all of which bound the data age;
    /// none if the period of the source is not known.
    pub paths: Vec<String>,
    /// The number of paths, from the first on, that belong to the shortest route: several if
    /// several values go from one process to another one on it.
    pub shortest: usize,
    /// The sources by which its latencies are observed on the shortest route: its own, or those as
    /// which the last link brings values.
    pub observed: Vec<String>,
    /// The sources by which its latencies are observed on any route.
    pub observed_by_all: Vec<String>,
    /// The longest reaction time that the configuration allows.
    pub reaction: Option<TimeSpan>,
    /// The oldest data that the configuration allows.
    pub data_age: Option<TimeSpan>,
    /// The reason why nothing bounds it, if it goes over a link that has no bound.
    pub over_link: Option<Unbounded>,
}

impl Latency {
    /// Returns its name in tables: the ends, after its name in the configuration.
    pub fn name(&self) -> String {
        match &self.declared {
            Some(declared) => format!("{declared}: {}", self.ends()),
            None => self.ends(),
        }
    }

    /// Returns its ends: `camera → output to body`.
    pub fn ends(&self) -> String {
        format!("{} → {}", self.chain.begin(), self.chain.output)
    }
}

/// Returns the name of a path: as in the table at the end of a run, with the cycles on the way if
/// there are several paths, and with the links.
pub fn path_name(latency: &Latency, system: &System, place: usize, way: &Way) -> String {
    let Chain { routes, cycle, .. } = &latency.chain;
    let mut name = latency.ends();
    if let Some((_, before)) = routes[place].split_last()
        && routes.len() > 1
        && !before.is_empty()
    {
        name += &format!(" via {}", before.join(", "));
    }
    let links: Vec<&str> = system.links.iter().map(|link| link.name.as_str()).collect();
    let over: Vec<&str> = way.through.iter().map(String::as_str).filter(|name| links.contains(name)).collect();
    if !over.is_empty() {
        name += &format!(" over {}", over.join(", "));
    }
    // Two cycles may have outputs of the same name.
    if system.paths.iter().any(|path| path.name == name) { format!("{name} of {cycle}") } else { name }
}
