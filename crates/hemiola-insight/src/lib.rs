//! The guarantees of a robot and the evidence for them: its measurements, the robot as a system of
//! cycles and chains, bounds on its latencies, the verdict on its deadlines, and the reasons why a
//! run took so long.
//!
//! This crate reads robots, profiles and traces; it runs nothing, and never prints or parses a
//! command line.
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
//! | file | contents |
//! |---|---|
//! | `profile` | the measurements of all runs |
//! | `kept` | a profile for people and as JSON |
//! | `knowledge` | execution times, as far as they were measured |
//! | `links` | the links between the robot's processes, and their latencies |
//! | `routes` | the ways from each source to each output |
//! | `chains` | the chains of a robot, and their names in robot.toml |
//! | `latency` | the paths that bound a chain, and the sources by which it is observed |
//! | `derive` | the robot as a system of cycles and paths |
//! | `executors` | the executors beside the cycles |
//! | `over_links` | the bounds of chains that end in one process, from the analysis of the whole robot |
//! | `findings` | deadlines, bounds, observed times, and verdicts |
//! | `unbounded` | the reasons why something has no bound |
//! | `admission` | the decision whether a robot may start |
//! | `verdict` | the verdict in a line |
//! | `table` | findings as a table |
//! | `json` | findings as JSON |
//! | `traces` | the traces that a robot leaves |
//! | `why` | the reasons why a run or a chain took its time |
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

pub use admission::{Admitted, admit, watched_bounds};
pub use chains::{has_chain, is_by_messages, is_output_of};
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
