//! A representation that is named as an associated type is the same representation.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Numbers {
    numbers: Vec<u64>,
}

trait Names {
    type Theirs;
}

impl Names for () {
    type Theirs = Numbers;
}

#[derive(Module)]
struct Twice {}

#[module]
impl Twice {
    #[update]
    fn numbers(&self, first: &mut Numbers, second: &mut <() as Names>::Theirs) {
        first.numbers = vec![1; 64];
        let number = &first.numbers[0];
        second.numbers = Vec::new();
        println!("read after it was freed: {number}");
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 10.0\n").run()
}
