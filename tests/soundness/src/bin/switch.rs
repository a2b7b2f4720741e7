//! A reader whose provider is switched all the time reads no value that its writer is filling.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;
use hemiola_soundness::{Watched, switch_between};

const ROBOT: &str = r#"
[cycle.reader]
rate = 50.0
modules = ["Patient", "Hasty"]

[cycle.writer]
rate = 1000.0
modules = ["Counter", "Local", "Steady"]

[providers]
Sum = "Patient"
"#;

#[derive(Representation, Clone, Default)]
struct Numbers {
    numbers: Vec<u64>,
}

#[derive(Representation, Clone, Default)]
struct Constant {
    value: u64,
}

/// Keeps `Counter` busy in its own cycle while no module of the other one reads it.
#[derive(Representation, Clone, Default)]
struct Length {
    length: u64,
}

#[derive(Representation, Clone, Default)]
struct Sum {
    sum: u64,
}

#[derive(Module)]
struct Counter {
    count: u64,
}

#[module]
impl Counter {
    #[update]
    fn numbers(&mut self, numbers: &mut Numbers) {
        self.count += 1;
        numbers.numbers = vec![self.count; 2048];
    }
}

#[derive(Module)]
struct Local {}

#[module]
impl Local {
    #[update]
    fn length(&self, numbers: &Numbers, length: &mut Length) {
        length.length = numbers.numbers.len() as u64;
    }
}

#[derive(Module)]
struct Steady {}

#[module]
impl Steady {
    #[update]
    fn constant(&self, constant: &mut Constant) {
        constant.value = 1;
    }
}

#[derive(Module)]
struct Patient {}

#[module]
impl Patient {
    #[update]
    fn sum(&self, numbers: &Numbers, constant: &Constant, sum: &mut Sum) {
        sum.sum = constant.value;
        Watched::of(&numbers.numbers).stays_the_same();
    }
}

#[derive(Module)]
struct Hasty {}

#[module]
impl Hasty {
    #[update]
    fn sum(&self, constant: &Constant, sum: &mut Sum) {
        sum.sum = constant.value;
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded(ROBOT).started(switch_between("Sum", ["Hasty", "Patient"])).run()
}
