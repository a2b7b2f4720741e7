//! The holdings of a process, as its door describes them: modules, topics and other named things.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

/// The names of the things that a process has, without those that it only receives from another
/// process.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    representations: BTreeSet<String>,
    /// The modules and sources that run in the process.
    modules: BTreeSet<String>,
    cycles: BTreeSet<String>,
    topics: BTreeSet<String>,
    services: BTreeSet<String>,
    /// The cycles, updates and chains whose runs or reactions can be asked for.
    timed: BTreeSet<String>,
    /// The sources over which the process receives something from another one.
    links: BTreeSet<String>,
    /// The topics that the process receives from another one.
    pub received: BTreeSet<String>,
    /// The representations that it receives from another one.
    fed: BTreeSet<String>,
}

/// The thing that a request is about.
#[derive(Clone, Copy, Debug)]
pub enum Sought<'n> {
    Representation(&'n str),
    Module(&'n str),
    Cycle(&'n str),
    Topic(&'n str),
    Service(&'n str),
    /// A cycle or one of its figures (`motion.response`), an update, or a chain.
    Timed(&'n str),
}

impl Holdings {
    /// Reads the answer to the request `describe`.
    pub fn of(described: &Value) -> Self {
        let mut all = Self::default();
        for of_other in items(&described["received"]) {
            let (name, process) = (text(&of_other["name"]), text(&of_other["process"]));
            if of_other["kind"] == "topic" {
                all.received.insert(name);
            } else {
                all.links.insert(format!("link.{process}.{name}"));
                all.fed.insert(name);
            }
        }
        for cycle in items(&described["cycles"]) {
            let tasks = items(&cycle["tasks"]).map(|task| text(&task["name"]));
            all.timed.extend(tasks.chain([text(&cycle["name"])]));
            all.cycles.insert(text(&cycle["name"]));
        }
        // The other modules could run here, but run in another process.
        let running = items(&described["modules"]).filter(|module| !module["cycle"].is_null());
        all.modules = running.map(|module| text(&module["name"])).collect();
        let sources = items(&described["sources"]).map(|source| text(&source["name"]));
        all.modules.extend(sources.filter(|source| !all.links.contains(source)));
        let provided = items(&described["representations"]).filter(|it| !all.links.contains(text_of(&it["provider"])));
        all.representations = provided.map(|provided| text(&provided["name"])).collect();
        let topics = items(&described["topics"]).map(|topic| text(&topic["name"]));
        all.topics = topics.filter(|topic| !all.received.contains(topic)).collect();
        all.services = items(&described["services"]).map(|service| text(&service["name"])).collect();
        all.timed.extend(items(&described["chains"]).map(|chain| text(&chain["name"])));
        all
    }

    /// Returns whether the process has the thing.
    pub fn have(&self, sought: Sought<'_>) -> bool {
        let is_figure = |cycle: &str| matches!(sought, Sought::Timed(_)) && self.cycles.contains(cycle);
        let of_figure = || sought.name().rsplit_once('.').is_some_and(|(cycle, _)| is_figure(cycle));
        self.of_kind(sought).contains(sought.name()) || of_figure()
    }

    /// Returns everything of that kind that the process has.
    pub fn known(&self, sought: Sought<'_>) -> impl Iterator<Item = &str> {
        self.of_kind(sought).iter().map(String::as_str)
    }

    /// Returns whether a source is a link to another process.
    pub fn is_link(&self, source: &str) -> bool {
        self.links.contains(source)
    }

    /// Returns whether the process only receives the representation or topic of that name from
    /// another one.
    pub fn receives(&self, name: &str) -> bool {
        self.fed.contains(name) || self.received.contains(name)
    }

    /// Returns whether a module or source runs there.
    pub fn runs(&self, module: &str) -> bool {
        self.modules.contains(module)
    }

    fn of_kind(&self, sought: Sought<'_>) -> &BTreeSet<String> {
        match sought {
            Sought::Representation(_) => &self.representations,
            Sought::Module(_) => &self.modules,
            Sought::Cycle(_) => &self.cycles,
            Sought::Topic(_) => &self.topics,
            Sought::Service(_) => &self.services,
            Sought::Timed(_) => &self.timed,
        }
    }
}

impl<'n> Sought<'n> {
    /// Returns what a field of a plot belongs to: `Ball.position.x`, `topic:goals.count`,
    /// `timing:motion.response`, `timing:Walk.joints`; `None` for plots of modules.
    pub fn of_field(field: &'n str) -> Option<Self> {
        let begin = |path: &'n str| &path[..path.find(['.', '[']).unwrap_or(path.len())];
        match field.split_once(':') {
            Some(("topic", path)) => Some(Self::Topic(begin(path))),
            Some(("timing", path)) => Some(Self::Timed(path)),
            Some(("plot", _)) => None,
            _ => Some(Self::Representation(begin(field))),
        }
    }

    pub fn name(self) -> &'n str {
        match self {
            Self::Representation(name)
            | Self::Module(name)
            | Self::Cycle(name)
            | Self::Topic(name)
            | Self::Service(name)
            | Self::Timed(name) => name,
        }
    }

    pub fn kind(self) -> &'static str {
        match self {
            Self::Representation(_) => "representation",
            Self::Module(_) => "module or source",
            Self::Cycle(_) => "cycle",
            Self::Topic(_) => "topic",
            Self::Service(_) => "service",
            Self::Timed(_) => "cycle, update or chain",
        }
    }
}

impl fmt::Display for Sought<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} `{}`", self.kind(), self.name())
    }
}

/// Returns the items of a list; none if the value is not a list.
pub fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

pub fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn text(value: &Value) -> String {
    text_of(value).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_comes_from_another_process_is_had_there() {
        let main = Holdings::of(&json!({
            "cycles": [{"name": "driving", "tasks": [{"name": "Pilot.drive"}]}],
            "modules": [{"name": "Pilot", "cycle": "driving"}, {"name": "LineDetector", "cycle": null}],
            "sources": [{"name": "link.vision.Line"}],
            "representations": [
                {"name": "Drive", "provider": "Pilot"}, {"name": "Line", "provider": "link.vision.Line"},
            ],
            "topics": [{"name": "horn"}, {"name": "seen"}],
            "received": [
                {"name": "Line", "kind": "representation", "process": "vision"},
                {"name": "seen", "kind": "topic", "process": "vision"},
            ],
        }));
        assert!(main.have(Sought::Representation("Drive")) && !main.have(Sought::Representation("Line")));
        assert!(main.have(Sought::Topic("horn")) && !main.have(Sought::Topic("seen")));
        assert!(main.receives("Line") && main.receives("seen") && !main.receives("Drive") && !main.receives("horn"));
        assert!(main.have(Sought::Module("Pilot")) && !main.have(Sought::Module("LineDetector")));
        assert!(!main.have(Sought::Module("link.vision.Line")) && main.is_link("link.vision.Line"));
        assert!(main.have(Sought::Timed("driving")) && main.have(Sought::Timed("Pilot.drive")));
        assert!(main.have(Sought::Timed("driving.response")) && !main.have(Sought::Timed("seeing.response")));
    }

    #[test]
    fn a_field_is_of_what_stands_before_its_path() {
        let of = |field| Sought::of_field(field).map(|sought| sought.to_string());
        assert_eq!(of("Ball.position[0].x").as_deref(), Some("representation `Ball`"));
        assert_eq!(of("topic:goals.count").as_deref(), Some("topic `goals`"));
        assert_eq!(of("timing:motion.response").as_deref(), Some("cycle, update or chain `motion.response`"));
        assert_eq!(of("timing:Walk.joints").as_deref(), Some("cycle, update or chain `Walk.joints`"));
        assert_eq!(of("plot:ball.score"), None);
    }
}
