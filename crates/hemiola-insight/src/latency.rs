use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::System;

use crate::links::Way;
use crate::routes::Chain;
use crate::unbounded::Unbounded;

/// The time that a chain takes.
pub struct Latency {
    /// The name of the chain in `[chain.*]`, if it is there.
    pub declared: Option<String>,
    /// The chain itself.
    pub chain: Chain,
    /// The paths, of which the first bounds the reaction time and all bound the data age; none if
    /// the period of the source is not known.
    pub paths: Vec<String>,
    /// The number of paths, from the first on, that belong to the shortest route: several if
    /// several values go from one process to another one on it.
    pub shortest: usize,
    /// The sources by which its latencies are observed on the shortest route: its own, or those of
    /// the last link.
    pub observed: Vec<String>,
    /// The sources by which its latencies are observed on any route.
    pub observed_by_all: Vec<String>,
    /// The longest reaction time that the configuration allows.
    pub reaction: Option<TimeSpan>,
    /// The oldest data that the configuration allows.
    pub data_age: Option<TimeSpan>,
    /// The reason why it has no bound, if it crosses a link that has none.
    pub over_link: Option<Unbounded>,
}

impl Latency {
    /// Returns the name of the chain in tables: its name in the configuration, and its ends.
    pub fn name(&self) -> String {
        match &self.declared {
            Some(declared) => format!("{declared}: {}", self.ends()),
            None => self.ends(),
        }
    }

    /// Returns the ends of the chain: `camera → output to body`.
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
