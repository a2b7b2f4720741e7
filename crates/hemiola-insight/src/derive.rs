//! Derivation of the system that `hemiola-analysis` bounds from a robot, as `system.toml` would
//! describe it.
//!
//! - **Cycles** have the tasks and the order of their plan, unfused: fusing changes where tasks
//!   run, but not the work.
//! - **Sources** that the framework paces are cycles of one task, because they have threads of
//!   their own; the cycles that they trigger begin when they have a sample. A source that paces
//!   itself waits for its sensor most of the time, and counts as using no processor time.
//! - **Executors** beside the cycles: see `executors`.
//! - **Links** between processes, as far as they were measured, with the threads that receive: see
//!   `links`.
//! - **Paths** are the response of each cycle that a source triggers, from its sample on, as its
//!   deadline counts; and the paths of all chains.
//! - **Cores.** A cycle that may use only some cores has no more workers there than those.
//!   Time-sharing threads have a lower priority than all others.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::{Begin, Cycle, Path, Span, Start, System, Task};
use hemiola_model::configuration::{CycleConfiguration, Scheduling, Trigger};
use hemiola_plan::{Consumer, Plan, TaskId, TaskKind};
use hemiola_runtime::Robot;
use hemiola_runtime::executor::WORTH_SHARING;
use hemiola_trace::source_of_messages;

use crate::chains::{chains_of, find};
use crate::error::InsightError;
use crate::executors::{self, Callbacks, SHARING};
use crate::knowledge::Knowledge;
use crate::latency::{Latency, path_name};
use crate::links::{Links, Way};
use crate::routes::Chain;
use crate::unbounded::Unbounded;

/// A robot as a system.
pub struct Derived {
    /// The system to be analysed.
    pub system: System,
    /// The responses of the robot's cycles, each with the name of what bounds it: a path, or the
    /// cycle itself.
    pub responses: Vec<Response>,
    /// Every chain from a sensor to an output.
    pub latencies: Vec<Latency>,
    /// The tasks, as `cycle: task`, and sources whose execution time is not known.
    pub unmeasured: Vec<String>,
    /// The tasks and sources that were only measured for other robots than this one: earlier
    /// builds, other machines or parameters, runs that were not in real time.
    pub estimated: Vec<String>,
    /// The cycles, sources and executors that run under time sharing with all other programs.
    pub sharing: Vec<String>,
    /// The callbacks that run beside the cycles.
    pub callbacks: Callbacks,
}

/// The time that a run of a cycle takes, from its trigger on.
pub struct Response {
    /// The name of the cycle.
    pub cycle: String,
    /// The name of the verdict that bounds it.
    pub verdict: String,
    /// The reason why nothing bounds it, if its trigger comes over a link.
    pub over_link: Option<Unbounded>,
}

/// Returns the number of cores that a robot has for its cycles: the configured number, or all of
/// this machine.
fn cores(robot: &Robot) -> NonZeroUsize {
    let configured = robot.configuration().analysis.cores.and_then(NonZeroUsize::new);
    configured.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Derives the system of a robot, as the module describes.
///
/// # Errors
/// Returns an error if the period of something is not known, or if a chain of the configuration
/// does not exist.
pub fn derive(robot: &Robot, knowledge: &Knowledge) -> Result<Derived, InsightError> {
    let mut derivation = Derivation {
        robot,
        knowledge,
        unmeasured: Vec::new(),
        estimated: Vec::new(),
        sharing: Vec::new(),
        silent: Vec::new(),
        links: Links::of(robot),
    };
    let mut system = derivation.system();
    if !derivation.silent.is_empty() {
        return Err(InsightError::WithoutPeriod { silent: derivation.silent });
    }
    let callbacks = executors::add(&mut system, robot, knowledge);
    let Derivation { unmeasured, estimated, mut sharing, links, .. } = derivation;
    sharing.extend(callbacks.sharing.iter().cloned());
    let mut derived =
        Derived { system, responses: Vec::new(), latencies: Vec::new(), unmeasured, estimated, sharing, callbacks };
    let over = Over { robot, links, knowledge };
    derived.add_responses(&over);
    derived.add_latencies(&over)?;
    Ok(derived)
}

struct Derivation<'r> {
    robot: &'r Robot,
    knowledge: &'r Knowledge,
    unmeasured: Vec<String>,
    estimated: Vec<String>,
    sharing: Vec<String>,
    /// The sources and topics whose periods are not known.
    silent: Vec<String>,
    links: Links,
}

