//! How long tasks take that share a processor, or several, each a file named after how the next one
//! is chosen.

pub mod earliest_deadline;
pub mod first_come;
pub mod fixed_priority;
pub mod global_fixed_priority;
