//! The messages between the door and its clients, as `docs/book/src/door.md` describes them: one
//! type for each, used by robots, logs and commands.
//!
//! | file | what |
//! |---|---|
//! | `request` | the requests of clients |
//! | `change` | the changes of a robot |
//! | `journal` | the entries of the journal |
//! | `hosts` | the hosts that a robot runs on |
//! | `part` | the parts of values in JSON, by their paths |
//! | `binary` | the binary messages: values, points of plots, events and images |
//! | `foxglove` | the requests of clients that use Foxglove's protocol |

pub mod binary;
mod change;
pub(crate) mod foxglove;
mod hosts;
mod journal;
mod part;
mod request;

pub use change::ChangeText;
pub use hosts::{HostClock, OtherHost, RobotHosts};
pub(crate) use journal::bounded;
pub use journal::{Happened, JournalText, SeverityText};
pub use part::part;
pub(crate) use request::parse;
pub use request::{Form, NamedLayout, Request, Watched};
