//! What leaves a running robot: values, messages, what runs began with, and parts of snapshots.

pub mod parts;
mod room;
pub mod runs;
pub mod topics;
pub mod values;
