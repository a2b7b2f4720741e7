//! The reference system as cycles: nodes that compute at the pace of others are in their cycle,
//! nodes with a pace of their own are a cycle. Between cycles goes the latest value.

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::Dag;
use hemiola_analysis::system::Span;
use hemiola_schedulability::simulation::{Cycle, Model, Observer, Options, Who, run};

use super::figures::Figures;
use super::graph::{Kind, NODES, number};
use super::history::{Author, History};
use crate::chains::simulated::Simulated;

/// The description of a cycle; its modules are named as the nodes.
pub struct Described {
    pub name: &'static str,
    pub period_ms: u64,
    pub priority: u8,
    pub modules: &'static [&'static str],
}

/// The cycles, the most important one first.
pub const CYCLES: [Described; 6] = [
    Described {
        name: "planning",
        period_ms: 100,
        priority: 80,
        modules: &["BehaviorPlanner", "MPCController", "VehicleInterface", "VehicleDBWSystem"],
    },
    Described {
        name: "perception",
        period_ms: 100,
        priority: 70,
        modules: &[
            "FrontLidarDriver",
            "RearLidarDriver",
            "PointsTransformerFront",
            "PointsTransformerRear",
            "PointCloudFusion",
            "RayGroundFilter",
            "EuclideanClusterDetector",
            "ObjectCollisionEstimator",
            "VoxelGridDownsampler",
            "NDTLocalizer",
            "Lanelet2GlobalPlanner",
            "Lanelet2MapLoader",
            "ParkingPlanner",
            "LanePlanner",
        ],
    },
    Described {
        name: "intersection",
        period_ms: 25,
        priority: 60,
        modules: &["EuclideanClusterSettings", "EuclideanIntersection", "IntersectionOutput"],
    },
    Described { name: "map", period_ms: 120, priority: 50, modules: &["PointCloudMap", "PointCloudMapLoader"] },
    Described { name: "visualizer", period_ms: 60, priority: 40, modules: &["Visualizer"] },
    Described { name: "lanelet2 map", period_ms: 100, priority: 40, modules: &["Lanelet2Map"] },
];

impl Described {
    /// Returns the numbers of the cycle's nodes that compute.
    fn computing(&self) -> Vec<usize> {
        let nodes = self.modules.iter().map(|module| number(module));
        nodes.filter(|&node| !matches!(NODES[node].kind, Kind::Sensor(_) | Kind::Command)).collect()
    }

    fn sensors(&self) -> impl Iterator<Item = usize> {
        self.of_kind(|kind| matches!(kind, Kind::Sensor(_)))
    }

    /// Returns the numbers of the cycle's sensors that a node reads.
    fn sensors_before(&self, node: usize) -> impl Iterator<Item = usize> {
        let is_input = move |sensor: &usize| NODES[node].inputs.contains(&NODES[*sensor].name);
        self.sensors().filter(is_input)
    }

    fn of_kind(&self, wanted: impl Fn(Kind) -> bool) -> impl Iterator<Item = usize> {
        self.modules.iter().map(|module| number(module)).filter(move |&node| wanted(NODES[node].kind))
    }
}

/// Simulates the system on that many cores until `end`, where computing once takes `crunch`.
pub fn simulate(cores: usize, crunch: TimeSpan, end: TimeSpan) -> (Figures, Simulated) {
    let cycles = CYCLES.iter().map(|described| {
        let nodes = described.computing();
        let mut edges = Vec::new();
        for (to, &node) in nodes.iter().enumerate() {
            let inputs = NODES[node].inputs.iter().map(|input| number(input));
            edges
                .extend(inputs.filter_map(|input| nodes.iter().position(|&from| from == input)).map(|from| (from, to)));
        }
        let graph = Dag::new(nodes.iter().map(|_| crunch), edges)
            .unwrap_or_else(|error| unreachable!("within its cycles the system has no circles: {error}"));
        let period = TimeSpan::milliseconds(described.period_ms);
        Cycle {
            every: Some((period, period)),
            releases: Vec::new(),
            workers: cores,
            cores: Vec::new(),
            priority: u32::from(described.priority),
            takes: vec![Span::upto(crunch); nodes.len()],
            order: graph.critical_path_first(),
            kept: Vec::new(),
            graph,
        }
    });
    let model = Model { cores, cycles: cycles.collect(), ..Model::default() };
    let mut watch = Watch::new(crunch);
    run(&model, &Options { end, ..Options::default() }, &mut watch);
    let cores_used = watch.busy.as_nanoseconds() as f64 / end.as_nanoseconds().max(1) as f64;
    (watch.figures, Simulated { cores_used, dropped: watch.replaced })
}