impl Derivation<'_> {
    fn system(&mut self) -> System {
        let cores = cores(self.robot);
        let mut cycles: Vec<Cycle> = self.robot.source_periods().into_iter().filter_map(|it| self.source(it)).collect();
        let plans = self.robot.plans(cores);
        for (configured, plan) in self.robot.configuration().cycles.iter().zip(&plans) {
            cycles.push(self.cycle(configured, plan));
        }
        let mut system = System { cores: cores.get(), costs: self.knowledge.costs(), cycles, ..System::default() };
        self.add_links(&mut system);
        system
    }

    fn add_links(&mut self, system: &mut System) {
        let links = std::mem::replace(&mut self.links, Links::none());
        let received = links.add_to(system, self.knowledge, |place, link| self.priority(place, link.scheduling));
        self.unmeasured.extend(received);
        self.links = links;
    }

    fn source(&mut self, (name, paced): (&'static str, Option<Duration>)) -> Option<Cycle> {
        let configured = self.robot.configuration().sources.get(name);
        let task = |takes| Task::new(format!("{name}.sample"), takes);
        let (period, tasks) = match (paced, self.robot.configuration().analysis.periods.get(name)) {
            (Some(period), _) => {
                let takes = self.knowledge.source(name).unwrap_or_else(|| {
                    self.unmeasured.push(name.to_owned());
                    Span::default()
                });
                if self.knowledge.known.is_estimated_source(name) {
                    self.estimated.push(name.to_owned());
                }
                (period, vec![task(takes)])
            }
            (None, Some(&period)) => (period, Vec::new()),
            (None, None) => return None,
        };
        Some(Cycle {
            name: name.to_owned(),
            begins: Begin::every(period.into()),
            deadline: None,
            workers: 1,
            cores: configured.map(|source| source.cores.clone()).unwrap_or_default(),
            priority: self.priority(name, self.robot.configuration().source_scheduling(name)),
            tasks,
        })
    }

    fn cycle(&mut self, configured: &CycleConfiguration, plan: &Plan) -> Cycle {
        let graph = plan.graph();
        let mut after: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (from, to) in graph.reduced() {
            after.entry(to.index()).or_default().push(graph.task(from).name.clone());
        }
        let mut tasks = Vec::new();
        for (index, task) in graph.tasks().iter().enumerate() {
            let takes = self.knowledge.task(&configured.name, &task.name).unwrap_or_else(|| {
                if self.is_link(&configured.name, task.kind) {
                    return Span::default();
                }
                self.unmeasured.push(format!("{}: {}", configured.name, task.name));
                Span::default()
            });
            if self.knowledge.known.is_estimate(&configured.name, &task.name) {
                self.estimated.push(format!("{}: {}", configured.name, task.name));
            }
            let after = after.remove(&index).unwrap_or_default();
            let unit = plan.unit_of(TaskId(index as u32));
            let kept = plan.units()[unit.index()].duration < WORTH_SHARING;
            tasks.push(Task { after, kept, ..Task::new(&task.name, takes) });
        }
        let allowed = if configured.cores.is_empty() { usize::MAX } else { configured.cores.len() };
        Cycle {
            name: configured.name.clone(),
            begins: self.begins(configured),
            // The deadline of a cycle that a source triggers counts from the sample: see
            // `add_responses`.
            deadline: configured.deadline.filter(|_| trigger(self.robot, configured).is_none()).map(TimeSpan::from),
            workers: plan.workers().min(allowed),
            cores: configured.cores.clone(),
            priority: self.priority(&configured.name, configured.scheduling),
            tasks,
        }
    }

    /// Returns whether a task hands values over to another process: a link does that, and its time
    /// is counted there.
    fn is_link(&self, cycle: &str, task: TaskKind) -> bool {
        let TaskKind::Publish(number) = task else { return false };
        let resolved = self.robot.resolved().cycles.iter().find(|known| known.name == cycle);
        let reader = resolved.and_then(|cycle| cycle.publishes.get(number)).map(|group| match &group.consumer {
            Consumer::Cycle(name) | Consumer::Source(name) => name,
        });
        reader.is_some_and(|reader| self.robot.process_of(reader) != self.robot.process_of(cycle))
    }

    fn begins(&mut self, cycle: &CycleConfiguration) -> Begin {
        match &cycle.trigger {
            Trigger::Rate(rate) => Begin::every(Duration::from_secs_f64(1.0 / rate).into()),
            Trigger::Source(source) if trigger(self.robot, cycle).is_some() => {
                let over_link = self.links.begin_of(&cycle.name, self.knowledge);
                Begin::After(over_link.unwrap_or_else(|| source.clone()))
            }
            Trigger::Source(name) | Trigger::Topic(name) => {
                let period = self.robot.configuration().analysis.periods.get(name);
                if period.is_none() {
                    self.silent.push(name.clone());
                }
                Begin::every(period.map_or(TimeSpan::MAX, |&period| period.into()))
            }
        }
    }

    fn priority(&mut self, name: &str, scheduling: Scheduling) -> u32 {
        match scheduling {
            Scheduling::Fifo(priority) | Scheduling::RoundRobin(priority) => u32::from(priority),
            // Only executors have reservations in robot.toml.
            Scheduling::Reservation { .. } | Scheduling::TimeSharing => {
                self.sharing.push(name.to_owned());
                SHARING
            }
        }
    }
}

