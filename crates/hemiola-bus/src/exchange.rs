//! Values on their way between threads that do not wait for each other.
//!
//! [`latest`] hands over the newest value, [`queue`] hands over all of them in order. Both are
//! wait-free on both sides, allocate when they are made and never again, and have one writer and
//! one reader. What they carry are small records: slot numbers of values that stay where they are.

mod latest;
mod queue;

pub use latest::{LatestReader, LatestWriter, latest};
pub(crate) use queue::{Depth, Taken};
pub use queue::{QueueReader, QueueWriter, queue};

#[cfg(test)]
mod tests;
