//! The links between the processes of a robot: their latencies, and the chains that cross them.
//!
//! A value goes to the thread of a source, which provides it to those who read it. Messages of a
//! topic are published by the links' thread, whose time is part of what the link was measured to
//! take; whoever subscribes receives all that are there, so that none waits for another one.
//!
//! The measurements of a link are in the profile of the receiving process. Where the profiles of
//! all processes are one ([`Known::add_part`](hemiola_trace::Known::add_part)), the names of its
//! sources have that process as a prefix: `main: link.vision.MotionRequest`.

use std::collections::BTreeSet;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::{Begin, Cycle, Link, Span, System, Task};
use hemiola_model::configuration::SubjectKind;
use hemiola_runtime::{LinkBetweenParts, Robot};
use hemiola_trace::by_messages;

use crate::knowledge::Knowledge;
use crate::routes::Chain;
use crate::unbounded::Unbounded;

/// The links between the processes of a robot.
pub struct Links(Vec<LinkBetweenParts>);

/// A way of a chain, in the form of a path of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The names of sources, cycles and links.
    pub through: Vec<String>,
    /// The begin of the chain by which the way is observed behind the last link, as in the profile,
    /// if the way goes over links.
    pub over: Option<String>,
}

impl Links {
    /// Returns no links.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the links of a robot; none if it is a single process, or cannot be split, and so
    /// does not run.
    pub fn of(robot: &Robot) -> Self {
        Self(robot.links_between_parts().unwrap_or_default())
    }

    /// Adds to a system each link that was measured, and its receiving thread, whose priority
    /// `priority` returns. Returns the threads whose execution time is not known.
    pub fn add_to(
        &self,
        system: &mut System,
        knowledge: &Knowledge,
        mut priority: impl FnMut(&str, &LinkBetweenParts) -> u32,
    ) -> Vec<String> {
        let mut unmeasured = Vec::new();
        for link in &self.0 {
            let Some((takes, clock_error)) = knowledge.link(&place(link)) else { continue };
            let (name, place) = (self.name(link), place(link));
            system.links.push(Link { name: name.clone(), from: link.provider.clone(), takes, clock_error });
            if link.subject.kind == SubjectKind::Topic {
                continue;
            }
            let takes = knowledge.source(&place).unwrap_or_else(|| {
                unmeasured.push(place.clone());
                Span::default()
            });
            system.cycles.push(Cycle {
                begins: Begin::After(name),
                deadline: None,
                workers: 1,
                cores: link.cores.clone(),
                priority: priority(&place, link),
                tasks: vec![Task::new(format!("{}.sample", link.source), takes)],
                name: place,
            });
        }
        unmeasured
    }

    /// Returns the part that begins a cycle whose trigger comes over a link that was measured.
    pub fn begin_of(&self, cycle: &str, knowledge: &Knowledge) -> Option<String> {
        let mut values = self.0.iter().filter(|link| link.subject.kind == SubjectKind::Representation);
        let link = values.find(|link| link.triggers.iter().any(|triggered| triggered == cycle))?;
        knowledge.link(&place(link)).map(|_| place(link))
    }

    /// Returns the way from a source to the cycle that it triggers.
    ///
    /// # Errors
    /// Returns the reason why nothing bounds it.
    pub fn to_triggered(
        &self,
        robot: &Robot,
        source: &str,
        cycle: &str,
        knowledge: &Knowledge,
    ) -> Result<Way, Unbounded> {
        let triggers = |link: &LinkBetweenParts| {
            let is_value = link.subject.kind == SubjectKind::Representation;
            is_value && link.triggers.iter().any(|triggered| triggered == cycle)
        };
        let ways = self.ways(robot, [source, cycle].into_iter(), knowledge, triggers)?;
        ways.into_iter().next().ok_or(Unbounded::NoVerdict)
    }

