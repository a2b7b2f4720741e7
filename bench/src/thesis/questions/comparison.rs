//! Hemiola against a framework that runs modules in sequence.

use super::super::experiment::Setting;
use super::super::inquiry::{Inquiry, count};
use super::super::report::Question;
use super::super::subject::Subject;
use super::{Inquired, LOOP, sequential};
use crate::contestant::ContestantError;

pub const QUESTION: Inquired =
    Inquired { title: "7. Against a framework that runs modules in sequence, both cycles at once", measure, conclude };

const CHOICE: &str = "Hemiola, its own choice";

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    inquiry.both(question, LOOP, sequential())?;
    inquiry.both(question, CHOICE, Setting::automatic())?;
    Ok(())
}

fn conclude(subject: &Subject, question: &mut Question) {
    for frame in subject.motion.frames.iter().chain(&subject.cognition.frames) {
        let share = |figure: fn(&Question, &str, &str) -> f64| {
            100.0 * (figure(question, CHOICE, frame.name) / figure(question, LOOP, frame.name) - 1.0)
        };
        let (mean, p99) = (share(Question::mean), share(Question::p99));
        question.findings.push(format!("{}: mean {mean:+.1} %, p99 {p99:+.1} %.", frame.name));
    }
    for cycle in [&subject.motion, &subject.cognition] {
        let workers = Setting::automatic().plan(cycle).map_or(1, |plan| plan.workers());
        question.findings.push(format!("{}: the plan chose {}.", cycle.name, count(workers)));
    }
    question.findings.push(
        "The thesis on 4 cores, means: cognition 16.09 to 10.56 ms, motion 0.965 to 0.883 ms, with preview 1.628 to 1.566 ms."
            .to_owned(),
    );
}
