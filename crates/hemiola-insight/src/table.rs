//! Tables of findings, for people.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter;

use hemiola_analysis::{Costs, TimeSpan};
use hemiola_trace::{CostProfile, HeldUp};
use hemiola_words::{Column, Columns, duration, nanoseconds};

use crate::derive::Derived;
use crate::executors::{Burst, Callbacks};
use crate::findings::{Findings, Row, What};
use crate::knowledge::{Knowledge, Origin};
use crate::unbounded::Unbounded;

/// The width of a column of times.
const TIME: usize = 10;

/// Returns a table with a line for each cycle, and two for each chain: deadline, bound, the longest
/// observed time, margin, verdict.
pub fn table(findings: &Findings) -> String {
    let columns = columns(&findings.rows, [TIME; 4]);
    let mut text = columns.line(["", "deadline", "bound", "observed", "margin"]) + "\n";
    let mut chain = None;
    for row in &findings.rows {
        heading(&mut text, row, &mut chain);
        let times = [
            row.deadline.map_or_else(|| "—".to_owned(), time),
            match &row.bound {
                Ok(bound) => time(*bound),
                Err(Unbounded::State { .. }) => "state".to_owned(),
                Err(_) => "none".to_owned(),
            },
            row.observed.map_or_else(|| "—".to_owned(), |observed| time(observed.maximum)),
            row.margin().map_or_else(|| "—".to_owned(), time),
        ];
        let [deadline, bound, observed, margin] = &times;
        let _ =
            writeln!(text, "{}", columns.line([&label(row), deadline, bound, observed, margin, "  ", verdict(row)]));
    }
    for row in findings.rows.iter() {
        if let Err(reason) = &row.bound {
            let _ = writeln!(text, "no bound for the {} of {}: {reason}", row.what.word(), row.name);
        }
    }
    text
}

/// Returns a table with the present bounds, and the bounds after each change, in a column each.
pub fn side_by_side(now: &Findings, changed: &[(&str, Findings)]) -> String {
    let columns = columns(&now.rows, [TIME].into_iter().chain(iter::repeat_n(18, changed.len() + 1)));
    let mut text = String::new();
    for (number, (change, _)) in changed.iter().enumerate() {
        let _ = writeln!(text, "({}) {change}", number + 1);
    }
    let heads = ["", "deadline", "now"].map(str::to_owned).into_iter();
    text += &columns.line(heads.chain((1..=changed.len()).map(|number| format!("({number})"))));
    text.push('\n');
    let mut chain = None;
    for (place, row) in now.rows.iter().enumerate() {
        heading(&mut text, row, &mut chain);
        let deadline = row.deadline.map_or_else(|| "—".to_owned(), time);
        let then =
            changed.iter().map(|(_, findings)| findings.rows.get(place).map(bound_and_verdict).unwrap_or_default());
        text += &columns.line([label(row), deadline, bound_and_verdict(row)].into_iter().chain(then));
        text.push('\n');
    }
    text
}

fn bound_and_verdict(row: &Row) -> String {
    let bound = row.bound.as_ref().map_or_else(|_| "no bound".to_owned(), |bound| time(*bound));
    if row.holds { bound } else { format!("{bound} FAILS") }
}

fn verdict(row: &Row) -> &'static str {
    match (row.holds, row.deadline, row.is_exceeded()) {
        (true, _, true) => "EXCEEDED: it took longer than its bound",
        (false, _, true) => "DOES NOT FIT, and took longer than its bound",
        (false, ..) => "DOES NOT FIT",
        (true, None, false) => "",
        (true, Some(_), false) => "fits",
    }
}

/// Writes the line over the figures of a chain.
fn heading<'r>(text: &mut String, row: &'r Row, last: &mut Option<&'r str>) {
    if matches!(row.what, What::Reaction | What::DataAge | What::NewestAge) && *last != Some(&row.name) {
        *last = Some(&row.name);
        let _ = writeln!(text, "chain  {}", row.name);
    }
}

fn label(row: &Row) -> String {
    match row.what {
        What::Reaction | What::DataAge | What::NewestAge => format!("         {}", row.what.word()),
        what => format!("{:6} {}", what.word(), row.name),
    }
}

/// Returns the columns of a table: names, then times in columns of these widths.
fn columns(rows: &[Row], times: impl IntoIterator<Item = usize>) -> Columns {
    let name = rows.iter().map(|row| label(row).chars().count()).max().unwrap_or(0).max(24) + 1;
    Columns::new([Column::left(name)].into_iter().chain(times.into_iter().map(Column::right)))
}

fn time(time: TimeSpan) -> String {
    duration(time.into())
}

