//! The example `wheels`, with a module beside its motors that misbehaves as the variable `FAULT`
//! requests.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "it is a program")]

#[path = "../../../crates/hemiola/examples/wheels.rs"]
#[allow(dead_code, reason = "its `main` is the example's, not this program's")]
mod wheels;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hemiola::configuration::Catalog;
use hemiola::prelude::*;
use hemiola::runtime::{Pace, Robot};
use wheels::{Drive, ROBOT};

#[derive(Representation, Clone, Default)]
pub struct Sabotage {
    runs: u64,
}

#[derive(Module)]
struct Saboteur {
    runs: u64,
}

#[module]
impl Saboteur {
    #[update]
    fn sabotage(&mut self, _drive: &Drive, sabotage: &mut Sabotage) -> Result<(), &'static str> {
        self.runs += 1;
        sabotage.runs = self.runs;
        match fault().as_str() {
            "hang" if self.runs > LATER => hang(),
            "failure" if self.runs > LATER => Err("on purpose"),
            "exit" if self.runs > LATER => std::process::exit(7),
            "abort" if self.runs > LATER => std::process::abort(),
            "overflow" if self.runs > LATER => {
                sabotage.runs += overflow(self.runs);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The number of runs before the fault happens.
const LATER: u64 = 30;

fn fault() -> String {
    std::env::var("FAULT").unwrap_or_default()
}

fn hang() -> ! {
    eprintln!("hangs on purpose");
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

/// Overflows the stack of its thread.
#[expect(unconditional_recursion, reason = "on purpose")]
fn overflow(depth: u64) -> u64 {
    std::hint::black_box([depth; 1024]).iter().sum::<u64>() + overflow(depth + 1)
}

/// Runs the same robot from a program of one's own, with a heartbeat that finally panics on the
/// thread that watches all others.
fn run_until_the_heartbeat_panics() -> Result<(), Box<dyn std::error::Error>> {
    let configuration = hemiola::configuration::parse(ROBOT, "robot.toml", &Catalog::linked())?.configuration;
    let (panic, panics) = mpsc::channel();
    let robot = Robot::assemble(configuration)?.with_heartbeat(Duration::from_millis(10), move || {
        assert!(panics.try_recv().is_err(), "the heartbeat panics on purpose");
    });
    let running = robot.start(Pace::RealTime)?;
    let handle = running.handle();
    let wait_until = |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            thread::sleep(Duration::from_millis(2));
        }
    };
    wait_until(&|| handle.health()["motion"].runs > LATER);
    panic.send(())?;
    wait_until(&|| handle.fault().is_some());
    running.stop().fault().map_or(Ok(()), |fault| Err(fault.into()))
}

fn main() -> std::process::ExitCode {
    if fault() == "panic in a thread" {
        return match run_until_the_heartbeat_panics() {
            Ok(()) => std::process::ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                std::process::ExitCode::FAILURE
            }
        };
    }
    let live = |robot: &hemiola::RobotHandle| {
        let is_late = robot.health()["motion"].runs > LATER;
        match fault().as_str() {
            "panic in main" if is_late => panic!("on purpose"),
            "hang in main" if is_late => hang(),
            "stop by the program" if is_late => robot.stop(),
            _ => {}
        }
        Vec::new()
    };
    hemiola::Application::embedded(ROBOT).live(live).run()
}
