//! `check --json`.

use std::num::NonZeroUsize;

use hemiola_config::{Diagnostic, Diagnostics};
use hemiola_plan::Warning;
use serde_json::{Value, json};

use super::runs;
use crate::session::Session;

/// Returns the robot's cycles and all warnings.
pub fn overview(session: &Session, found: &[&Diagnostics], of_modules: &[Warning]) -> Value {
    let robot = &session.robot;
    let plans = robot.plans(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    let cycles = robot.configuration().cycles.iter().zip(&robot.resolved().cycles).zip(&plans);
    let cycles = cycles.map(|((cycle, resolved), plan)| {
        let mut modules: Vec<&str> = resolved.updates.iter().map(|update| update.module.as_str()).collect();
        modules.sort_unstable();
        modules.dedup();
        json!({
            "name": cycle.name,
            "runs": runs(cycle),
            "deadline_ns": cycle.deadline.map(|deadline| deadline.as_nanos() as u64),
            "modules": modules,
            "tasks": plan.graph().tasks().len(),
            "workers": plan.workers(),
        })
    });
    let warnings = found.iter().flat_map(|found| found.iter()).map(diagnostic);
    let of_modules = of_modules.iter().map(|warning| json!({ "message": warning.to_string() }));
    json!({
        "configured_by": session.configured_by,
        "cycles": cycles.collect::<Vec<_>>(),
        "warnings": warnings.chain(of_modules).collect::<Vec<_>>(),
    })
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    json!({
        "message": diagnostic.message,
        "place": diagnostic.place.as_ref().map(ToString::to_string),
        "help": diagnostic.help,
    })
}
