//! The order of the updates within a module.

use hemiola_plan::UpdateOrder;

use super::super::experiment::{Dispatch, Setting};
use super::super::inquiry::{Inquiry, SIMULATED_RUNS, signed_time};
use super::super::prediction;
use super::super::report::{Origin, Question};
use super::super::subject::Subject;
use super::Inquired;
use crate::contestant::ContestantError;

pub const QUESTION: Inquired =
    Inquired { title: "4. Order of the updates within a module, 2 workers, each cycle alone", measure, conclude };

const MOST: &str = "most dependents first";
const ORDERS: [(&str, UpdateOrder); 4] = [
    (MOST, UpdateOrder::MostDependentsFirst),
    ("fewest dependents first", UpdateOrder::FewestDependentsFirst),
    ("by name", UpdateOrder::ByName),
    ("critical path (Hemiola)", UpdateOrder::CriticalPath),
];

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    for cycle in [inquiry.subject.motion.clone(), inquiry.subject.cognition.clone()] {
        for (way, order) in ORDERS {
            let two = Setting::with_workers(2);
            let Dispatch::Executor { workers, .. } = two.dispatch else { continue };
            let setting = Setting { dispatch: Dispatch::Executor { workers, order }, ..two };
            let outcome = inquiry.run(&[(&cycle, setting)])?.remove(0);
            let Some(plan) = setting.plan(&cycle) else { continue };
            let simulated = prediction::alone(&cycle.as_measured(&outcome.events, &[]), &plan, SIMULATED_RUNS);
            for (frame, (measured, simulated)) in cycle.frames.iter().zip(outcome.response.iter().zip(&simulated)) {
                question.add(way, frame.name, Origin::Measured, measured);
                question.add(way, frame.name, Origin::Simulated, simulated);
            }
        }
    }
    Ok(())
}

fn conclude(subject: &Subject, question: &mut Question) {
    for cycle in [&subject.motion, &subject.cognition] {
        let against = |way: &str| signed_time(question.mean(way, cycle.name) - question.mean(MOST, cycle.name));
        let others: Vec<String> = ORDERS[1..].iter().map(|(way, _)| format!("{way} {}", against(way))).collect();
        question.findings.push(format!("{}, mean against {MOST}: {}.", cycle.name, others.join(", ")));
    }
    question.findings.push("The thesis found 54 µs between most and fewest in motion.".to_owned());
}
