//! The parts of a robot that run in separate processes: where each source runs, and what is sent
//! from one process to another.

mod between;
mod chains;
mod crossings;
mod ros2;
mod services;

use std::path::Path;

use hemiola_model::configuration::{
    Configuration, Keep, LinkAddress, LinkConfiguration, LinkEnd, Received, Scheduling, Sent, Subject, SubjectKind,
    Trigger,
};
use hemiola_model::module::ModuleDescriptor;
use hemiola_plan::Consumer;

use super::robot::Robot;
use super::wiring::{Node, nodes};
use crate::error::RuntimeError;
pub use between::LinkBetweenParts;
use crossings::Crossing;
use services::Served;

/// A robot that is cut into processes, which are identified by their numbers.
struct Cut<'r> {
    robot: &'r Robot,
    names: Vec<&'r str>,
    /// The cycles and sources, in the numbering of [`nodes`].
    nodes: Vec<Node>,
    /// The process of each node.
    places: Vec<usize>,
}

impl Robot {
    /// Returns the configuration of the part of this robot that runs in one of its processes. The
    /// part receives what it reads from other parts over links, which are named after those and
    /// connect over Unix sockets in `folder`, and between two hosts over TCP ports.
    ///
    /// # Errors
    /// Returns [`RuntimeError::Unknown`] if there is no such process, and [`RuntimeError::Cut`] if
    /// the robot cannot be cut there.
    ///
    /// ```
    /// use std::path::Path;
    /// use hemiola_model::configuration::{Configuration, CycleConfiguration, ProcessConfiguration, Trigger};
    /// use hemiola_runtime::Robot;
    ///
    /// let mut configuration = Configuration::default();
    /// for cycle in ["motion", "cognition"] {
    ///     configuration.cycles.push(CycleConfiguration::new(cycle, Trigger::Rate(30.0)));
    /// }
    /// configuration.processes.push(ProcessConfiguration::new("vision", ["cognition".to_owned()]));
    /// let vision = Robot::assemble(configuration)?.part("vision", Path::new("/run/robot"))?;
    /// assert_eq!(vision.cycles.len(), 1); // and no link, as nothing crosses
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn part(&self, process: &str, folder: &Path) -> Result<Configuration, RuntimeError> {
        let cut = Cut::of(self);
        let here = cut.names.iter().position(|name| *name == process).ok_or_else(|| RuntimeError::Unknown {
            kind: "process",
            name: process.to_owned(),
            known: cut.names.iter().map(|&name| name.to_owned()).collect(),
        })?;
        let (crossings, services) = (cut.crossings()?, cut.services()?);
        let mut part = self.configuration.clone();
        part.processes.clear();
        part.process = Some(process.to_owned());
        part.parts = cut.names.iter().map(|&name| name.to_owned()).collect();
        let host = self.configuration.host_of(process);
        let (near, distant): (Vec<&str>, Vec<&str>) =
            cut.names.iter().partition(|name| self.configuration.host_of(name) == host);
        part.distant = distant.into_iter().map(str::to_owned).collect();
        part.hosts.clear();
        part.cycles.retain(|cycle| self.configuration.process_of(&cycle.name) == Some(process));
        for cycle in &mut part.cycles {
            cut.trigger(&mut cycle.trigger, here)?;
        }
        for (node, place) in cut.nodes.iter().zip(&cut.places) {
            if let Consumer::Source(source) = &node.consumer
                && *place != here
            {
                part.sources.entry(source.clone()).or_default().enabled = Some(false);
            }
        }
        if here != FIRST {
            part.links.clear();
        }
        if near.first() != Some(&process) {
            // One process on each host has the port given in robot.toml; the others use a free one.
            part.page.port = None;
        }
        part.ros2 = cut.ros2(here);
        part.links.extend(cut.links(here, &crossings, &services, folder));
        let elsewhere = services.iter().filter(|served| served.by != here);
        part.served_elsewhere = elsewhere.map(|served| served.service.clone()).collect();
        cut.choose_providers(&mut part, here);
        cut.rank_links(&mut part, here);
        part.chains.retain(|chain| cut.is_at(chains::begin(&chain.from), here) && cut.ends(&chain.to, here));
        let moves = |module: &&ModuleDescriptor| module.has_safe_state() && cut.runs(module.name(), here);
        part.guard = part.guard.filter(|_| self.modules.iter().any(|module| moves(&module)));
        Ok(part)
    }
}

