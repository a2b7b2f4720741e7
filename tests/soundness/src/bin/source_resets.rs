//! A source whose representation occasionally cannot be reset continues with its next sample.
#![forbid(unsafe_code)]
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use hemiola::prelude::*;

static DEFAULTS: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Representation)]
#[representation(opaque)]
struct Fragile {
    number: u64,
}

impl Default for Fragile {
    fn default() -> Self {
        if DEFAULTS.fetch_add(1, Ordering::Relaxed) % 50 == 49 {
            panic!("no default value");
        }
        Self { number: 0 }
    }
}

#[derive(Representation, Clone, Default)]
struct Count {
    runs: u64,
}

#[derive(Source)]
struct Driver {
    count: u64,
}

#[source]
impl Driver {
    #[sample(rate = 200.0)]
    fn sample(&mut self, fragile: &mut Fragile) {
        self.count += 1;
        fragile.number = self.count;
    }
}

#[derive(Module)]
struct Reader {}

#[module]
impl Reader {
    #[update]
    fn count(&self, fragile: &Fragile, last: Previous<Count>, count: &mut Count) {
        count.runs = last.runs + 1;
        if fragile.number == 200 {
            println!("the others have gone on");
        }
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\ntrigger = \"Driver\"\n").run()
}
