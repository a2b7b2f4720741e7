//! The cost of the framework on one worker.

use super::super::experiment::Setting;
use super::super::inquiry::Inquiry;
use super::super::report::Question;
use super::super::subject::Subject;
use super::{Inquired, LOOP, sequential};
use crate::contestant::ContestantError;

pub const QUESTION: Inquired =
    Inquired { title: "1. Reference: both cycles at once, each in sequence", measure, conclude };

const ONE: &str = "Hemiola, 1 worker";

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    inquiry.both(question, LOOP, sequential())?;
    inquiry.both(question, ONE, Setting::with_workers(1))?;
    Ok(())
}

fn conclude(subject: &Subject, question: &mut Question) {
    let cycles = [&subject.motion, &subject.cognition];
    let costs = cycles.map(|cycle| {
        let cost = 100.0 * (question.mean(ONE, cycle.name) / question.mean(LOOP, cycle.name) - 1.0);
        format!("{cost:+.2} % in {} ({} tasks)", cycle.name, cycle.graph.tasks().len())
    });
    question.findings.push(format!("The cost of the framework on one worker: {}.", costs.join(", ")));
}
