//! What scheduling does for the game: `nao closed-loop`.
//!
//! One robot plays seeded games under several conditions, each with the same seeds: other numbers of
//! cores, a sequential loop, motion without priority beside load, other cameras. What differs is
//! told with confidence intervals.
//!
//! | file | contents |
//! |---|---|
//! | [`condition`] | the conditions |
//! | [`game`] | one game: samples arrive when the runs that process them end |
//! | [`machine`] | simulated cores, which say when that is |
//! | [`workload`] | the robot's plans, and how long its tasks take |
//! | [`experiment`] | all games, and what they say |
//! | [`statistics`] | means with confidence intervals |
//! | [`page`] | the report with plots |
//! | [`program`] | the command |
//!
//! **The model.** Each run of a cycle has the units of the robot's real plan; the durations of its
//! tasks are drawn with the game's seed from what was measured. Runs share the simulated cores by
//! importance. A sample is delivered when its run ends, so that what the run computes reaches the
//! other cycles and the joints when it would be there; samples that come meanwhile wait, the newest
//! one only. Time is counted in steps of a millisecond.
//!
//! **Its limits.** A run reads what other cycles provide when it ends, not when it begins. Durations
//! do not depend on what is in the image, nor on what else runs (caches, memory). The joints take
//! over a request once in 12 ms, so that motion loses nothing before it is later than that. Audio
//! takes its share of the cores, but hears at once. Threads without priority share their cores in
//! turn, a slice each: the kernel's scheduler often prefers those that have slept.

pub mod condition;
pub mod experiment;
pub mod game;
pub mod machine;
pub mod page;
pub mod program;
pub mod statistics;
pub mod workload;