impl Robot {
    /// Returns the process in which a cycle or source of that name runs; `None` if there is none of
    /// that name, or the robot is a single process.
    ///
    /// ```
    /// use hemiola_model::configuration::{Configuration, CycleConfiguration, ProcessConfiguration, Trigger};
    /// use hemiola_runtime::Robot;
    ///
    /// let mut configuration = Configuration::default();
    /// for cycle in ["motion", "cognition"] {
    ///     configuration.cycles.push(CycleConfiguration::new(cycle, Trigger::Rate(30.0)));
    /// }
    /// configuration.processes.push(ProcessConfiguration::new("vision", ["cognition".to_owned()]));
    /// let robot = Robot::assemble(configuration)?;
    /// assert_eq!(robot.process_of("cognition"), Some("vision"));
    /// assert_eq!(robot.process_of("motion"), Some("main"));
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn process_of(&self, owner: &str) -> Option<&str> {
        let Cut { names, nodes, places, .. } = Cut::of(self);
        let is_it = |node: &Node| match &node.consumer {
            Consumer::Cycle(name) | Consumer::Source(name) => name == owner,
        };
        let node = nodes.iter().position(is_it)?;
        names.get(places[node]).copied()
    }
}

/// The process that has the links to other programs.
const FIRST: usize = 0;

impl<'r> Cut<'r> {
    fn of(robot: &'r Robot) -> Self {
        let names = robot.configuration.process_names();
        let nodes = nodes(robot);
        let mut cut = Self { robot, names, places: Vec::with_capacity(nodes.len()), nodes };
        for index in 0..cut.nodes.len() {
            cut.places.push(cut.place(index));
        }
        cut
    }

    /// Returns the process of a node; for a source, those of cycles must be known.
    fn place(&self, node: usize) -> usize {
        let configuration = &self.robot.configuration;
        let number = |name: &str| self.names.iter().position(|known| *known == name);
        let source = match &self.nodes[node].consumer {
            Consumer::Cycle(cycle) => return configuration.process_of(cycle).and_then(number).unwrap_or(FIRST),
            Consumer::Source(source) => source,
        };
        let named = configuration.processes.iter().find(|process| process.sources.contains(source));
        let is_triggered = |trigger: &Trigger| matches!(trigger, Trigger::Source(name) if name == source);
        let triggered = || configuration.cycles.iter().position(|cycle| is_triggered(&cycle.trigger));
        let cycles = configuration.cycles.len();
        let reading = || (0..cycles).find(|&cycle| self.nodes[cycle].reads.values().any(|read| read.from == node));
        let is_link = self.robot.fed_sources().contains(&source.as_str());
        match named {
            // A link is open in one process, whoever reads what it receives.
            _ if is_link => FIRST,
            Some(process) => number(&process.name).unwrap_or(FIRST),
            None => triggered().or_else(reading).map_or(FIRST, |cycle| self.places[cycle]),
        }
    }

    fn is_at(&self, source: &str, place: usize) -> bool {
        let is_meant = |node: &Node| node.consumer == Consumer::Source(source.to_owned());
        self.nodes.iter().zip(&self.places).any(|(node, at)| is_meant(node) && *at == place)
    }

    /// Returns whether a chain with this output, as `[chain.*]` gives it, ends in that process.
    fn ends(&self, output: &str, place: usize) -> bool {
        self.is_at(output, place) || self.runs(output.split('.').next().unwrap_or_default(), place)
    }

    /// Returns whether a module belongs to a cycle in that process.
    fn runs(&self, module: &str, place: usize) -> bool {
        let cycles = self.robot.system.cycles.iter().zip(&self.places).filter(|(_, at)| **at == place);
        cycles.flat_map(|(cycle, _)| &cycle.modules).any(|known| known.name == module)
    }

    /// Replaces a trigger that runs in another process by what is received from there: the last
    /// value of the source's sample that the link sends.
    fn trigger(&self, trigger: &mut Trigger, here: usize) -> Result<(), RuntimeError> {
        let Trigger::Source(source) = trigger else { return Ok(()) };
        let node = self.nodes.iter().position(|node| node.consumer == Consumer::Source(source.clone()));
        let Some(node) = node.filter(|node| self.places[*node] != here) else { return Ok(()) };
        let is_read = |name: &str| {
            let here = self.nodes.iter().zip(&self.places).filter(|(_, at)| **at == here);
            here.flat_map(|(reader, _)| reader.reads.get(name)).any(|read| read.from == node)
        };
        let last =
            self.nodes[node].provides.iter().rev().find(|provided| is_read(provided.name())).ok_or_else(|| {
                let what = format!(
                    "source `{source}` triggers a cycle in `{}` that reads none of its values",
                    self.names[here]
                );
                self.refuse(what, "let source and cycle run in one process")
            })?;
        *source = Received::new(Subject::representation(last.name())).source(self.names[self.places[node]]);
        Ok(())
    }

