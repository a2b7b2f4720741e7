//! Messages between modules, tools and other processes' links, beside the blackboard.
//!
//! Nothing here waits for anybody on a real-time thread: every sender has lanes of its own, which are made when it joins, so that
//! sending is a few stores, and a slow or vanished receiver costs messages, which are counted, and never time.
//!
//! | file | what |
//! |---|---|
//! | `clock` | the framework's clock, running or stepped |
//! | `exchange` | the newest value, or all in order, from one thread to another |
//! | `roster` | lists that are changed rarely and read without waiting |

mod clock;
mod error;
pub mod exchange;
mod roster;
mod sync;

pub use clock::RobotClock;
pub use error::BusError;
