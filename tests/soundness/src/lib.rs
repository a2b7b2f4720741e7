//! Programs without `unsafe` that try to corrupt memory, or to hang or end a robot silently, and
//! what each must do instead.
//!
//! Every file in `src/bin` is the complete program of a user who does something unusual: it
//! switches providers all the time, gives one representation two names, or panics in a destructor.
//! `tests/promises.rs` runs them and checks what is promised. Under AddressSanitizer (`.ci/asan`)
//! the same tests prove that no invalid memory is accessed.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use hemiola::RobotHandle;
use hemiola::runtime::Change;

/// The exit code of a program that saw a value change while reading it.
pub const CHANGED: i32 = 42;

/// Numbers that are all the same while nobody writes them.
///
/// ```
/// hemiola_soundness::Watched::of(&[3, 3, 3]).is_whole();
/// ```
pub struct Watched<'v> {
    numbers: &'v [u64],
}

impl<'v> Watched<'v> {
    /// Creates a watch over some numbers.
    pub fn of(numbers: &'v [u64]) -> Self {
        Self { numbers }
    }

    /// Ends the program if the numbers are not all the same.
    pub fn is_whole(&self) {
        let mut numbers = self.numbers.iter().map(black_box);
        let Some(first) = numbers.next() else { return };
        if numbers.any(|number| number != first) {
            changed();
        }
    }

    /// Ends the program if the numbers change within a few milliseconds.
    pub fn stays_the_same(&self) {
        let first = self.numbers.first().copied();
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(8) {
            self.is_whole();
            if black_box(self.numbers).first().copied() != first {
                changed();
            }
        }
    }
}

fn changed() -> ! {
    eprintln!("a value changed while it was read");
    std::process::exit(CHANGED)
}

/// Returns a function that switches the provider of a representation from one to the other every
/// 60 ms, on a thread of its own.
pub fn switch_between(representation: &'static str, providers: [&'static str; 2]) -> impl Fn(&RobotHandle) + 'static {
    move |robot| {
        let robot = robot.clone();
        _ = thread::spawn(move || {
            for provider in providers.into_iter().cycle() {
                thread::sleep(Duration::from_millis(60));
                if robot.is_stopping() {
                    return;
                }
                if let Err(error) = robot.change(Change::provider(representation, provider)).wait() {
                    eprintln!("not switched to {provider}: {error}");
                }
            }
        });
    }
}
