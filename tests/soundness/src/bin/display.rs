//! An error that panics when it is to be shown is reported all the same, and so is what fails after
//! it.
#![forbid(unsafe_code)]
use std::fmt;
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Count {
    count: usize,
}

struct Reason(usize);

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(["the first reason", "the second reason"][self.0])
    }
}

#[derive(Module)]
struct Counter {
    count: usize,
}

#[module]
impl Counter {
    #[update]
    fn count(&mut self, count: &mut Count) -> Result<(), Reason> {
        self.count += 1;
        count.count = self.count;
        if self.count == 110 {
            println!("the others have gone on");
        }
        match self.count {
            50 => Err(Reason(7)),
            100 => Err(Reason(1)),
            _ => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 100.0\n").run()
}
