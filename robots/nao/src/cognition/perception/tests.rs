//! The whole chain on simulated images, where the truth is known, and on recorded ones, where
//! people marked it.

mod recorded;
mod simulated;
