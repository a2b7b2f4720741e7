//! Modules that call services, and do not wait for answers.
use std::time::Duration;

use hemiola::bus::Server;
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_model::module::registry;
use hemiola_runtime::{Robot, Stepper};

/// A request for the height of the ground.
#[derive(Representation, Clone, Default)]
struct GroundHeight {
    step: u64,
}

/// The terrain, as far as the robot knows it.
#[derive(Representation, Clone, Default, Debug, PartialEq)]
struct Terrain {
    known_steps: u64,
    height: f64,
    /// Requests without an answer.
    waiting: u64,
    refused: u64,
    failed: u64,
}

#[derive(Module)]
struct Surveyor {
    terrain: Terrain,
}

#[module]
impl Surveyor {
    #[update]
    fn terrain(&mut self, clock: &Clock, heights: &mut Requests<GroundHeight, f64>, terrain: &mut Terrain) {
        for answer in heights.answers() {
            match answer {
                Ok(height) => {
                    self.terrain.known_steps += 1;
                    self.terrain.height += height;
                }
                Err(_) => self.terrain.failed += 1,
            }
        }
        if heights.send(GroundHeight { step: clock.run() }).is_err() {
            self.terrain.refused += 1;
        }
        self.terrain.waiting = heights.waiting() as u64;
        terrain.clone_from(&self.terrain);
    }
}

/// Uses a service of the same name with other types.
#[derive(Module)]
struct Archaeologist {}

#[module]
impl Archaeologist {
    #[update]
    fn dig(&self, _heights: &mut Requests<GroundHeight, String>) {}
}

fn robot() -> Stepper {
    let mut cycle = CycleConfiguration::new("motion", Trigger::Rate(100.0));
    cycle.modules = vec!["Surveyor".into()];
    let configuration = Configuration { cycles: vec![cycle], ..Configuration::default() };
    let modules = registry::modules().into_iter().filter(|module| module.name() == "Surveyor").collect();
    Robot::assemble_from(configuration, modules, Vec::new()).unwrap().into_stepper().unwrap()
}

fn terrain(stepper: &Stepper) -> Terrain {
    stepper.with_value(Terrain::clone).unwrap()
}

fn run(stepper: &mut Stepper, runs: u64) {
    let end = stepper.handle().health()["motion"].runs + runs;
    while stepper.handle().health()["motion"].runs < end {
        stepper.step().unwrap();
    }
}

#[test]
fn what_is_answered_after_a_run_has_begun_is_known_in_the_next() {
    let mut stepper = robot();
    let mut server: Server<GroundHeight, f64> = stepper.handle().bus().server("GroundHeight", 8).unwrap();
    for round in 1..=50 {
        run(&mut stepper, 1);
        assert_eq!(
            terrain(&stepper),
            Terrain { known_steps: round - 1, height: (round - 1) as f64 / 2.0, waiting: 1, ..Terrain::default() }
        );
        assert_eq!(
            server.run(8, |place| {
                assert_eq!(place.step, round - 1);
                0.5
            }),
            1
        );
    }
}

#[test]
fn a_server_that_is_slow_or_absent_costs_a_module_no_time_and_no_request_unnoticed() {
    let mut stepper = robot();
    run(&mut stepper, 3);
    assert_eq!(terrain(&stepper), Terrain { refused: 3, ..Terrain::default() }, "nobody serves");

    // For each client, two requests may wait, and nobody answers them.
    let mut server: Server<GroundHeight, f64> = stepper.handle().bus().server("GroundHeight", 2).unwrap();
    run(&mut stepper, 5);
    assert_eq!(terrain(&stepper), Terrain { refused: 6, waiting: 2, ..Terrain::default() });
    server.run(1, |_| panic!("on purpose"));
    run(&mut stepper, 1);
    assert_eq!(terrain(&stepper), Terrain { refused: 6, waiting: 2, failed: 1, ..Terrain::default() });

    // Another server takes over, and what the first one left behind is reported.
    drop(server);
    let server = stepper.handle().bus().server("GroundHeight", 2).unwrap();
    let _running = server.spawn(hemiola_realtime::ThreadSettings::new("heights"), |_: &GroundHeight| 0.25).unwrap();
    while terrain(&stepper).known_steps < 10 {
        run(&mut stepper, 1);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(terrain(&stepper).failed, 3);
}

#[test]
fn two_modules_that_mean_different_answers_are_told_so_before_the_robot_runs() {
    let mut cycle = CycleConfiguration::new("motion", Trigger::Rate(100.0));
    cycle.modules = vec!["Surveyor".into(), "Archaeologist".into()];
    let error =
        crate::assemble(module_path!(), Configuration { cycles: vec![cycle], ..Configuration::default() }).unwrap_err();
    let text = error.to_string();
    for part in ["GroundHeight", "-> f64`", "String`", "choose another name or the same type"] {
        assert!(text.contains(part), "{text}");
    }
}
