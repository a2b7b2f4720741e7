//! The plots, drawings and texts of updates, on their way from the workers to observers.
//!
//! | file | what |
//! |---|---|
//! | `interest` | which names somebody wants |
//! | `outlet` | the worker's end: looks names up, fills bounded queues |
//! | `names` | what a worker knows of the names that its updates use |
//! | `inlets` | the ends of the thread that gathers all of it |
//!
//! While nobody watches, an update costs one more look at a flag. Interest goes to each worker
//! through a hand-over of the newest value, so that nothing is locked or freed where updates run.

pub mod inlets;
pub mod interest;
mod names;
pub mod outlet;

pub use inlets::DebugName;
