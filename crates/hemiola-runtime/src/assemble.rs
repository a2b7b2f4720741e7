//! Puts a robot together: checks modules and configuration, plans, and makes every part that runs.

mod launch;
mod robot;
mod sources;
mod wiring;

pub use launch::{Launched, actuators, group_exports, instances, launch, thread_settings};
pub use robot::{Provider, Robot, TopicEnd, durations_from};