/// Describes the basis of bounds: the origin and number of execution times, and what is not
/// covered.
pub fn basis(derived: &Derived, knowledge: &Knowledge) -> String {
    let mut text = String::new();
    let whence = match &knowledge.origin {
        Origin::File(path) => format!(", from {}", path.display()),
        Origin::Run => ", this run included".to_owned(),
        Origin::ChangedRun(_) | Origin::Nowhere => String::new(),
    };
    match knowledge.samples() {
        Some((fewest, most)) => {
            let _ = writeln!(
                text,
                "Execution times: {} of {fewest} to {most} runs of each task{whence}, without those that cycles of higher priority may have preempted.",
                knowledge.statistic()
            );
        }
        None => text += "No execution times are known: run the robot once, with `output.profile` in robot.toml.\n",
    }
    text += &of_held_up(&knowledge.held_up());
    if !derived.unmeasured.is_empty() {
        let _ = writeln!(
            text,
            "NOT MEASURED, and counted as zero, so that NO BOUND HOLDS: {}. Run the robot once.",
            shortened(&derived.unmeasured)
        );
    }
    if !derived.estimated.is_empty() {
        let names = shortened(&derived.estimated);
        let _ = match &knowledge.origin {
            Origin::ChangedRun(changes) => writeln!(
                text,
                "ESTIMATED, as it was changed while it ran ({}): {names}. Run it once more without changes.",
                shortened(changes)
            ),
            _ => writeln!(
                text,
                "ESTIMATED, as this robot has not run yet: {names} were measured with another build, machine or configuration, or not in real time. Run the robot once."
            ),
        };
    }
    if !derived.sharing.is_empty() {
        let _ = writeln!(
            text,
            "Without a real-time priority, so that bounds hold only while no other program runs: {}.",
            shortened(&derived.sharing)
        );
    }
    text += &of_callbacks(&derived.callbacks);
    let Costs { hand_over, wake_up, timer_lateness, preemption, .. } = derived.system.costs;
    let _ = match knowledge.known.profile.costs.values().map(|cost| cost.samples).min() {
        Some(samples) => writeln!(
            text,
            "Overheads of the machine in 99 % of at least {samples} measurements: at most {} to wake up a thread, {} for a late timer, {} to hand over a task, {} for a preemption{}. The longest of all was {}, which bounds do not count.",
            time(wake_up),
            time(timer_lateness),
            time(hand_over),
            time(preemption),
            of_spread(&knowledge.known.profile.costs),
            time(knowledge.longest_cost())
        ),
        None => writeln!(
            text,
            "The overheads of the machine for wake-ups and context switches were not measured, and count as zero."
        ),
    };
    let _ = writeln!(
        text,
        "Assumed: {} core{} for the threads of sources, cycles and executors alone; other threads are not included, nor are executors that were never observed.",
        derived.system.cores,
        if derived.system.cores == 1 { "" } else { "s" }
    );
    text
}

/// Describes the spread of the calibrations of the machine, if there are several.
fn of_spread(costs: &BTreeMap<String, CostProfile>) -> String {
    let fewest = costs.values().map(|cost| cost.calibrations).min().unwrap_or(0);
    let widest = costs.iter().max_by_key(|(_, cost)| cost.highest.saturating_sub(cost.lowest));
    match widest {
        Some((name, cost)) if fewest > 1 => format!(
            "; the median of {fewest} calibrations counts, and they differ most in `{name}` ({} to {})",
            nanoseconds(cost.lowest),
            nanoseconds(cost.highest)
        ),
        _ => String::new(),
    }
}

/// Describes the time that bounds do not count because the robot did not have the core.
fn of_held_up(held_up: &[(String, HeldUp)]) -> String {
    let Some((_, longest)) = held_up.first() else { return String::new() };
    let count: u64 = held_up.iter().map(|(_, held_up)| held_up.count).sum();
    let executions = if count == 1 { "execution" } else { "executions" };
    let names: Vec<_> = held_up.iter().map(|(name, _)| name.clone()).collect();
    format!(
        "Not counted: the time in which other programs, the kernel or the host had the core, within {count} {executions} of {} at most ({}).\n",
        time(TimeSpan::nanoseconds(longest.longest)),
        shortened(&names)
    )
}

/// Describes the basis of bounds of callbacks.
fn of_callbacks(callbacks: &Callbacks) -> String {
    let mut text = String::new();
    if !callbacks.bursts.is_empty() {
        let burst = |Burst { name, messages, within }: &Burst| format!("{messages} in {} for {name}", time(*within));
        let bursts: Vec<String> = callbacks.bursts.iter().map(burst).collect();
        let _ = writeln!(text, "Messages to callbacks as densely as observed, at most: {}.", shortened(&bursts));
    }
    if !callbacks.left_out.is_empty() {
        let _ =
            writeln!(text, "NOT INCLUDED, so that bounds do not count their time: {}.", shortened(&callbacks.left_out));
    }
    text
}

/// Returns the first of these names, and the number of the others.
pub fn shortened(names: &[String]) -> String {
    const MOST: usize = 8;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown} and {} more", names.len() - MOST) } else { shown }
}
