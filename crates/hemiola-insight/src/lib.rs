//! A robot's guarantees and the evidence for them: what was measured, the robot as a system of
//! cycles and chains, bounds of its latencies, whether they fit its deadlines, and why a run took
//! so long.
//!
//! It reads robots, profiles and traces; it runs nothing, and never prints or parses a command
//! line.
//!
//! ```no_run
//! use hemiola_insight::{Findings, Knowledge, Origin, derive, profile, table};
//!
//! # fn show(robot: hemiola_runtime::Robot) -> Result<(), hemiola_insight::InsightError> {
//! let history = profile::read("game.mcap".as_ref())?;
//! let known = history.known(history.last_conditions().unwrap_or(&Default::default()));
//! let knowledge = Knowledge { known, quantile: None, origin: Origin::Nowhere };
//! let derived = derive(&robot, &knowledge)?;
//! let findings = Findings::of_robot(&derived.system, &derived, &knowledge.known.profile);
//! println!("{}", table(&findings));
//! # Ok(())
//! # }
//! ```
//!
//! | file | what |
//! |---|---|
//! | `profile` | what was measured, from run to run |
//! | `kept` | that for people and for machines |
//! | `knowledge` | how long everything takes, as far as it was measured |
//! | `links` | what goes over links between the robot's processes, and how long that takes |
//! | `routes` | the ways from each source to each output |
//! | `chains` | the chains of a robot, and what robot.toml calls them |
//! | `latency` | what bounds a chain, and by what it is observed |
//! | `derive` | the robot as a system of cycles and paths |
//! | `executors` | what runs beside the cycles |
//! | `over_links` | the bounds of chains that end in one process, by the analysis of the whole robot |
//! | `findings` | deadline, bound, what was observed, and whether that fits |
//! | `unbounded` | why something has no bound |
//! | `admission` | whether that lets a robot start |
//! | `verdict` | what it comes to, in a line |
//! | `table` | that for people |
//! | `json` | that for machines |
//! | `traces` | where a robot leaves its traces |
//! | `why` | what a run or a chain spent its time with |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod admission;
mod chains;
mod derive;
mod error;
mod executors;
mod findings;
mod json;
mod kept;
mod knowledge;
mod latency;
mod links;
mod over_links;
pub mod profile;
mod routes;
mod table;
mod traces;
mod unbounded;
mod verdict;
pub mod why;

pub use admission::{Admitted, admit};
pub use chains::{has_chain, is_output_of};
pub use derive::{Derived, Response, derive};
pub use error::InsightError;
pub use executors::{Burst, Callbacks, Called};
pub use findings::{Findings, Observed, Row, What};
pub use json::as_json;
pub use kept::{kept, kept_as_json};
pub use knowledge::{Knowledge, Origin};
pub use latency::Latency;
pub use over_links::OverLinks;
pub use routes::Chain;
pub use table::{basis, side_by_side, table};
pub use traces::Traces;
pub use unbounded::Unbounded;
pub use verdict::Verdict;
