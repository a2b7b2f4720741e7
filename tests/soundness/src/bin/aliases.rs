//! One representation under two names is still one representation: an update may not fill it twice.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Numbers {
    numbers: Vec<u64>,
}

type OtherName = Numbers;

#[derive(Module)]
struct Twice {}

#[module]
impl Twice {
    #[update]
    fn numbers(&self, first: &mut Numbers, second: &mut OtherName) {
        first.numbers = vec![1; 64];
        let number = &first.numbers[0];
        second.numbers = Vec::new();
        println!("read after it was freed: {number}");
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 10.0\n").run()
}
