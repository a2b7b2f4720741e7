//! The map of a whole robot: its processes, what runs in each, and the data that flows between
//! them.

use std::collections::BTreeMap;

use hemiola_model::module::PortRole;
use hemiola_plan::draw::{Map, Place, PlaceKind, Way};
use hemiola_runtime::Robot;

use crate::command_line::ConfigurationArguments;
use crate::commands::check::processes::parts;
use crate::error::CommandError;
use crate::program::Program;

/// Returns the map of a robot of that name.
///
/// # Errors
/// Returns an error if the robot cannot be split as robot.toml demands.
pub fn map(
    program: &Program,
    name: &str,
    arguments: &ConfigurationArguments,
    robot: &Robot,
) -> Result<Map, CommandError> {
    let mut processes = BTreeMap::new();
    for part in parts(program, arguments, robot.configuration())? {
        let runs = part.cycles.iter().chain(&part.sources).cloned();
        processes.extend(runs.map(|name| (name, part.name.clone())));
    }
    let mut drawing = Drawing { processes, ..Drawing::default() };
    drawing.map.name = name.to_owned();
    drawing.representations(robot);
    drawing.messages(robot);
    Ok(drawing.map)
}

#[derive(Default)]
struct Drawing {
    map: Map,
    /// The process of each cycle and source.
    processes: BTreeMap<String, String>,
}

impl Drawing {
    /// Draws cycles and sources, and the representations that they exchange.
    fn representations(&mut self, robot: &Robot) {
        let cycles = &robot.resolved().cycles;
        let sources = &robot.description().sources;
        let mut providers: BTreeMap<&str, usize> = BTreeMap::new();
        for source in sources {
            let place = self.place(PlaceKind::Source, &source.name, &source.name);
            let provided = source.samples.iter().flat_map(|sample| &sample.provides);
            providers.extend(provided.map(|name| (name.as_str(), place)));
        }
        for cycle in cycles {
            let place = self.place(PlaceKind::Cycle, &cycle.name, &cycle.name);
            providers.extend(cycle.providers.keys().map(|name| (name.as_str(), place)));
        }
        for cycle in cycles {
            let to = self.place(PlaceKind::Cycle, &cycle.name, &cycle.name);
            let reads = cycle.updates.iter().flat_map(|it| it.requires.iter().chain(&it.uses).chain(&it.collects));
            for name in reads {
                if let Some(from) = providers.get(name.as_str()) {
                    self.way(*from, to, Some(name));
                }
            }
        }
        for source in sources {
            let to = self.place(PlaceKind::Source, &source.name, &source.name);
            for name in source.samples.iter().flat_map(|sample| &sample.reads) {
                if let Some(from) = providers.get(name.as_str()) {
                    self.way(*from, to, Some(name));
                }
            }
        }
    }

    /// Draws topics and services. They are drawn in the process of their first end.
    fn messages(&mut self, robot: &Robot) {
        for source in &robot.description().sources {
            for topic in robot.told_by(&source.name) {
                let from = self.place(PlaceKind::Source, &source.name, &source.name);
                let topic = self.place(PlaceKind::Topic, topic, &source.name);
                self.way(from, topic, None);
            }
        }
        let mut ends = robot.topic_ends();
        ends.sort_by_key(|end| end.role == PortRole::Subscribes);
        for end in ends {
            let cycle = &robot.resolved().cycles[end.cycle].name;
            let of_cycle = self.place(PlaceKind::Cycle, cycle, cycle);
            match end.role {
                PortRole::Publishes => {
                    let topic = self.place(PlaceKind::Topic, end.topic, cycle);
                    self.way(of_cycle, topic, None);
                }
                PortRole::Subscribes => {
                    let topic = self.place(PlaceKind::Topic, end.topic, cycle);
                    self.way(topic, of_cycle, None);
                }
                PortRole::Calls => {
                    let service = self.place(PlaceKind::Service, end.topic, cycle);
                    self.way(of_cycle, service, None);
                }
            }
        }
    }

    /// Returns the place of that name, which is drawn in the process of `owner` if it is new.
    fn place(&mut self, kind: PlaceKind, name: &str, owner: &str) -> usize {
        let places = &mut self.map.places;
        places.iter().position(|place| place.kind == kind && place.name == name).unwrap_or_else(|| {
            places.push(Place { kind, name: name.to_owned(), process: self.processes.get(owner).cloned() });
            places.len() - 1
        })
    }

    /// Adds a way from one place to another; there is none within a place.
    fn way(&mut self, from: usize, to: usize, carries: Option<&str>) {
        if from == to {
            return;
        }
        let ways = &mut self.map.ways;
        let known = ways.iter().position(|way| (way.from, way.to) == (from, to)).unwrap_or_else(|| {
            ways.push(Way { from, to, carries: Vec::new() });
            ways.len() - 1
        });
        let carried = &mut ways[known].carries;
        if let Some(name) = carries
            && !carried.iter().any(|known| known == name)
        {
            carried.push(name.to_owned());
        }
    }
}
