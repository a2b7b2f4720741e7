//! Does every chain from sensor to actuator meet its deadline, and how does one know? Bounds of this robot, and of any system in a file.
//!
//! | file | what |
//! |---|---|
//! | `knowledge` | how long everything takes, as far as it was measured |
//! | `routes` | the ways from each source to each output |
//! | `derive` | the robot as a system of cycles and paths |
//! | `executors` | what runs beside the cycles |
//! | `findings` | deadline, bound, what was observed, and whether that fits |
//! | `admission` | whether that lets a robot start |
//! | `table` | that for people |
//! | `json` | that for machines |

mod admission;
mod derive;
mod executors;
mod findings;
mod json;
mod knowledge;
mod routes;
mod table;

pub use admission::admit;
pub use derive::{Derived, derive, is_output_of};
pub use executors::Burst;
pub use findings::{Findings, What};
pub use json::as_json;
pub use knowledge::{Knowledge, Origin};
pub use table::{basis, side_by_side, table};