    /// Returns the ways along one of a chain's routes: where several values and topics go from one
    /// process to another, each of them makes a way. Where a chain by messages crosses by values,
    /// too, there may be more ways than those with a topic; the slowest one bounds them all.
    ///
    /// # Errors
    /// Returns the reason why nothing bounds it.
    pub fn along(
        &self,
        robot: &Robot,
        chain: &Chain,
        route: &[String],
        knowledge: &Knowledge,
    ) -> Result<Vec<Way>, Unbounded> {
        let output = chain.output.strip_prefix("output to ");
        let steps = [chain.source.as_str()].into_iter().chain(route.iter().map(String::as_str)).chain(output);
        let is_on_it = |link: &LinkBetweenParts| {
            let name = &link.subject.name;
            let lead =
                |to: &BTreeSet<_>| link.readers.iter().any(|reader| to.contains(&(reader.clone(), name.clone())));
            match link.subject.kind {
                SubjectKind::Topic => lead(&chain.topics),
                SubjectKind::Representation => {
                    lead(&chain.values) || output.is_some_and(|it| link.readers.iter().any(|reader| reader == it))
                }
            }
        };
        let mut ways = self.ways(robot, steps, knowledge, is_on_it)?;
        if chain.by_messages {
            let observed = ways.iter_mut().filter_map(|way| way.over.as_mut());
            observed.for_each(|over| *over = by_messages(over));
        }
        Ok(ways)
    }

    fn ways<'n>(
        &self,
        robot: &Robot,
        steps: impl Iterator<Item = &'n str>,
        knowledge: &Knowledge,
        is_on_it: impl Fn(&LinkBetweenParts) -> bool,
    ) -> Result<Vec<Way>, Unbounded> {
        let mut ways = vec![Way::default()];
        let mut before: Option<(&str, Option<&str>)> = None;
        for step in steps {
            let process = robot.process_of(step);
            if let Some((from, Some(from_process))) = before
                && let Some(process) = process.filter(|process| *process != from_process)
            {
                let leads = |link: &&LinkBetweenParts| {
                    link.provider == from && link.to == process && link.readers.iter().any(|reader| reader == step)
                };
                let links: Vec<_> = self.0.iter().filter(leads).filter(|link| is_on_it(link)).collect();
                if links.is_empty() {
                    return Err(Unbounded::OverLink { from: from_process.to_owned(), to: process.to_owned() });
                }
                if let Some(link) = links.iter().find(|link| knowledge.link(&place(link)).is_none()) {
                    return Err(Unbounded::LinkNotMeasured { link: self.name(link) });
                }
                let over = |way: &Way, link: &LinkBetweenParts| {
                    let thread = Some(place(link)).filter(|_| link.subject.kind == SubjectKind::Representation);
                    let through = way.through.iter().cloned().chain([self.name(link)]).chain(thread).collect();
                    Way { through, over: Some(place(link)) }
                };
                ways = ways.iter().flat_map(|way| links.iter().map(move |link| over(way, link))).collect();
            }
            before = Some((step, process));
            ways.iter_mut().for_each(|way| way.through.push(step.to_owned()));
        }
        Ok(ways)
    }

    /// Returns a link's name for people: `vision to main: MotionRequest`. Of a topic to which
    /// several publish, each has a link.
    fn name(&self, link: &LinkBetweenParts) -> String {
        let LinkBetweenParts { from, to, subject, provider, .. } = link;
        let name = format!("{from} to {to}: {}", subject.name);
        let is_same = |other: &&LinkBetweenParts| (&other.from, &other.to, &other.subject) == (from, to, subject);
        if self.0.iter().filter(is_same).count() > 1 { format!("{name} of {provider}") } else { name }
    }
}

/// Returns the name of the source of a link with its receiving process, as in the common profile
/// and in systems.
fn place(link: &LinkBetweenParts) -> String {
    hemiola_trace::in_part(&link.to, &link.source)
}

impl Knowledge {
    /// Returns how long a link takes, and the error of the clocks at its ends, by its name in the
    /// profile.
    pub fn link(&self, place: &str) -> Option<(Span, TimeSpan)> {
        let measured = self.known.profile.links.get(place)?;
        Some((self.span(&measured.delay)?, TimeSpan::nanoseconds(measured.clock_error)))
    }
}
