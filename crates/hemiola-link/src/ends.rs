//! The ends of everything that a robot exchanges with other programs: for links, and for anything
//! else that carries topics, representations and services into and out of a process, such as a ROS
//! 2 node.
//!
//! Everything is identified by name and moved as CDR, and nothing blocks. A carrier polls on a
//! thread of its own, which is woken when there is something to do.

mod buffers;
mod cdr;
mod lane;
mod remarks;
mod services;
mod topics;

pub use cdr::{Cdr, Contents};
pub use lane::{Lane, Waiting};
pub use remarks::{Note, Remarks, plain};
pub use services::{Asked, KnownType, Service, Services, Unanswered, answer, taken};
pub use topics::{Ends, Received, Sent, Topics};

use std::panic::{AssertUnwindSafe, catch_unwind};

use hemiola_realtime::{Containment, describe_panic, take_place};

/// Calls code of users, and catches its panics.
///
/// ```
/// use hemiola_link::ends::contained;
///
/// assert_eq!(contained(|| 2 + 2), Ok(4));
/// assert!(contained(|| panic!("no")).unwrap_err().contains("no"));
/// ```
///
/// # Errors
/// Returns a description of the panic if it panics.
pub fn contained<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    let _quiet = Containment::new();
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| describe_panic(&*panic, &take_place()))
}
