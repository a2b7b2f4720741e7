//! The parts that contestants of the bench of links share: two processes, one of which sends
//! messages that the other one receives.
//!
//! The sending process is started as those of [`messages`](crate::messages) are, prints the same
//! lines, and starts its partner: the same program with the same words and `--receives 1`. The
//! partner prints its figures, too, which the sending process passes on. A contestant that loses,
//! doubles or reorders messages ends with an error and has no figures.
//!
//! The time of a message on its way is measured by the monotonic clock, which all processes of a
//! host share: the sender stamps a message right before it sends it, the partner reads the clock as
//! soon as it has it. Half of a round trip, which needs no common clock, would count the way back
//! as well, and that of a link is another one than that of its topics.
//!
//! | number | meaning |
//! |---|---|
//! | `bytes` | the length of a message |
//! | `messages` | the number of messages that count; some precede them, so that all memory has been used |
//! | `period-ns` | the time from one message to the next; 0: the next one follows at once |
//! | `window` | the maximum number of messages under way, all of which need room |
//! | `cores` | 2: each process keeps to a core of its own; 1: both keep to the same one |
//! | `idle` | connections beside the one that is used |
//! | `spins` | 1: the receiver looks for messages without sleeping |

mod arrivals;
mod partner;
mod plan;
mod sending;

pub use arrivals::Arrivals;
pub use partner::{Partner, join};
pub use sending::{Sender, measure};
