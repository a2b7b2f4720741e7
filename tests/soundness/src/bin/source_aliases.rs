//! One representation under two names is still one representation: a sample may not fill it twice.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Numbers {
    numbers: Vec<u64>,
}

type OtherName = Numbers;

#[derive(Source)]
struct Twice {}

#[source]
impl Twice {
    #[sample(rate = 10.0)]
    fn sample(&mut self, first: &mut Numbers, second: &mut OtherName) {
        first.numbers = vec![1; 64];
        let number = &first.numbers[0];
        second.numbers = Vec::new();
        println!("read after it was freed: {number}");
    }
}

#[derive(Module)]
struct Reader {}

#[module]
impl Reader {
    #[update]
    fn read(&self, _numbers: &Numbers) {}
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 10.0\n").run()
}
