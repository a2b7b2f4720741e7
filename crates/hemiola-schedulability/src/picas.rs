//! The published analyses of priority-driven chain-aware scheduling (PiCAS), and of similar
//! executors. Its model, and bounds that hold, are in [`hemiola_analysis::picas`].
//!
//! Source: Choi, Xiang and Kim, *PiCAS: New Design of Priority-Driven Chain-Aware Scheduling for
//! ROS2*, RTAS 2021.

pub mod case_study;
pub mod many_threads;
pub mod published;
pub mod random_sets;
