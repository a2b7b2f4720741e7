//! A representation that is re-exported is the same representation: an update may not read it while
//! it fills it.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Numbers {
    numbers: Vec<u64>,
}

mod elsewhere {
    pub(super) use super::Numbers as Others;
}

#[derive(Module)]
struct ReadsItself {}

#[module]
impl ReadsItself {
    #[update]
    fn numbers(&self, written: &mut Numbers, read: Fresh<elsewhere::Others>) {
        written.numbers = vec![read.numbers.len() as u64; 64];
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 10.0\n").run()
}
