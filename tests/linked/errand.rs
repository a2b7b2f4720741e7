//! A robot in two processes that ask each other: `driving` asks `planning` for routes, and
//! `planning` asks `driving` how much is left in the tank. The program makes both servers in each
//! process, and robot.toml says which of them serve.
#![allow(missing_docs, reason = "a robot of a test")]
#![forbid(unsafe_code)]
use std::cell::RefCell;
use std::path::Path;

use hemiola::RobotHandle;
use hemiola::bus::RunningServer;
use hemiola::prelude::*;
use hemiola::realtime::ThreadSettings;

const ROBOT: &str = r#"
[cycle.driving]
rate = 100.0
modules = ["Driver"]
[cycle.planning]
rate = 40.0
modules = ["Planner"]
[process.main]
services = ["Fuel"]
[process.planning]
cycles = ["planning"]
services = ["Route"]
restart = "10 per minute"
"#;

/// A request for a route.
#[derive(Representation, Clone, Default)]
pub struct Route {
    pub number: u64,
    pub to: f64,
}

#[derive(Data, Clone, Default)]
pub struct Found {
    pub name: String,
    pub by: u32,
    pub x: f64,
}

/// A request for what is left in the tank.
#[derive(Representation, Clone, Default)]
pub struct Fuel {
    pub at: u64,
}

/// What came of the answers: another position if one came in another run.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub runs: u64,
    pub x: f64,
    pub by: u32,
    pub answered: u64,
    pub lost: u64,
    pub nobody: u64,
    pub waiting: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Plan {
    pub runs: u64,
    pub answered: u64,
    pub lost: u64,
    pub empty: u64,
    pub left: f64,
}

#[derive(Module)]
struct Driver {
    drive: Drive,
}

#[module]
impl Driver {
    #[update]
    fn drive(&mut self, routes: &mut Requests<Route, Found>, drive: &mut Drive) {
        let now = &mut self.drive;
        now.runs += 1;
        for answer in routes.answers() {
            match answer {
                Ok(found) => {
                    now.answered += 1;
                    now.by = found.by;
                    now.x += (found.x - now.x) * 0.1 + found.name.len() as f64;
                }
                Err(_) => now.lost += 1,
            }
        }
        if routes.waiting() < 4 && routes.send(Route { number: now.runs, to: (now.runs as f64).sin() }).is_err() {
            now.nobody += 1;
        }
        now.waiting = routes.waiting() as u64;
        *drive = now.clone();
    }
}

#[derive(Module)]
struct Planner {
    plan: Plan,
}

#[module]
impl Planner {
    #[update]
    fn plan(&mut self, fuel: &mut Requests<Fuel, Result<f64, String>>, plan: &mut Plan) {
        let now = &mut self.plan;
        now.runs += 1;
        for answer in fuel.answers() {
            match answer {
                Ok(Ok(left)) => {
                    now.answered += 1;
                    now.left += (left - now.left) * 0.1;
                }
                Ok(Err(_)) => now.empty += 1,
                Err(_) => now.lost += 1,
            }
        }
        if fuel.send(Fuel { at: now.runs }).is_err() {
            now.left *= 0.99;
        }
        *plan = now.clone();
    }
}

/// Finds a route, but never again if there is a file `hold`: then it says so in a file `held`.
fn find(route: &Route) -> Found {
    if Path::new("hold").exists() {
        _ = std::fs::write("held", "");
        loop {
            std::thread::park();
        }
    }
    let name = "r".repeat((route.number % 5) as usize);
    Found { name, by: std::process::id(), x: route.to * 2.0 }
}

fn left(fuel: &Fuel) -> Result<f64, String> {
    if fuel.at.is_multiple_of(10) { Err("the gauge sticks".to_owned()) } else { Ok(1.0 / fuel.at as f64) }
}

fn main() -> std::process::ExitCode {
    let serving: RefCell<Vec<RunningServer>> = RefCell::default();
    let start = move |robot: &RobotHandle| -> Result<(), Box<dyn std::error::Error>> {
        let (routes, fuel) = (robot.bus().server("Route", 8)?, robot.bus().server("Fuel", 8)?);
        let running =
            [routes.spawn(ThreadSettings::new("routes"), find)?, fuel.spawn(ThreadSettings::new("fuel"), left)?];
        serving.borrow_mut().extend(running);
        Ok(())
    };
    hemiola::Application::embedded(ROBOT)
        .service::<Route, Found>("Route")
        .service::<Fuel, Result<f64, String>>("Fuel")
        .started(move |robot| start(robot).unwrap_or_else(|error| robot.note(error.to_string())))
        .run()
}
