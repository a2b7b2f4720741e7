//! `assign --json`, for a robot.

use hemiola_analysis::assignment::threads::{Assigned, Method};
use hemiola_analysis::{Analysis, System, TimeSpan};
use hemiola_insight::Derived;
use serde_json::{Value, json};

use super::overlay::priority;

/// Returns the assignment beside what the robot has now; `overlay` is the file that applies it.
pub fn assignment(derived: &Derived, assigned: &Assigned, overlay: &str) -> Value {
    let (before, after) = (Analysis::of(&derived.system), Analysis::of(&assigned.system));
    let row = |what: &str, name: &str, verdict: &str, now: &dyn Fn(&System) -> Option<Value>| {
        let side = |system: &System, analysis: &Analysis| {
            let mut side = now(system)?;
            let bound = analysis.find(verdict).and_then(|verdict| verdict.bound.as_ref().ok());
            side["bound"] = json!(bound.map(|bound| bound.as_nanoseconds()));
            Some(side)
        };
        let deadline = after.find(verdict).and_then(|verdict| verdict.deadline);
        let deadline = deadline.filter(|&deadline| deadline < TimeSpan::MAX);
        json!({
            "what": what,
            "name": name,
            "deadline": deadline.map(TimeSpan::as_nanoseconds),
            "before": side(&derived.system, &before),
            "after": side(&assigned.system, &after),
        })
    };
    let cycles = derived.responses.iter().map(|response| {
        row("cycle", &response.cycle, &response.verdict, &|system| {
            let cycle = system.cycles.iter().find(|cycle| cycle.name == response.cycle)?;
            Some(json!({ "priority": cycle.priority, "workers": cycle.workers, "cores": cycle.cores }))
        })
    });
    let callbacks = derived.callbacks.called.iter().filter_map(|called| {
        let verdict = called.verdict.as_ref().ok()?;
        Some(row("callback", &called.name, verdict, &|system| {
            let executor = system.executors.iter().find(|executor| executor.name == called.executor)?;
            let within = priority(system, &called.executor, &called.callback);
            Some(json!({
                "executor": executor.name, "priority": executor.priority, "core": executor.core, "within": within,
            }))
        }))
    });
    json!({
        "method": match assigned.method {
            Method::DeadlineMonotonic => "deadline monotonic",
            Method::Audsley => "audsley",
            Method::NothingHolds => "none",
        },
        "holds": assigned.method != Method::NothingHolds,
        "rows": cycles.chain(callbacks).collect::<Vec<_>>(),
        "overlay": overlay,
    })
}
