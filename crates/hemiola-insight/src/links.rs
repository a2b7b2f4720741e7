//! The links between the processes of a robot: their latencies, and the chains that cross them.
//!
//! The measurements of a link are in the profile of the receiving process. Where the profiles of
//! all processes are one ([`Known::add_part`](hemiola_trace::Known::add_part)), the names of its
//! sources have that process as a prefix: `main: link.vision.MotionRequest`.

use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::{Begin, Cycle, Link, Span, System, Task};
use hemiola_runtime::{LinkBetweenParts, Robot};

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
    /// The source by which the last link is known in the profile, if the way goes over links.
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
            let place = place(link);
            system.links.push(Link { name: name(link), from: link.provider.clone(), takes, clock_error });
            let takes = knowledge.source(&place).unwrap_or_else(|| {
                unmeasured.push(place.clone());
                Span::default()
            });
            system.cycles.push(Cycle {
                begins: Begin::After(name(link)),
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
        let link = self.0.iter().find(|link| link.triggers.iter().any(|triggered| triggered == cycle))?;
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
        let triggers = |link: &LinkBetweenParts| link.triggers.iter().any(|triggered| triggered == cycle);
        let ways = self.ways(robot, [source, cycle].into_iter(), knowledge, triggers)?;
        ways.into_iter().next().ok_or(Unbounded::NoVerdict)
    }

    /// Returns the ways along one of a chain's routes: where several values go from one process to
    /// another, each of them makes a way.
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
            let derives = |reader: &String| chain.values.contains(&(reader.clone(), link.representation.clone()));
            !chain.by_messages
                && (link.readers.iter().any(derives)
                    || output.is_some_and(|it| link.readers.iter().any(|reader| reader == it)))
        };
        self.ways(robot, steps, knowledge, is_on_it)
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
                    return Err(Unbounded::LinkNotMeasured { link: name(link) });
                }
                let over = |way: &Way, link: &LinkBetweenParts| {
                    let through = way.through.iter().cloned().chain([name(link), place(link)]).collect();
                    Way { through, over: Some(place(link)) }
                };
                ways = ways.iter().flat_map(|way| links.iter().map(move |link| over(way, link))).collect();
            }
            before = Some((step, process));
            ways.iter_mut().for_each(|way| way.through.push(step.to_owned()));
        }
        Ok(ways)
    }
}

/// Returns a link's name for people: `vision to main: MotionRequest`.
fn name(link: &LinkBetweenParts) -> String {
    format!("{} to {}: {}", link.from, link.to, link.representation)
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
