//! A robot that locates itself: odometry corrects itself with the result of the scan matcher, which
//! begins its search at the pose of the odometry. Every value derives from every sample there ever
//! was.

use std::time::Duration;

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
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
    #[sample(rate = 10.0)]
    fn sample(&mut self, clock: &Clock, scan: &mut Scan) {
        scan.metres = 10.0 - 0.5 * clock.now().seconds();
    }
}

#[derive(Module)]
struct Odometry;

#[module]
impl Odometry {
    #[update]
    fn pose(&self, wheels: &Wheels, matched: &MatchedPose, last: Previous<Pose>, clock: &Clock, pose: &mut Pose) {
        let predicted = last.x + wheels.speed * clock.step().as_secs_f64();
        pose.x = predicted + 0.1 * (matched.x - predicted);
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
        matched.x = 0.5 * (pose.x + 10.0 - scan.metres);
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
    let cycle = |name: &str, trigger: &str, modules: [&str; 2]| CycleConfiguration {
        modules: modules.map(str::to_owned).into(),
        workers: Some(1),
        ..CycleConfiguration::new(name, Trigger::Source(trigger.to_owned()))
    };
    let cycles =
        vec![cycle("motion", "Body", ["Odometry", "Motors"]), cycle("mapping", "Lidar", ["Matcher", "Mapper"])];
    super::assemble(module_path!(), Configuration { cycles, ..Configuration::default() }).unwrap()
}

#[test]
fn ages_of_a_robot_that_locates_itself_stay_below_their_bounds() {
    let mut stepper = robot().into_stepper().unwrap();
    stepper.run_for(Duration::from_secs(60));
    let report = stepper.handle().report();
    let longest = |source: &str, output: &str| {
        let chain =
            report.chains.iter().find(|chain| (chain.source.as_str(), chain.output.as_str()) == (source, output));
        let chain = chain.unwrap_or_else(|| panic!("{source} to {output} of {:#?}", report.chains));
        (Duration::from_nanos(chain.data_age.maximum), Duration::from_nanos(chain.reaction.maximum))
    };
    let (body, lidar) = (Duration::from_millis(10), Duration::from_millis(100));
    // Nothing takes time, so an age is at most that of waiting for the next reader, and of being
    // read until something newer comes. No path returns to itself.
    for (source, output, bound) in [
        ("Body", "Motors.drive", body),
        ("Lidar", "Motors.drive", lidar + body),
        ("Lidar", "Mapper.map", lidar),
        ("Body", "Mapper.map", body + lidar),
    ] {
        let (age, reaction) = longest(source, output);
        assert!(age <= bound, "{source} to {output}: {age:?} of {bound:?}");
        assert!(reaction <= bound + bound, "{source} to {output}: {reaction:?}");
    }
    assert!(longest("Lidar", "Motors.drive").0 >= lidar - body, "the long way counts");
}
