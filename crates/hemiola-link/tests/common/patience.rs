//! Waiting for what other threads and processes do. The limit only ends a test that hangs.

use std::thread;
use std::time::{Duration, Instant};

use hemiola_bus::Queue;
use hemiola_model::Representation;

/// A time that no wait exceeds, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Polls until `look` returns something; `None` if it never does.
pub fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + PATIENCE;
    loop {
        match look() {
            None if Instant::now() < end => thread::sleep(Duration::from_millis(1)),
            found => return found,
        }
    }
}

/// Returns the next message of a queue, and waits for it.
pub fn next<T: Representation + Clone>(queue: &mut Queue<T>) -> T {
    eventually(|| queue.receive().map(|message| (*message).clone())).expect("no message comes")
}