/// Returns the source that triggers a cycle, if the period of the source is known.
fn trigger<'c>(robot: &Robot, cycle: &'c CycleConfiguration) -> Option<&'c str> {
    let Trigger::Source(source) = &cycle.trigger else { return None };
    is_regular(robot, source).then_some(source)
}

fn is_regular(robot: &Robot, source: &str) -> bool {
    let is_paced = robot.source_periods().iter().any(|(name, period)| *name == source && period.is_some());
    is_paced || robot.configuration().analysis.periods.contains_key(source)
}

impl Derived {
    /// Adds the responses of cycles. The deadline of a cycle counts from its trigger: the time at
    /// which the triggering sample was due.
    fn add_responses(&mut self, over: &Over<'_>) {
        let robot = over.robot;
        for cycle in &robot.configuration().cycles {
            let (verdict, over_link) = match trigger(robot, cycle) {
                None => (cycle.name.clone(), None),
                Some(source) => {
                    let way = over.links.to_triggered(robot, source, &cycle.name, over.knowledge);
                    let (through, over_link) = match way {
                        Ok(way) => (way.through, None),
                        Err(reason) => (vec![source.to_owned(), cycle.name.clone()], Some(reason)),
                    };
                    let path = Path {
                        through,
                        deadline: cycle.deadline.map(TimeSpan::from),
                        from: Start::Sample,
                        ..Path::named(format!("response of {}", cycle.name))
                    };
                    self.system.paths.push(path.clone());
                    (path.name, over_link)
                }
            };
            self.responses.push(Response { cycle: cycle.name.clone(), verdict, over_link });
        }
    }

