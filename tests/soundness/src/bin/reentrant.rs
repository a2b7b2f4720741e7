//! A value may be read while another one is being read, even after the robot has ended.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::RobotHandle;
use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct First {
    number: u64,
}

#[derive(Representation, Clone, Default)]
struct Second {
    number: u64,
}

#[derive(Module)]
struct Both {
    runs: u64,
}

#[module]
impl Both {
    #[update]
    fn both(&mut self, first: &mut First, second: &mut Second) {
        first.number = 1;
        second.number = 2;
        self.runs += 1;
        // The second run shows that the first one's values can be looked at.
        if self.runs == 2 {
            println!("the others have gone on");
        }
    }
}

fn sum(robot: &RobotHandle) -> Vec<String> {
    let sum = robot.with_value(|first: &First| {
        robot.with_value(|second: &Second| first.number + second.number).map_err(|error| error.to_string())
    });
    match sum {
        Ok(Ok(sum)) => vec![format!("the sum is {sum}")],
        Ok(Err(error)) => vec![error],
        Err(error) => vec![error.to_string()],
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 100.0\n").live(sum).summary(sum).run()
}
