//! Findings as JSON. Times are in nanoseconds.

use hemiola_analysis::sensitivity::Relief;
use hemiola_analysis::{System, TimeSpan};
use serde_json::{Value, json};

use crate::findings::{Findings, Row};

/// Returns the rows, each with the task that helps most; `relief` has these by the index of the
/// verdict of the analysis.
pub fn as_json(findings: &Findings, system: &System, relief: &[Option<Relief>]) -> Value {
    let rows = findings.rows.iter().map(|row| row_as_json(row, system, relief));
    json!({ "holds": findings.holds(), "cores": system.cores, "rows": rows.collect::<Vec<_>>() })
}

fn row_as_json(row: &Row, system: &System, relief: &[Option<Relief>]) -> Value {
    let nanoseconds = |time: Option<TimeSpan>| time.map(TimeSpan::as_nanoseconds);
    let shorten = row.decided_by.and_then(|number| relief.get(number)?.as_ref());
    json!({
        "what": row.what.word(),
        "name": row.name,
        "deadline": nanoseconds(row.deadline),
        "bound": nanoseconds(row.bound.as_ref().ok().copied()),
        "no_bound": row.bound.as_ref().err().map(ToString::to_string),
        "observed": nanoseconds(row.observed.map(|observed| observed.maximum)),
        "observations": row.observed.map(|observed| observed.count),
        "margin": nanoseconds(row.margin()),
        "holds": row.holds,
        "exceeded": row.is_exceeded(),
        "shorten_first": shorten.map(|relief| json!({
            "of": system.owner(relief.work),
            "task": system.name(relief.work),
            "takes": relief.takes.as_nanoseconds(),
            "bound_if_half": nanoseconds(relief.bound.as_ref().ok().copied()),
        })),
    })
}
