//! Bounds of a robot whose cycles read each other, and its measured ages.
#![forbid(unsafe_code)]

use std::time::Duration;

use hemiola::prelude::*;
use hemiola::trace::{Distribution, Measured, Profile};
use hemiola_insight::{Findings, Knowledge, Origin, What, derive};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_runtime::Robot;

#[derive(Representation, Clone, Default)]
struct Wheels {
    speed: f64,
}

#[derive(Representation, Clone, Default)]
struct Scan {
    metres: f64,
}

#[derive(Representation, Clone, Default)]
struct Pose {
    x: f64,
}

#[derive(Representation, Clone, Default)]
struct MatchedPose {
    x: f64,
}

#[derive(Source)]
struct Body;

#[source]
impl Body {
    #[sample(rate = 100.0)]
    fn sample(&mut self, wheels: &mut Wheels) {
        wheels.speed = 0.5;
    }
}

#[derive(Source)]
struct Lidar;

#[source]
impl Lidar {
    #[sample(rate = 9.7)]
    fn sample(&mut self, scan: &mut Scan) {
        scan.metres = 4.0;
    }
}

#[derive(Module)]
struct Odometry;

#[module]
impl Odometry {
    #[update]
    fn pose(&self, wheels: &Wheels, matched: &MatchedPose, pose: &mut Pose) {
        pose.x = wheels.speed + matched.x;
    }
}

#[derive(Module)]
struct Motors;

#[module]
impl Motors {
    #[update]
    fn drive(&self, _pose: &Pose) {}
}

#[derive(Module)]
struct Matcher;

#[module]
impl Matcher {
    #[update]
    fn matched(&self, scan: &Scan, pose: &Pose, matched: &mut MatchedPose) {
        matched.x = 0.5 * (pose.x + scan.metres);
    }
}

#[derive(Module)]
struct Mapper;

#[module]
impl Mapper {
    #[update]
    fn map(&self, _matched: &MatchedPose) {}
}

fn robot() -> Robot {
    let cycle = |name: &str, trigger: &str, priority, modules: [&str; 2]| CycleConfiguration {
        modules: modules.map(str::to_owned).into(),
        workers: Some(1),
        scheduling: Scheduling::Fifo(priority),
        ..CycleConfiguration::new(name, Trigger::Source(trigger.to_owned()))
    };
    let cycles =
        vec![cycle("motion", "Body", 80, ["Odometry", "Motors"]), cycle("mapping", "Lidar", 20, ["Matcher", "Mapper"])];
    Robot::assemble(Configuration { cycles, ..Configuration::default() }).unwrap()
}

/// Returns durations of ten microseconds for everything: in simulated time nothing takes any.
fn durations() -> Profile {
    let short = || {
        let mut distribution = Distribution::new();
        distribution.record(10_000);
        Measured::from(distribution)
    };
    let mut profile = Profile::default();
    for (cycle, tasks) in [
        ("motion", ["Odometry.pose", "Motors.drive", "publish to mapping"]),
        ("mapping", ["Matcher.matched", "Mapper.map", "publish to motion"]),
    ] {
        for task in tasks {
            profile.cycle_mut(cycle).tasks.insert(task.into(), short());
        }
    }
    profile.sources = ["Body", "Lidar"].map(|source| (source.to_owned(), short())).into();
    profile
}

#[test]
fn observed_ages_of_a_robot_with_feedback_stay_below_their_bounds() {
    let robot = robot();
    let knowledge = Knowledge { known: durations().into(), quantile: None, origin: Origin::Nowhere };
    let derived = derive(&robot, &knowledge).unwrap();
    let findings = Findings::of_robot(&derived.system, &derived, &knowledge.known.profile);
    let mut stepper = robot.into_stepper().unwrap();
    stepper.run_for(Duration::from_secs(120));
    let report = stepper.handle().report();
    let mut compared = 0;
    for chain in &report.chains {
        let [reaction, newest, oldest] = [&chain.reaction, &chain.newest_age, &chain.data_age];
        assert!(newest.maximum <= oldest.maximum, "{chain:#?}");
        for (what, observed) in [(What::Reaction, reaction), (What::NewestAge, newest), (What::DataAge, oldest)] {
            let is_it = |name: &str| name.contains(&chain.source) && name.contains(&chain.output);
            let row = findings.rows.iter().find(|row| row.what == what && is_it(&row.name)).unwrap();
            let bound = row.bound.as_ref().unwrap_or_else(|error| panic!("{}: {error}", row.name));
            let bound = Duration::from(*bound);
            let observed = Duration::from_nanos(observed.maximum);
            assert!(observed <= bound, "{} of {}: {observed:?} of {bound:?}", what.word(), row.name);
            compared += 1;
        }
    }
    assert_eq!(compared, 12, "four chains: {:#?}", report.chains);
}
