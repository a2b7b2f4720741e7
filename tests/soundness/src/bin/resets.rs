//! A representation whose default value, reset and destructor panic occasionally: its update has
//! failed in that run.
#![forbid(unsafe_code)]
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use hemiola::prelude::*;

static DEFAULTS: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Representation)]
#[representation(opaque)]
struct Fragile {
    numbers: Vec<u64>,
}

impl Default for Fragile {
    fn default() -> Self {
        // The first defaults are made when the robot is put together.
        if DEFAULTS.fetch_add(1, Ordering::Relaxed) % 50 == 49 {
            panic!("no default value");
        }
        Self { numbers: vec![3; 8] }
    }
}

#[derive(Representation, Clone, Default)]
struct Sum {
    sum: u64,
    runs: u64,
}

#[derive(Module)]
struct Provider {}

#[module]
impl Provider {
    #[update]
    fn fragile(&self, fragile: &mut Fragile) {
        fragile.numbers.push(1);
        sleep(Duration::from_millis(1));
    }
}

#[derive(Module)]
struct Reader {}

#[module]
impl Reader {
    #[update]
    fn sum(&self, fragile: &Fragile, last: Previous<Sum>, sum: &mut Sum) {
        sum.sum = fragile.numbers.iter().sum();
        sum.runs = last.runs + 1;
        if sum.runs == 120 {
            println!("the others have gone on");
        }
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 100.0\nworkers = 2\n").run()
}
