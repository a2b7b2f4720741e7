//! Matrices of 500 x 100 numbers, gathered row by row from vectors that N threads publish, and
//! serialised to JSON.
//!
//! A vector's first number is its producer's count, its last one the time when it was published.
//! Producers publish at a rate, each with a phase of its own, on a thread of its own or all on one;
//! or as fast as there is room. Everybody serialises with the same library.

mod gathering;
mod producing;

pub use gathering::{Gathered, Gathering, Matrix, Serialiser};

use super::Assignment;
use super::assignment::print;
use crate::{Usage, monotonic_ns};

/// The vector that is published.
pub type Vector = [f64; 100];

/// The number of vectors in a matrix.
pub const ROWS: usize = 500;

/// The number of vectors that may wait.
pub const CAPACITY: usize = 1024;

/// A producer's end.
pub trait Publisher: Send {
    /// Publishes a vector; `fill` writes it, as close to its place as possible. Without a rate it
    /// waits for room. At a rate it must not wait; it returns `false` if it knows that there is no
    /// room ([`Gathered::lost`] counts the others).
    fn publish(&mut self, fill: impl FnMut(&mut Vector)) -> bool;
}

/// The contestant: it makes matrices of vectors.
pub trait Pipeline {
    /// A producer's end.
    type Publisher: Publisher;

    /// Returns one publishing end for each producer.
    fn publishers(&mut self, count: usize) -> Vec<Self::Publisher>;

    /// Handles the vectors that are left when the producers are gone, ends its threads, and returns
    /// what was gathered.
    fn finish(self) -> Gathered;
}

/// Measures a contestant.
///
/// # Panics
/// If a vector is neither handled nor refused, or handled twice.
pub fn measure<P: Pipeline>(assignment: &Assignment, make: impl FnOnce() -> P) {
    let producers = assignment.number("producers") as usize;
    let rate_hz = assignment.number("rate-hz");
    let mut pipeline = make();
    let publishers = pipeline.publishers(producers);
    let before = Usage::now();
    let begin = monotonic_ns();
    let produced: Vec<producing::Produced> = if rate_hz == 0 {
        producing::flat_out(publishers, assignment.number("vectors") / producers as u64)
    } else {
        let threads = assignment.number("producer-threads") as usize;
        producing::at_rate(publishers, threads, rate_hz, assignment.number("duration-ns"))
    };
    let producing_ns = monotonic_ns() - begin;
    let used = Usage::now().since(&before);
    let gathered = pipeline.finish();
    let end = monotonic_ns();

    let published: u64 = produced.iter().map(|produced| produced.published).sum();
    let refused: u64 = produced.iter().map(|produced| produced.refused).sum();
    assert_eq!(gathered.vectors + gathered.lost, published, "vectors that were handled or lost");
    if gathered.lost == 0 {
        let checksum: u64 = produced.iter().map(|produced| produced.checksum).sum();
        assert_eq!(gathered.checksum, checksum, "the sum of what was handled");
    }
    assert_eq!(gathering::serialised(), gathered.vectors / ROWS as u64, "matrices that were serialised");

    print("lost", [refused + gathered.lost]);
    if rate_hz == 0 {
        print("vectors_per_s", [(gathered.vectors as f64 * 1e9 / (end - begin) as f64) as u64]);
    } else {
        print("cpu_ppm", [used.cpu_ns * 1_000_000 / producing_ns]);
        print("sleeps_per_s", [used.sleeps * 1_000_000_000 / producing_ns]);
    }
    print("handling_sd_ns", [gathered.handling_sd_ns()]);
    print("handling_mean_ns", [gathered.handling_mean_ns()]);
    print("latency_ns", gathered.latencies_ns);
}
