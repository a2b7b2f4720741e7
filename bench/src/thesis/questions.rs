//! The questions of the chapter, each answered by running the cycles in the ways that it compares.

mod comparison;
mod pinning;
mod preview;
mod priority;
mod reference;
mod stress;
mod update_order;
mod workers;

use super::experiment::{Dispatch, Setting};
use super::inquiry::Inquiry;
use super::report::Question;
use super::subject::Subject;
use crate::contestant::ContestantError;

/// A question: its ways are run in every pass, and the answer follows from all passes.
pub struct Inquired {
    pub title: &'static str,
    pub measure: fn(&mut Inquiry, &mut Question) -> Result<(), ContestantError>,
    pub conclude: fn(&Subject, &mut Question),
}

/// All questions that are asked with the cycles of the robot.
pub const ALL: [Inquired; 8] = [
    reference::QUESTION,
    priority::QUESTION,
    workers::QUESTION,
    update_order::QUESTION,
    stress::QUESTION,
    pinning::QUESTION,
    comparison::QUESTION,
    preview::QUESTION,
];

/// The ways that are compared with a framework without parallelism.
const LOOP: &str = "loop over all modules";

fn sequential() -> Setting {
    Setting { dispatch: Dispatch::Loop, ..Setting::with_workers(1) }
}
