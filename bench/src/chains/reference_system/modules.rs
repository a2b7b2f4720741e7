//! The reference system as a robot of Hemiola: a module per node. The order follows from the
//! signatures alone.
//!
//! A driver's callback begins, for the figures, when its cycle is released, as in the simulation:
//! in a cycle the second driver may run after what follows the first one, which would hide that
//! work.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola::prelude::*;
use hemiola_bench_contestant::{Usage, compute_for, monotonic_ns};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_realtime::{MonotonicTime, monotonic_now};
use hemiola_runtime::{Pace, Robot};

use super::cycles::CYCLES;
use super::figures::Figures;
use super::graph::number;
use super::history::{Author, History};
use crate::chains::executed::{Executed, Interruptions};
use crate::contest::host;
use crate::contestant::ContestantError;
use crate::error::BenchError;
use crate::sync::{AtomicU64, Ordering};

/// The time that computing once takes, and that at which the robot's clock began, in nanoseconds;
/// and the figures of the command nodes. There is one such robot at a time.
static CRUNCH_NS: AtomicU64 = AtomicU64::new(0);
static ORIGIN_NS: AtomicU64 = AtomicU64::new(0);
static FIGURES: LazyLock<Mutex<Figures>> = LazyLock::new(Mutex::default);

/// Runs the robot for that long.
pub fn execute(crunch: Duration, length: Duration) -> Result<(Figures, Executed), BenchError> {
    CRUNCH_NS.store(crunch.as_nanos() as u64, Ordering::Relaxed);
    *figures() = Figures::default();
    let cycles = CYCLES.iter().map(|cycle| CycleConfiguration {
        modules: cycle.modules.iter().map(|module| (*module).to_owned()).collect(),
        scheduling: Scheduling::Fifo(cycle.priority),
        ..CycleConfiguration::new(cycle.name, Trigger::Rate(1e3 / cycle.period_ms as f64))
    });
    let configuration = Configuration { cycles: cycles.collect(), ..Configuration::default() };
    let robot = Robot::assemble(configuration).map_err(ContestantError::from)?;
    let running = robot.start(Pace::RealTime).map_err(ContestantError::from)?;
    let origin = running.handle().clock_origin().map_or(0, MonotonicTime::as_nanoseconds);
    ORIGIN_NS.store(origin, Ordering::Relaxed);
    let zero = monotonic_now();
    let before = Usage::now();
    let ((), stolen) = host::watch(|| std::thread::sleep(length));
    let used = Usage::now().since(&before);
    let report = running.stop().report();
    // Each cycle loses the runs that it should have made and did not; at both ends there may be one
    // more.
    let lost = CYCLES.iter().zip(&report.cycles).map(|(described, cycle)| {
        let due = length.as_millis() as u64 / described.period_ms;
        due.saturating_sub(cycle.execution.count)
    });
    let executed = Executed {
        zero,
        length,
        cores_used: used.cpu_ns as f64 / length.as_nanos() as f64,
        dropped: 0,
        skipped: lost.sum(),
        stolen,
        interruptions: Interruptions::default(),
        denials: Vec::new(),
    };
    Ok((figures().clone(), executed))
}

fn figures() -> MutexGuard<'static, Figures> {
    FIGURES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns when the driver began.
fn sense(clock: &Clock) -> u64 {
    ORIGIN_NS.load(Ordering::Relaxed).saturating_add_signed(clock.now().nanoseconds())
}

/// Computes. Returns when that began.
fn compute(_: &Clock) -> u64 {
    let begun = monotonic_ns();
    compute_for(Duration::from_nanos(CRUNCH_NS.load(Ordering::Relaxed)));
    begun
}

/// Returns a message, or `None` if its provider has never run.
fn came(history: &History) -> Option<&History> {
    Some(history).filter(|history| !history.entries.is_empty())
}

/// Defines a module that makes a message of those that it requires, and does `sense` or `compute`
/// for it: modules differ in nothing else.
macro_rules! node {
    ($module:ident: $work:ident($($input:ident: $required:ident),*) -> $provided:ident) => {
        #[derive(Representation, Clone, Default)]
        struct $provided {
            history: History,
        }

        #[derive(Module)]
        struct $module {
            #[opaque]
            author: Author,
        }

        #[module]
        impl $module {
            #[update]
            #[allow(clippy::too_many_arguments, reason = "as many as the node has inputs")]
            fn update(&mut self, clock: &Clock, $($input: &$required,)* output: &mut $provided) {
                let begun = $work(clock);
                output.history = self.author.next(number(stringify!($module)), begun, [$(came(&$input.history)),*]);
            }
        }
    };
}

node!(FrontLidarDriver: sense() -> FrontScan);
node!(RearLidarDriver: sense() -> RearScan);
node!(PointCloudMap: sense() -> StoredPoints);
node!(Visualizer: sense() -> Goal);
node!(Lanelet2Map: sense() -> StoredLanes);
node!(EuclideanClusterSettings: sense() -> ClusterSettings);

node!(PointsTransformerFront: compute(scan: FrontScan) -> FrontPoints);
node!(PointsTransformerRear: compute(scan: RearScan) -> RearPoints);
node!(PointCloudFusion: compute(front: FrontPoints, rear: RearPoints) -> Points);
node!(RayGroundFilter: compute(points: Points) -> PointsAboveGround);
node!(EuclideanClusterDetector: compute(points: PointsAboveGround) -> Clusters);
node!(ObjectCollisionEstimator: compute(clusters: Clusters) -> Collisions);

node!(VoxelGridDownsampler: compute(points: Points) -> FewerPoints);
node!(PointCloudMapLoader: compute(stored: StoredPoints) -> MapPoints);
node!(NDTLocalizer: compute(points: FewerPoints, map: MapPoints) -> Location);
node!(Lanelet2GlobalPlanner: compute(goal: Goal, location: Location) -> Route);
node!(Lanelet2MapLoader: compute(stored: StoredLanes, route: Route) -> Lanes);
node!(ParkingPlanner: compute(lanes: Lanes) -> ParkingPlan);
node!(LanePlanner: compute(lanes: Lanes) -> LanePlan);

node!(BehaviorPlanner: compute(collisions: Collisions, location: Location, route: Route, lanes: Lanes, parking: ParkingPlan, lane: LanePlan) -> Behavior);
node!(MPCController: compute(behavior: Behavior) -> Control);
node!(VehicleInterface: compute(control: Control, behavior: Behavior) -> VehicleCommand);
node!(EuclideanIntersection: compute(settings: ClusterSettings) -> Intersection);

#[derive(Module)]
struct VehicleDBWSystem {}

#[module]
impl VehicleDBWSystem {
    #[update]
    fn receive(&self, command: &VehicleCommand) {
        figures().receive(&command.history);
    }
}

#[derive(Module)]
struct IntersectionOutput {}

#[module]
impl IntersectionOutput {
    #[update]
    fn receive(&self, intersection: &Intersection) {
        figures().receive(&intersection.history);
    }
}