    /// Returns the links of a process to all others with which it exchanges data.
    fn links(&self, here: usize, crossings: &[Crossing], services: &[Served], folder: &Path) -> Vec<LinkConfiguration> {
        let others = (0..self.names.len()).filter(|&there| there != here);
        let link = |there: usize| {
            let between = |from: usize, to: usize| {
                crossings.iter().filter(move |crossing| (crossing.from, crossing.to) == (from, to))
            };
            let (first, second) = (self.names[here.min(there)], self.names[here.max(there)]);
            let address = match self.robot.configuration.meeting(first, second) {
                Some(address) => LinkAddress::Tcp(address),
                None => LinkAddress::Shm(folder.join(format!("{first}-{second}.sock"))),
            };
            let end = if here < there { LinkEnd::Listen(address) } else { LinkEnd::Connect(address) };
            let place = Some(format!("process `{}`", self.names[there]));
            // Where all samples are wanted, they come for themselves.
            let provider = |it: &Crossing| {
                let node = it.provider.filter(|_| it.keep == Keep::Newest);
                node.map(|node| self.nodes[node].name().to_string())
            };
            let sent = |it: &Crossing| Sent { provider: provider(it), ..Sent::new(it.subject.clone(), it.keep) };
            let received = |it: &Crossing| {
                let (place, provider) = (place.clone(), provider(it));
                Received { place, provider, ..Received::new(it.subject.clone()) }
            };
            let (send, receive) =
                (between(here, there).map(sent).collect(), between(there, here).map(received).collect());
            let called = |from: usize, by: usize| {
                let crossing = services.iter().filter(move |it| it.by == by && it.from.contains(&from));
                crossing.map(|it| it.service.clone()).collect()
            };
            let (serve, call) = (called(there, here), called(here, there));
            let process = self.robot.configuration.processes.iter().find(|process| process.name == self.names[there]);
            let on_loss = process.map(|process| process.on_loss).unwrap_or_default();
            let unused = LinkConfiguration::new(self.names[there], end);
            LinkConfiguration { send, receive, serve, call, on_loss, ..unused }
        };
        let is_used = |link: &LinkConfiguration| {
            let carries = !link.send.is_empty() || !link.receive.is_empty();
            carries || !link.serve.is_empty() || !link.call.is_empty()
        };
        others.map(link).filter(is_used).collect()
    }

    /// Keeps the choices of providers that concern this process, and chooses what is received from
    /// others.
    fn choose_providers(&self, part: &mut Configuration, here: usize) {
        part.providers.retain(|_, chosen| self.is_at(chosen, here) || self.runs(chosen, here));
        for link in part.links.iter().filter(|link| self.names.contains(&link.name.as_str())) {
            for received in link.receive.iter().filter(|it| it.subject.kind == SubjectKind::Representation) {
                part.providers.insert(received.subject.name.clone(), received.source(&link.name));
            }
        }
    }

    /// Gives what is received over links a priority just below that of the most important cycle
    /// that reads it, unless robot.toml sets it: in one process, too, nothing less important would
    /// run in between. A link that triggers a cycle gets a priority above it. What is read together
    /// has one thread, and one priority.
    fn rank_links(&self, part: &mut Configuration, here: usize) {
        let links = part.links.clone();
        let links = links.iter().filter(|link| self.names.contains(&link.name.as_str()));
        for (link, received) in links.flat_map(|link| link.receive.iter().map(move |received| (link, received))) {
            let is_together = |other: &&Received| {
                *other == received || (received.provider.is_some() && other.provider == received.provider)
            };
            let together: Vec<&Received> = link.receive.iter().filter(is_together).collect();
            let cycles = self.robot.configuration.cycles.iter().zip(&self.nodes).zip(&self.places);
            let reads = |node: &Node| together.iter().any(|it| node.reads.contains_key(it.subject.name.as_str()));
            let reading = cycles.filter(|((_, node), at)| **at == here && reads(node));
            let highest = reading.filter_map(|((cycle, _), _)| cycle.scheduling.priority()).max();
            let triggers =
                |source: &String| part.cycles.iter().any(|cycle| cycle.trigger == Trigger::Source(source.clone()));
            let triggering = together.iter().map(|it| it.source(&link.name)).find(triggers);
            let scheduling = match triggering {
                Some(triggering) => Some(part.source_scheduling(&triggering)),
                None => highest.filter(|priority| *priority > 1).map(|priority| Scheduling::Fifo(priority - 1)),
            };
            if let Some(scheduling) = scheduling {
                let own = &mut part.sources.entry(received.source(&link.name)).or_default().scheduling;
                own.get_or_insert(scheduling);
            }
        }
    }
}
