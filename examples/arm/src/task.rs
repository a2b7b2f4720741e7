//! The module of the task cycle.

mod stacker;
