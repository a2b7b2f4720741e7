//! A representation of eight megabytes in one array costs no thread its stack.
#![forbid(unsafe_code)]
use std::process::ExitCode;

use hemiola::prelude::*;

#[derive(Representation, Clone)]
#[representation(opaque)]
struct Map {
    cells: [u8; 8 << 20],
}

impl Default for Map {
    fn default() -> Self {
        Self { cells: [0; 8 << 20] }
    }
}

#[derive(Representation, Clone, Default)]
struct Sum {
    runs: u64,
    sum: u64,
}

#[derive(Module)]
struct Mapper {}

#[module]
impl Mapper {
    #[update]
    fn map(&self, map: &mut Map) {
        map.cells[1000] = 1;
    }
}

#[derive(Module)]
struct Reader {}

#[module]
impl Reader {
    #[update]
    fn sum(&self, map: &Map, last: Previous<Sum>, sum: &mut Sum) {
        sum.runs = last.runs + 1;
        sum.sum = u64::from(map.cells[1000]);
        if sum.runs == 20 {
            println!("the others have gone on");
        }
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 50.0\n").run()
}
