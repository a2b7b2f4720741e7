//! The plots, drawings and texts of updates, on their way from the workers to observers.
//!
//! | file | what |
//! |---|---|
//! | `interest` | the names that are wanted |
//! | `outlet` | the worker's end: looks names up, fills bounded queues |
//! | `names` | a worker's table of the names that its updates use |
//! | `inlets` | the ends of the thread that gathers all records |
//!
//! While nobody watches, an update only checks a flag. Interest is passed to each worker through an
//! exchange of the newest value, so that nothing is locked or freed where updates run.

pub mod inlets;
pub mod interest;
mod names;
pub mod outlet;

pub use inlets::DebugName;
