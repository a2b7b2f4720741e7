//! Observation of a running robot: what leaves it, and how any number of observers come and go
//! while it runs.
//!
//! | file | what |
//! |---|---|
//! | `observation` | the request: what is to be observed |
//! | `observer` | the observer's end of everything |
//! | `viewpoint` | the point at which one cycle or source can be observed |
//! | `outlets` | the cycle's or source's end of all its observers |
//! | `hand_over` | the queues from one to the other |
//! | `stack` | the stack through which outlets come and go |
//! | `values`, `room`, `reserve` | values: held where they are, a bounded number at a time, with slots for all |
//! | `topics` | messages |
//! | `runs` | the record of what each run began with |
//! | `parts` | checkpoints of all that later runs depend on |
//! | `gathered` | what the service thread gathers: journal, debug output of updates, statistics, events |

pub mod gathered;
mod hand_over;
pub mod observation;
pub mod observer;
mod outlets;
pub mod parts;
mod reserve;
mod room;
pub mod runs;
mod stack;
pub mod topics;
pub mod values;
mod viewpoint;

pub use hand_over::{Presence, WhenFull};
pub use observation::{Observation, ValueRequest};
pub use observer::{Dropped, Observer, Seen, SeenEvents};
pub use outlets::Outlets;
pub use topics::{SeenMessage, SeenTopic};
pub use values::{Provided, SeenValue, ValueChannel};
pub use viewpoint::{Asked, CycleView, Lines, Occasion, Viewpoint, Viewpoints};