    fn add_latencies(&mut self, over: &Over<'_>) -> Result<(), InsightError> {
        let robot = over.robot;
        let sources = robot.begins();
        let chains = chains_of(robot);
        let mut declared: Vec<(usize, &_)> = Vec::new();
        // A chain from a source that is switched off does not exist.
        let is_on = |begin: &str| sources.iter().any(|source| source == source_of_messages(begin).unwrap_or(begin));
        for chain in robot.configuration().chains.iter().filter(|chain| is_on(&chain.from)) {
            declared.push((find(&chains, &chain.name, &chain.from, &chain.to)?, chain));
        }
        for (number, chain) in chains.into_iter().enumerate() {
            let configured = declared.iter().find(|(of, _)| *of == number).map(|(_, chain)| *chain);
            let reaction = configured.and_then(|chain| chain.reaction).map(TimeSpan::from);
            let data_age = configured.and_then(|chain| chain.data_age).map(TimeSpan::from);
            let mut latency = Latency {
                declared: configured.map(|chain| chain.name.clone()),
                paths: Vec::new(),
                shortest: 0,
                observed: Vec::new(),
                observed_by_all: Vec::new(),
                reaction,
                data_age,
                over_link: None,
                chain,
            };
            let ways = match elsewhere(robot, &latency.chain.source) {
                Some(process) => Err(Unbounded::BeginsElsewhere { process }),
                None => over.ways(&latency.chain),
            };
            match ways {
                Ok(routes) => self.add_paths(&mut latency, &routes),
                Err(reason) => {
                    latency.observed.push(latency.chain.begin());
                    latency.observed_by_all.push(latency.chain.begin());
                    latency.over_link = Some(reason);
                }
            }
            self.latencies.push(latency);
        }
        // The chains of the configuration come first, in its order.
        let place = |latency: &Latency| {
            let of = |(_, chain): &(usize, &hemiola_model::configuration::ChainConfiguration)| {
                Some(&chain.name) == latency.declared.as_ref()
            };
            declared.iter().position(of).unwrap_or(usize::MAX)
        };
        self.latencies.sort_by_key(place);
        Ok(())
    }

    /// Adds the paths of a chain, whose routes have these ways.
    fn add_paths(&mut self, latency: &mut Latency, routes: &[Vec<Way>]) {
        for (place, ways) in routes.iter().enumerate() {
            let by_reaction = latency.reaction.filter(|_| place == 0);
            for way in ways {
                let begin = way.over.clone().unwrap_or_else(|| latency.chain.begin());
                if place == 0 && !latency.observed.contains(&begin) {
                    latency.observed.push(begin.clone());
                }
                if !latency.observed_by_all.contains(&begin) {
                    latency.observed_by_all.push(begin);
                }
                let path = Path {
                    through: way.through.clone(),
                    deadline: by_reaction.into_iter().chain(latency.data_age).min(),
                    ..Path::named(path_name(latency, &self.system, place, way))
                };
                latency.paths.push(path.name.clone());
                self.system.paths.push(path);
            }
        }
        latency.shortest = routes.first().map_or(0, Vec::len);
    }
}

/// Returns the process from which a source delivers values, if that is another one of this robot.
fn elsewhere(robot: &Robot, source: &str) -> Option<String> {
    let link = source.strip_prefix("link.")?.split('.').next()?;
    robot.configuration().is_between_parts(link).then(|| link.to_owned())
}

/// The links of a robot, and what is known about them.
struct Over<'r> {
    robot: &'r Robot,
    links: Links,
    knowledge: &'r Knowledge,
}

impl Over<'_> {
    /// Returns the ways along each route of a chain; none if it is not known how often it begins.
    fn ways(&self, chain: &Chain) -> Result<Vec<Vec<Way>>, Unbounded> {
        let routes = chain.routes.iter().map(|route| self.links.along(self.robot, chain, route, self.knowledge));
        let ways: Vec<_> = routes.collect::<Result<_, _>>()?;
        Ok(if is_regular(self.robot, &chain.source) { ways } else { Vec::new() })
    }
}
