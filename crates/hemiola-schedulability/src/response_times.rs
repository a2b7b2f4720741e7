//! Response times of tasks that share a processor, or several, each in a file named after the rule
//! by which the next one is chosen.

pub mod earliest_deadline;
pub mod first_come;
pub mod fixed_priority;
pub mod global_fixed_priority;
