//! The messages between the door and its clients, as `docs/book/src/door.md` describes them: one
//! type for each, for robots, logs and commands.
//!
//! | file | what |
//! |---|---|
//! | `request` | the requests of clients |
//! | `change` | changes of a robot |
//! | `journal` | entries of the journal |
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