/// An observer that follows messages through the cycles.
struct Watch {
    crunch: TimeSpan,
    /// The nodes of each cycle that compute, and the messages of all nodes when its run began.
    computing: Vec<Vec<usize>>,
    taken: Vec<Vec<Option<History>>>,
    /// The newest message of each node, and when it began in the current run and how long it ran.
    latest: Vec<Option<History>>,
    begun: Vec<Option<TimeSpan>>,
    ran: Vec<TimeSpan>,
    authors: Vec<Author>,
    figures: Figures,
    busy: TimeSpan,
    replaced: u64,
}

impl Watch {
    fn new(crunch: TimeSpan) -> Self {
        let count = NODES.len();
        Self {
            crunch,
            computing: CYCLES.iter().map(Described::computing).collect(),
            taken: vec![vec![None; count]; CYCLES.len()],
            latest: vec![None; count],
            begun: vec![None; count],
            ran: vec![TimeSpan::ZERO; count],
            authors: NODES.iter().map(|_| Author::default()).collect(),
            figures: Figures::default(),
            busy: TimeSpan::ZERO,
            replaced: 0,
        }
    }

    /// Makes the message of a node from its inputs: those of this run where they are of its cycle,
    /// or those that the cycle read when it began.
    fn tell(&mut self, cycle: usize, node: usize, begun: TimeSpan) {
        let Self { computing, taken, latest, authors, .. } = self;
        let is_own =
            |input: usize| computing[cycle].contains(&input) || CYCLES[cycle].modules.contains(&NODES[input].name);
        let inputs = NODES[node].inputs.iter().map(|input| {
            let input = number(input);
            if is_own(input) { latest[input].as_ref() } else { taken[cycle][input].as_ref() }
        });
        let message = authors[node].next(node, begun.as_nanoseconds(), inputs);
        latest[node] = Some(message);
    }
}

impl Observer for Watch {
    fn cycle_started(&mut self, cycle: usize, _released: TimeSpan, now: TimeSpan) {
        self.taken[cycle].clone_from(&self.latest);
        for sensor in CYCLES[cycle].sensors() {
            let waits = |&node: &usize| CYCLES[cycle].sensors_before(node).any(|before| before == sensor);
            if !self.computing[cycle].iter().any(waits) {
                self.tell(cycle, sensor, now);
            }
        }
        for &node in &self.computing[cycle] {
            (self.begun[node], self.ran[node]) = (None, TimeSpan::ZERO);
        }
    }

    fn ran(&mut self, _core: usize, who: Who, from: TimeSpan, to: TimeSpan) {
        self.busy += to - from;
        let Who::Task { cycle, node } = who else { return };
        let node = self.computing[cycle][node];
        if self.begun[node].is_none() {
            // The plan fuses a sensor with the only node that waits for it: they are one unit.
            for sensor in CYCLES[cycle].sensors_before(node) {
                self.tell(cycle, sensor, from);
            }
        }
        let begun = *self.begun[node].get_or_insert(from);
        self.ran[node] += to - from;
        if self.ran[node] >= self.crunch {
            self.tell(cycle, node, begun);
        }
    }

    fn cycle_ended(&mut self, cycle: usize, _released: TimeSpan, _now: TimeSpan) {
        for command in CYCLES[cycle].of_kind(|kind| kind == Kind::Command) {
            if let Some(message) = &self.latest[number(NODES[command].inputs[0])] {
                self.figures.receive(message);
            }
        }
    }

    fn replaced(&mut self, _cycle: usize) {
        self.replaced += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_in_one_cycle() {
        let mut modules: Vec<&str> = CYCLES.iter().flat_map(|cycle| cycle.modules).copied().collect();
        let mut nodes: Vec<&str> = NODES.iter().map(|node| node.name).collect();
        modules.sort_unstable();
        nodes.sort_unstable();
        assert_eq!(modules, nodes);
    }

    #[test]
    fn with_enough_cores_the_hot_path_takes_its_own_work_and_no_more() {
        let (figures, simulated) = simulate(4, TimeSpan::milliseconds(10), TimeSpan::milliseconds(5_000));
        // The hot path takes one transformer beside the other, fusion, ground filter, detector.
        assert_eq!(
            (figures.latency.minimum, figures.latency.maximum),
            (TimeSpan::milliseconds(40), TimeSpan::milliseconds(40))
        );
        assert_eq!(figures.period.maximum, TimeSpan::milliseconds(100));
        assert_eq!((figures.hot_path_drops, simulated.dropped), (0, 0));
    }

    #[test]
    fn on_two_cores_the_rear_driver_begins_after_the_front_transformer() {
        let (figures, _) = simulate(2, TimeSpan::milliseconds(4), TimeSpan::milliseconds(5_000));
        // Planning has one of the cores for 12 ms. From the rear driver on it takes its
        // transformer, fusion, ground filter and detector.
        assert_eq!(
            (figures.latency.minimum, figures.latency.maximum),
            (TimeSpan::milliseconds(16), TimeSpan::milliseconds(16))
        );
    }
}
