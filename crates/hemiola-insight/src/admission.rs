//! Admission before a run: the decision whether a robot may start (`[analysis] admission`), and the
//! bounds with which it is compared while it runs.

use std::time::Duration;

use hemiola_analysis::TimeSpan;
use hemiola_model::configuration::Admission;
use hemiola_runtime::{LatencyBounds, Robot};
use hemiola_trace::Known;

use crate::derive::{Derived, derive};
use crate::error::InsightError;
use crate::findings::{Findings, What};
use crate::knowledge::{Knowledge, Origin};
use crate::table::{basis, shortened, table};
use crate::verdict::were;

/// The bounds of a robot that may start, and the doubts about it.
#[derive(Debug, Default)]
pub struct Admitted {
    /// The bounds that hold with the known execution times; none if some are not known.
    pub bounds: LatencyBounds,
    /// A warning for people before it runs.
    pub warning: Option<String>,
}

/// Checks whether all deadlines are guaranteed to be met, as far as that is known before the run. A
/// robot may always start to measure what is not known yet.
///
/// # Errors
/// Returns [`InsightError::NotAdmitted`] if something does not fit, and the configuration refuses
/// that.
pub fn admit(robot: &Robot, known: &Known) -> Result<Admitted, InsightError> {
    let configured = &robot.configuration().analysis;
    let origin = robot.configuration().output.profile.clone().map_or(Origin::Nowhere, Origin::File);
    let knowledge = Knowledge { known: known.clone(), quantile: configured.quantile, origin };
    let is_asked = configured.admission != Admission::Off;
    let derived = match derive(robot, &knowledge) {
        Ok(derived) => derived,
        Err(_) if !is_asked => return Ok(Admitted::default()),
        Err(error) => return Err(error),
    };
    if !derived.unmeasured.is_empty() {
        let unmeasured = derived.unmeasured.len();
        let warning =
            format!("it is not known yet whether all deadlines are met: {unmeasured} tasks were never measured\n");
        return Ok(Admitted { warning: is_asked.then_some(warning), ..Admitted::default() });
    }
    let mut warning = None;
    let findings = Findings::of_robot(&derived.system, &derived, &knowledge.known.profile);
    if is_asked && !findings.holds() {
        let text = format!("{}{}", table(&findings), basis(&derived, &knowledge));
        // Nothing is known for certain about a robot that has changed; if it could not start,
        // nothing ever would be.
        if configured.admission == Admission::Refuse && derived.estimated.is_empty() {
            return Err(InsightError::NotAdmitted { findings: text });
        }
        warning = Some(format!("not all deadlines are guaranteed to be met\n{text}"));
    }
    // Execution times of other robots guarantee nothing for this one.
    let bounds = if derived.estimated.is_empty() { watched(&findings, &derived) } else { LatencyBounds::default() };
    Ok(Admitted { bounds, warning })
}

/// Returns the bounds with which a running robot compares its latencies, as [`admit`] does, if all
/// execution times of this very robot are known by now.
///
/// # Errors
/// Returns the reason, in words, why there are no bounds.
pub fn watched_bounds(robot: &Robot, known: &Known) -> Result<LatencyBounds, String> {
    let quantile = robot.configuration().analysis.quantile;
    let knowledge = Knowledge { known: known.clone(), quantile, origin: Origin::Run };
    let derived = derive(robot, &knowledge).map_err(|error| error.to_string())?;
    let Derived { unmeasured, estimated, .. } = &derived;
    if !unmeasured.is_empty() {
        return Err(format!("{} never measured: {}", were(unmeasured.len()), shortened(unmeasured)));
    }
    if !estimated.is_empty() {
        let (estimated, names) = (were(estimated.len()), shortened(estimated));
        return Err(format!("{estimated} measured with another build, machine or configuration: {names}"));
    }
    Ok(watched(&Findings::of_robot(&derived.system, &derived, &knowledge.known.profile), &derived))
}

/// Returns the bounds with which the running robot compares its latencies, and the execution times
/// on which they rest.
fn watched(findings: &Findings, derived: &Derived) -> LatencyBounds {
    let bound = |what, name: &str| {
        let row = findings.rows.iter().find(|row| row.what == what && row.name == name);
        row.and_then(|row| row.bound.as_ref().ok()).map(|&bound: &TimeSpan| bound.into())
    };
    let mut bounds = LatencyBounds::default();
    for response in &derived.responses {
        if let Some(time) = bound(What::Cycle, &response.cycle) {
            bounds = bounds.response(&response.cycle, time);
        }
    }
    for latency in &derived.latencies {
        let (name, begin, output) = (latency.name(), &latency.chain.begin(), &latency.chain.output);
        if let Some(time) = bound(What::Reaction, &name) {
            bounds = bounds.reaction(begin, output, time);
        }
        if let Some(time) = bound(What::DataAge, &name) {
            bounds = bounds.data_age(begin, output, time);
        }
    }
    for called in &derived.callbacks.called {
        if let Some(time) = bound(What::Callback, &called.name) {
            bounds = bounds.callback(&called.executor, &called.callback, time);
        }
    }
    for callback in derived.system.chains.iter().flat_map(|chain| &chain.callbacks) {
        let executor = callback.executor.as_deref().unwrap_or_default();
        let known = bounds.executions.get(&(executor.to_owned(), callback.name.clone())).copied();
        // The time spent awake before a timer is due has the same name as the callback itself.
        let assumed = Duration::from(callback.takes.longest).max(known.unwrap_or_default());
        bounds = bounds.execution(executor, &callback.name, assumed);
    }
    for cycle in &derived.system.cycles {
        for task in &cycle.tasks {
            bounds = bounds.execution(&cycle.name, &task.name, task.takes.longest.into());
        }
    }
    bounds
}
