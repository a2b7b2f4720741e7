//! A module whose constructor or destructor panics is an error that says which module that is.
//! `FAULT` chooses.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Count {
    count: u64,
}

struct Faulty {
    count: u64,
}

fn fault() -> String {
    std::env::var("FAULT").unwrap_or_default()
}

impl Module for Faulty {
    const NAME: &'static str = "Faulty";
    type Parameters = ();

    fn create((): ()) -> Self {
        if fault() == "create" {
            panic!("no such device");
        }
        Self { count: 0 }
    }

    fn parameters_mut(&mut self) -> &mut () {
        Box::leak(Box::new(()))
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        if fault() == "drop" {
            panic!("the device has gone");
        }
    }
}

#[module]
impl Faulty {
    #[update]
    fn count(&mut self, count: &mut Count) {
        self.count += 1;
        count.count = self.count;
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 100.0\n").run()
}
