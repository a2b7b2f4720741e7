//! Panics whose payloads panic when they are dropped, on several workers at once: the update has
//! failed, and nothing else.
#![forbid(unsafe_code)]
use std::hint::{black_box, spin_loop};
use std::panic::panic_any;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
struct Broken {
    number: u64,
}

#[derive(Representation, Clone, Default)]
struct Whole {
    number: u64,
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("the payload was dropped");
        }
    }
}

#[derive(Module)]
struct Thrower {}

#[module]
impl Thrower {
    #[update]
    fn broken(&self, scope: &Scope, broken: &mut Broken) {
        broken.number = 1;
        let items = vec![7_u64; 64];
        let inside = AtomicUsize::new(0);
        scope.for_each_index(8, |index| {
            inside.fetch_add(1, Ordering::SeqCst);
            let begin = Instant::now();
            while inside.load(Ordering::SeqCst) < 2 && begin.elapsed() < Duration::from_millis(20) {
                spin_loop();
            }
            black_box(items[index]);
            panic_any(Bomb)
        });
    }
}

#[derive(Module)]
struct Worker {
    runs: u64,
}

#[module]
impl Worker {
    #[update]
    fn whole(&mut self, scope: &Scope, whole: &mut Whole) {
        let mut numbers = vec![0_u64; 4096];
        scope.for_each_chunk(&mut numbers, 64, |index, chunk| chunk.fill(index as u64));
        whole.number = numbers[4095];
        self.runs += 1;
        if self.runs == 40 {
            println!("the others have gone on");
        }
    }
}

fn main() -> ExitCode {
    hemiola::Application::embedded("[cycle.main]\nrate = 100.0\nworkers = 2\n").run()
}
