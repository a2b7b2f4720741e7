//! What the door and its clients say to each other, as `docs/door.md` describes it: one type for
//! each thing, whether a robot, a log or a command says it.
//!
//! | file | what |
//! |---|---|
//! | `request` | what a client can ask |
//! | `change` | how a robot is changed |
//! | `journal` | what happened |
//! | `binary` | values, points of plots, events and images, as bytes |

pub mod binary;
mod change;
mod journal;
mod request;

pub use change::ChangeText;
pub(crate) use journal::bounded;
pub use journal::{Happened, JournalText, SeverityText};
pub(crate) use request::parse;
pub use request::{Form, NamedLayout, Request, Watched};
