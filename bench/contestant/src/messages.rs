//! The parts that contestants of the bench of messages share: their command line, the workloads,
//! how they are measured and checked. `bench/peers/cpp/messages.hpp` and the programs beside it
//! have the same for C++.
//!
//! A contestant is a process of its own. It is started with
//! `NAME --workload WORKLOAD --key NUMBER ...`, and prints lines of `key value value ...`, like
//! those of the [crate]'s other contest. Every workload asserts that what was sent has arrived; a
//! contestant that loses, doubles or reorders messages ends with a panic and has no figures.
//!
//! | module | what a contestant implements |
//! |---|---|
//! | [`fan_out`] | one topic, many subscribers, one thread |
//! | [`come_and_go`] | the same, while subscribers come and go |
//! | [`task_queue`] | tasks added and run by many threads |
//! | [`matrix_to_json`] | vectors of many producers, gathered and serialised |
//! | [`ring`] | a queue from one or four threads to another one |
//! | [`latest_value`] | the newest value, from one thread to another |
//! | [`hand_over`] | from publishing to the callback |
//! | [`flood`] | an important callback among many unimportant ones |
//! | [`idle`] | forty topics on which nothing happens |

mod assignment;
pub mod come_and_go;
pub mod fan_out;
pub mod flood;
pub mod hand_over;
pub mod idle;
pub mod latest_value;
pub mod matrix_to_json;
pub mod payload;
pub mod ring;
mod sharing;
pub mod task_queue;

pub use assignment::Assignment;
pub(crate) use assignment::{end_with_the_first_panic, print};
pub use payload::{Kilobyte, Payload};
pub use sharing::Patience;

#[cfg(test)]
mod tests;
