use std::collections::BTreeMap;

use super::{
    Callback, Cycle, Dispatch, Executor, Link, Missed, Model, Observed, Observer, Options, Released, Sender, Source,
    Who, random::Random, run,
};
use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::{Begin, Beginning, Chain, Order, Span, Start, System};

/// The times that were observed in a simulated system.
///
/// ```
/// use hemiola_analysis::{System, TimeSpan, assignment};
/// use hemiola_schedulability::simulation::{Options, simulate};
/// let text = r#"
///     cores = 1
///     [[chain]]
///     name = "brake"
///     period = "80 ms"
///     callbacks = [{ name = "camera", takes = "2 ms" }, { name = "detect", takes = "16 ms" }]
/// "#;
/// let system = assignment::with_executors(&System::from_toml(text, "system.toml").unwrap()).unwrap();
/// let simulated = simulate(&system, &Options::default());
/// assert_eq!(simulated.latencies["brake"].maximum, TimeSpan::milliseconds(18));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulated {
    /// The times from release to end of chains and cycles, and the reaction times of paths, by
    /// name.
    pub latencies: BTreeMap<String, Observed>,
    /// The number of events: how often something began, ended, or ran.
    pub events: u64,
}

/// The largest number of messages that wait in a chain; no chain that has a bound comes near it.
const DEPTH: usize = 1000;

/// Simulates a system that has been checked and whose callbacks all have executors. Chains and
/// cycles begin first at their offsets; those without one at times drawn from the seed, within
/// their first period.
pub fn simulate(system: &System, options: &Options) -> Simulated {
    let mut random = Random::new(options.seed ^ 0x5EED);
    let (model, chain_of) = model(system, options.end, &mut random);
    let mut observer = Watch::new(system, chain_of);
    run(&model, options, &mut observer);
    observer.simulated
}

/// Returns the model, with messages from elsewhere until `end`, and for each of its callbacks the
/// chain.
pub(super) fn model(system: &System, end: TimeSpan, random: &mut Random) -> (Model, Vec<usize>) {
    let mut model = Model { cores: system.cores, costs: system.costs, ..Model::default() };
    model.executors.extend(system.executors.iter().map(|executor| Executor {
        core: executor.core,
        priority: executor.priority,
        reservation: executor.reservation,
        dispatch: match executor.order {
            Order::Priority => Dispatch::Priority,
            Order::Registration => Dispatch::WaitSet,
        },
    }));
    let mut chain_of = Vec::new();
    for (number, chain) in system.chains.iter().enumerate() {
        let first_callback = model.callbacks.len();
        let any = random.time(TimeSpan::ZERO, chain.period);
        for (place, callback) in chain.callbacks.iter().enumerate() {
            let named =
                |executor: &&hemiola_analysis::system::Executor| Some(&executor.name) == callback.executor.as_ref();
            let source = match place {
                0 => first_source(chain, chain.offset.unwrap_or(any), end),
                _ => Source::Messages { depth: DEPTH, arrivals: Vec::new() },
            };
            let last = place + 1 == chain.callbacks.len();
            model.callbacks.push(Callback {
                executor: system.executors.iter().position(|executor| named(&executor)).unwrap_or(0),
                source,
                takes: callback.takes,
                priority: callback.priority.unwrap_or(0),
                publishes: if last { Vec::new() } else { vec![first_callback + place + 1] },
                releases: if last { released_by(system, &chain.name) } else { Vec::new() },
                joins: Vec::new(),
            });
            chain_of.push(number);
        }
    }
    for cycle in &system.cycles {
        let graph = cycle.graph();
        let every = match cycle.begins {
            Begin::Every { period, offset } => {
                let any = random.time(TimeSpan::ZERO, period);
                Some((offset.unwrap_or(any), period))
            }
            Begin::After(_) => None,
        };
        model.cycles.push(Cycle {
            every,
            releases: released_by(system, &cycle.name),
            workers: cycle.workers,
            cores: cycle.cores.clone(),
            priority: cycle.priority,
            takes: cycle.tasks.iter().map(|task| task.takes).collect::<Vec<Span>>(),
            kept: cycle.tasks.iter().map(|task| task.kept).collect(),
            order: cycle.order().unwrap_or_else(|| graph.critical_path_first()),
            graph,
        });
    }
    for link in &system.links {
        let cycle = system.cycles.iter().position(|cycle| cycle.name == link.from).map(Sender::Cycle);
        let last = |chain: usize| chain_of.iter().rposition(|&of| of == chain).map(Sender::Callback);
        let chain = || last(system.chains.iter().position(|chain| chain.name == link.from)?);
        if let Some(from) = cycle.or_else(chain) {
            model.links.push(Link { from, takes: link.takes, releases: released_by(system, &link.name) });
        }
    }
    (model, chain_of)
}

/// Returns the source that begins a chain, as often as it can.
fn first_source(chain: &Chain, first: TimeSpan, end: TimeSpan) -> Source {
    let period = chain.period;
    match &chain.begins {
        Beginning::Timer => Source::Timer { first, period, missed: Missed::CatchUp },
        Beginning::WakeUp => {
            let arrivals = (0..).map(|number| first + period * number).take_while(|&arrival| arrival < end).collect();
            Source::Messages { depth: DEPTH, arrivals }
        }
        Beginning::After(_) => Source::Messages { depth: DEPTH, arrivals: Vec::new() },
    }
}

