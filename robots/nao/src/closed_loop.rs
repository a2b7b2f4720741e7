//! The effects of scheduling on the game: `nao closed-loop`.
//!
//! One robot plays seeded games under several conditions, each with the same seeds: other numbers
//! of cores, a sequential loop, motion without priority beside load, other cameras. What differs is
//! told with confidence intervals.
//!
//! | file | contents |
//! |---|---|
//! | [`condition`] | the conditions |
//! | [`workload`] | the robot's plans, and how long its tasks take |
//! | [`machine`] | simulated cores, which say when runs end |
//! | [`game`] | one game: samples arrive when the runs that process them end |
//! | [`experiment`] | all games, and what they say |
//! | [`kept`] | the file of games that have been played |
//! | [`statistics`] | means with confidence intervals |
//! | `table`, [`page`] | the results as text, and as a page with plots |
//! | [`program`] | the command |
//!
//! **The model.** Each run of a cycle has the units of the robot's real plan; the durations of its
//! tasks are drawn with the game's seed from what was measured. Runs share the simulated cores by
//! importance. A sample is delivered when its run ends, so that what the run computes reaches the
//! other cycles and the joints when it would be there; samples that come meanwhile wait, the newest
//! one only.
//!
//! **Its resolution.** The cores are simulated to the nanosecond, but the robot is stepped by
//! milliseconds: a run delivers in the first one that begins when it has ended, on average half a
//! millisecond late. The body moves, and is seen and heard, by its period of 12 ms: a request that
//! is not there 11 ms after its sample waits for the next one.
//!
//! **Its limits.** A run reads what other cycles provide when it ends, not when it begins: an image
//! that is late meets later joints, so that slow runs of cognition look somewhat worse than they
//! are. Durations do not depend on what is in the image, nor on what else runs (caches, memory);
//! those of a cycle's tasks are drawn independently of each other; handing a task to another worker
//! takes no time. Audio takes its share of the cores, but hears at once. Threads without priority
//! share their cores in turn, a slice each: a fair scheduler often prefers those that have slept.

pub mod condition;
pub mod experiment;
pub mod game;
pub mod kept;
pub mod machine;
pub mod page;
pub mod program;
pub mod statistics;
mod table;
pub mod workload;
