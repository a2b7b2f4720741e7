//! Ten seconds of motion, with and without preview, run by run.

use std::time::Duration;

use super::super::experiment::Setting;
use super::super::inquiry::{Inquiry, add_frames};
use super::super::report::Question;
use super::super::series::{Kind, Series};
use super::super::subject::Subject;
use super::{Inquired, LOOP, sequential};
use crate::contestant::ContestantError;

pub const QUESTION: Inquired = Inquired {
    title: "8. Ten seconds of motion, with and without preview, beside cognition (the first pass)",
    measure,
    conclude,
};

/// The time that is shown.
const SHOWN: Duration = Duration::from_secs(10);
const CHOICE: &str = "Hemiola, its own choice";

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    if !question.rows.is_empty() {
        return Ok(());
    }
    // A brief run shows a part of it.
    let shown = if inquiry.duration < Duration::from_secs(1) { inquiry.duration } else { SHOWN };
    let (motion, cognition) = (inquiry.subject.motion.clone(), inquiry.subject.cognition.clone());
    for (way, setting) in [(LOOP, sequential()), (CHOICE, Setting::automatic())] {
        let outcome = inquiry.run_for(&[(&motion, setting), (&cognition, setting)], shown)?.remove(0);
        add_frames(question, way, &motion, &outcome);
        let kinds = motion.frames.iter().enumerate().map(|(index, frame)| {
            let runs = outcome.runs.iter().filter(|run| run.frame == index);
            let points = runs.map(|run| (run.due.as_secs_f64(), run.response.as_nanos() as f64));
            Kind { name: frame.name.to_owned(), points: points.collect() }
        });
        question.series.push(Series { title: way.to_owned(), seconds: shown.as_secs_f64(), kinds: kinds.collect() });
    }
    Ok(())
}

fn conclude(_: &Subject, question: &mut Question) {
    question.findings.push(
        "A run with a preview of the walk does more in its longest task. The example robot's preview controller runs every time, with 170 multiplications, \
         so that it has no runs without."
            .to_owned(),
    );
}
