//! Pinning: no cycle, motion, cognition, or both have their workers on cores of their own number.

use super::super::experiment::{Placement, Setting};
use super::super::inquiry::{Inquiry, as_measured, available_cores, predict};
use super::super::report::{Origin, Question};
use super::super::subject::Subject;
use super::Inquired;
use crate::contestant::ContestantError;

pub const QUESTION: Inquired = Inquired {
    title: "6. Pinning worker 0 to core 0, worker 1 to core 1, ..., both cycles at once",
    measure,
    conclude,
};

const NEITHER: &str = "neither cycle pinned";
const WAYS: [(&str, [Placement; 2]); 4] = [
    (NEITHER, [Placement::Anywhere, Placement::Anywhere]),
    ("motion pinned", [Placement::Pinned, Placement::Anywhere]),
    ("cognition pinned", [Placement::Anywhere, Placement::Pinned]),
    ("both cycles pinned", [Placement::Pinned, Placement::Pinned]),
];

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    for (way, placements) in WAYS {
        let settings = placements.map(|placement| Setting { placement, ..Setting::automatic() });
        let cycles = [inquiry.subject.motion.clone(), inquiry.subject.cognition.clone()];
        let outcomes = inquiry.pair(question, way, settings)?;
        let measured = as_measured(&cycles, &outcomes);
        if let Some(predicted) = predict(&measured, settings, available_cores(), outcomes[0].lead) {
            question.add(way, cycles[1].name, Origin::Simulated, &predicted.cognition);
        }
    }
    Ok(())
}

fn conclude(subject: &Subject, question: &mut Question) {
    let cycles = [&subject.motion, &subject.cognition];
    for (way, _) in &WAYS[1..] {
        let changes = cycles.map(|cycle| {
            let change = 100.0 * (question.mean(way, cycle.name) / question.mean(NEITHER, cycle.name) - 1.0);
            format!("{change:+.1} % in {}", cycle.name)
        });
        question
            .findings
            .push(format!("{way}: the mean changes by {}; in the thesis by less than 1 %.", changes.join(", ")));
    }
    question.findings.push(
        "A pinned worker of cognition whose core motion has taken waits, even if another core is free; one that is not pinned moves there."
            .to_owned(),
    );
}
