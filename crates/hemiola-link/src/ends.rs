//! A robot's ends of what goes to other programs: for links, and for whatever else carries topics,
//! representations and services out of a process and into it, such as a node of ROS 2.
//!
//! All is known by name and moved as CDR; nobody waits for anybody. Whoever carries it polls on a
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

/// Calls code of users.
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