/// Returns the cycles and chains that begin after something.
fn released_by(system: &System, name: &str) -> Vec<Released> {
    let after = |cycle: &hemiola_analysis::system::Cycle| matches!(&cycle.begins, Begin::After(by) if by == name);
    let cycles = (0..system.cycles.len()).filter(|&cycle| after(&system.cycles[cycle])).map(Released::Cycle);
    let first_callback = |chain: usize| system.chains[..chain].iter().map(|before| before.callbacks.len()).sum();
    let chains = (0..system.chains.len()).filter(|&chain| is_after(&system.chains[chain], name));
    cycles.chain(chains.map(|chain| Released::Callback(first_callback(chain)))).collect()
}

fn is_after(chain: &Chain, name: &str) -> bool {
    matches!(&chain.begins, Beginning::After(by) if by == name)
}

/// A chain, cycle or link through which a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Station {
    Chain(usize),
    Cycle(usize),
    Link(usize),
}

/// The time at which the first station of a path read what a run or an output derives from.
type Origin = Option<TimeSpan>;

struct Watch<'s> {
    system: &'s System,
    simulated: Simulated,
    chain_of: Vec<usize>,
    /// The stations of each path.
    paths: Vec<Vec<Station>>,
    /// The origins of runs that have begun, in order, per path and station, and that of the newest
    /// output.
    running: Vec<Vec<std::collections::VecDeque<Origin>>>,
    output: Vec<Vec<Origin>>,
}

impl<'s> Watch<'s> {
    fn new(system: &'s System, chain_of: Vec<usize>) -> Self {
        let station = |name: &String| {
            let chain = system.chains.iter().position(|chain| chain.name == *name).map(Station::Chain);
            let cycle = || system.cycles.iter().position(|cycle| cycle.name == *name).map(Station::Cycle);
            let link = || system.links.iter().position(|link| link.name == *name).map(Station::Link);
            chain.or_else(cycle).or_else(link)
        };
        let paths: Vec<Vec<Station>> =
            system.paths.iter().map(|path| path.through.iter().filter_map(station).collect()).collect();
        let running = paths.iter().map(|path| vec![Default::default(); path.len()]).collect();
        let output = paths.iter().map(|path| vec![None; path.len()]).collect();
        Self { system, simulated: Simulated::default(), chain_of, paths, running, output }
    }

    fn add(&mut self, name: &str, time: TimeSpan) {
        match self.simulated.latencies.get_mut(name) {
            Some(observed) => observed.add(time),
            None => self.simulated.latencies.entry(name.to_owned()).or_default().add(time),
        }
    }

    fn name(&self, station: Station) -> &'s str {
        let system = self.system;
        match station {
            Station::Chain(chain) => &system.chains[chain].name,
            Station::Cycle(cycle) => &system.cycles[cycle].name,
            Station::Link(link) => &system.links[link].name,
        }
    }

    fn begun(&mut self, station: Station, now: TimeSpan) {
        self.simulated.events += 1;
        for (path, stations) in self.paths.iter().enumerate() {
            for (place, _) in stations.iter().enumerate().filter(|(_, other)| **other == station) {
                let origin = if place == 0 { Some(now) } else { self.output[path][place - 1] };
                self.running[path][place].push_back(origin);
            }
        }
    }

    fn ended(&mut self, station: Station, now: TimeSpan) {
        self.simulated.events += 1;
        let system = self.system;
        for path in 0..self.paths.len() {
            for place in 0..self.paths[path].len() {
                if self.paths[path][place] != station {
                    continue;
                }
                let Some(origin) = self.running[path][place].pop_front() else { continue };
                let before = std::mem::replace(&mut self.output[path][place], origin);
                // What happened just after the read of the previous output's origin shows only now.
                if place + 1 == self.paths[path].len()
                    && let (Some(before), Some(origin)) = (before, origin)
                    && origin > before
                {
                    let begin = match system.paths[path].from {
                        Start::Change => before,
                        Start::Sample => origin,
                    };
                    self.add(&system.paths[path].name, now - begin);
                }
            }
        }
        // A message carries what its sender derives from, however long it waits.
        let name = self.name(station);
        for (number, _) in system.chains.iter().enumerate().filter(|(_, chain)| is_after(chain, name)) {
            self.begun(Station::Chain(number), now);
        }
    }
}

impl Observer for Watch<'_> {
    fn callback_started(&mut self, callback: usize, _released: TimeSpan, now: TimeSpan) {
        let chain = self.chain_of[callback];
        let is_first = callback == 0 || self.chain_of[callback - 1] != chain;
        if is_first && !matches!(self.system.chains[chain].begins, Beginning::After(_)) {
            self.begun(Station::Chain(chain), now);
        }
    }

    fn callback_ended(&mut self, callback: usize, released: TimeSpan, now: TimeSpan) {
        let chain = self.chain_of[callback];
        if self.chain_of.get(callback + 1) != Some(&chain) {
            let system = self.system;
            self.add(&system.chains[chain].name, now - released);
            self.ended(Station::Chain(chain), now);
        }
    }

    fn cycle_started(&mut self, cycle: usize, _released: TimeSpan, now: TimeSpan) {
        self.begun(Station::Cycle(cycle), now);
    }

    fn cycle_ended(&mut self, cycle: usize, released: TimeSpan, now: TimeSpan) {
        let system = self.system;
        self.add(&system.cycles[cycle].name, now - released);
        self.ended(Station::Cycle(cycle), now);
    }

    fn sent(&mut self, link: usize, now: TimeSpan) {
        self.begun(Station::Link(link), now);
    }

    fn delivered(&mut self, link: usize, now: TimeSpan) {
        self.ended(Station::Link(link), now);
    }

    fn ran(&mut self, _core: usize, _who: Who, _from: TimeSpan, _to: TimeSpan) {
        self.simulated.events += 1;
    }
}
