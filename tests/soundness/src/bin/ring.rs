//! Three cycles read from each other in a ring: values, samples and previous values of one
//! representation, through a provider that is switched and a value that is overridden meanwhile.
#![forbid(unsafe_code)]
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use hemiola::RobotHandle;
use hemiola::data::Value;
use hemiola::prelude::*;
use hemiola::runtime::Change;
use hemiola_soundness::Watched;

const ROBOT: &str = r#"
[cycle.first]
rate = 900.0
modules = ["First"]

[cycle.second]
rate = 200.0
modules = ["Latest", "All"]

[cycle.third]
rate = 60.0
modules = ["Third", "Lazy"]

[providers]
B = "Latest"
C = "Third"
"#;

#[derive(Representation, Clone, Default)]
struct A {
    numbers: Vec<u64>,
}

#[derive(Representation, Clone, Default)]
struct B {
    numbers: Vec<u64>,
}

#[derive(Representation, Clone, Default)]
struct C {
    numbers: Vec<u64>,
}

#[derive(Module)]
struct First {
    count: u64,
}

#[module]
impl First {
    #[update]
    fn a(&mut self, c: &C, before: Previous<A>, a: &mut A) {
        self.count += 1;
        a.numbers = vec![self.count; 512 + before.numbers.len() % 7];
        Watched::of(&c.numbers).is_whole();
    }
}

#[derive(Module)]
struct Latest {
    count: u64,
}

#[module]
impl Latest {
    #[update]
    fn b(&mut self, a: &A, b: &mut B) {
        self.count += 1;
        b.numbers = vec![self.count; 1024];
        Watched::of(&a.numbers).is_whole();
    }
}

#[derive(Module)]
struct All {
    count: u64,
}

#[module]
impl All {
    #[update]
    fn b(&mut self, all: Samples<A>, b: &mut B) {
        self.count += 1;
        b.numbers = vec![self.count; 256];
        for a in all.iter() {
            Watched::of(&a.numbers).is_whole();
        }
    }
}

#[derive(Module)]
struct Third {
    count: u64,
}

#[module]
impl Third {
    #[update]
    fn c(&mut self, a: &A, b: Fresh<B>, all: Samples<A>, c: &mut C) {
        self.count += 1;
        c.numbers = vec![self.count; 2048];
        for a in all.iter() {
            Watched::of(&a.numbers).is_whole();
        }
        Watched::of(&a.numbers).stays_the_same();
        Watched::of(&b.numbers).is_whole();
    }
}

/// A provider of `C` that reads nothing from the other cycles.
#[derive(Module)]
struct Lazy {}

#[module]
impl Lazy {
    #[update]
    fn c(&self, c: &mut C) {
        c.numbers = vec![7; 3];
    }
}

fn steer(robot: &RobotHandle) {
    for turn in 0_usize.. {
        thread::sleep(Duration::from_millis(17));
        if robot.is_stopping() {
            return;
        }
        let numbers = Value::List(vec![Value::Integer(9); turn % 5]);
        let value = Value::Table([("numbers".to_owned(), numbers)].into());
        // No change is waited for: the next ones are made while these are on their way.
        drop(robot.change(match turn % 6 {
            0 => Change::provider("B", "All"),
            1 => Change::override_with("A", value),
            2 => Change::provider("C", "Lazy"),
            3 => Change::provider("B", "Latest"),
            4 => Change::release("A"),
            _ => Change::provider("C", "Third"),
        }));
    }
}

fn main() -> ExitCode {
    let start = |robot: &RobotHandle| {
        let robot = robot.clone();
        _ = thread::spawn(move || steer(&robot));
    };
    hemiola::Application::embedded(ROBOT).started(start).run()
}
