//! A schedule as text for a terminal.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use hemiola_words::{counted, duration, trimmed};

use super::schedule_svg::tick_step;
use crate::plan::Plan;
use crate::simulation::Schedule;
use crate::task::TaskId;

/// Draws a schedule with a line per worker, `columns` wide: tasks as `│name───`, those on the
/// critical path as `│name━━━`, idle time as dots. Names are shortened at the end; what is shorter
/// than a column shows only if it starts one.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph, draw};
/// let durations = Durations::constant([1, 4, 2].map(Duration::from_millis));
/// let plan = Plan::new(TaskGraph::plain("fork", 3, [(0, 1), (0, 2)]).unwrap(), &durations, &PlanOptions::default());
/// let schedule = Simulation::new(&plan, &durations, &SimulationOptions { workers: 2, ..Default::default() }).schedule();
/// assert_eq!(draw::schedule_text(&plan, &schedule, 36), "\
/// fork: 5.00 ms on 2 workers, 7.00 ms of work
/// worker 0 │0━━│1━━━━━━━━━━━━━━━ 100 %
/// worker 1 ····│2───────········  40 %
///          0   1   2   3   4   5 ms
/// ");
/// ```
pub fn schedule_text(plan: &Plan, schedule: &Schedule, columns: usize) -> String {
    let critical: BTreeSet<TaskId> = {
        let mut durations = crate::Durations::unknown(plan.graph().tasks().len());
        for slot in &schedule.slots {
            durations.set(slot.task, crate::TaskDuration::Constant(slot.end - slot.start));
        }
        plan.graph().critical_path(&durations).tasks.into_iter().collect()
    };
    let names = format!("worker {} ", schedule.workers.saturating_sub(1)).len();
    let width = columns.saturating_sub(names + 6).max(10);
    let span = schedule.makespan.as_secs_f64().max(1e-9);
    let column = |time: Duration| (time.as_secs_f64() / span * width as f64).round() as usize;

    let work: Duration = (0..schedule.workers).map(|worker| schedule.busy(worker)).sum();
    let workers = counted(schedule.workers as u64, "worker");
    let mut text =
        format!("{}: {} on {workers}, {} of work\n", plan.graph().name(), duration(schedule.makespan), duration(work));
    for worker in 0..schedule.workers {
        let mut line = vec!['·'; width];
        for slot in schedule.slots.iter().filter(|slot| slot.worker == worker) {
            let line_of = if critical.contains(&slot.task) { '━' } else { '─' };
            let task = plan.graph().task(slot.task);
            let (from, to) = (column(slot.start), column(slot.end).min(width));
            let name = fit(&task.name, to.saturating_sub(from + 1));
            let symbols = std::iter::once('│').chain(name.chars()).chain(std::iter::repeat(line_of));
            line.iter_mut().take(to).skip(from).zip(symbols).for_each(|(place, symbol)| *place = symbol);
        }
        let busy = schedule.busy(worker).as_secs_f64() / span * 100.0;
        let label = format!("worker {worker}");
        let _ = writeln!(text, "{label:names$}{} {busy:3.0} %", line.iter().collect::<String>());
    }
    text + &scale(schedule.makespan, names, width)
}

/// Returns as much of the beginning of a name as fits, with an ellipsis; nothing if hardly anything
/// fits.
fn fit(name: &str, columns: usize) -> String {
    match name.chars().count() {
        length if length <= columns => name.to_owned(),
        _ if columns < 4 => String::new(),
        _ => name.chars().take(columns - 1).chain(['…']).collect(),
    }
}

/// Draws the ticks under the lines, in milliseconds.
fn scale(makespan: Duration, indent: usize, width: usize) -> String {
    let step = tick_step(makespan) * if width < 60 { 2 } else { 1 };
    let mut line = " ".repeat(indent);
    let mut tick = Duration::ZERO;
    while tick <= makespan {
        let at = indent + (tick.as_secs_f64() / makespan.as_secs_f64().max(1e-9) * (width - 1) as f64) as usize;
        if line.chars().count() <= at {
            line += &" ".repeat(at - line.chars().count());
            line += &trimmed(tick.as_secs_f64() * 1e3, 4);
        }
        tick += step;
        if step.is_zero() || makespan.is_zero() {
            break;
        }
    }
    line + " ms\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_at_the_end() {
        assert_eq!(
            [20, 12, 4, 3].map(|columns| fit("LineSpots.upper", columns)),
            ["LineSpots.upper", "LineSpots.u…", "Lin…", ""]
        );
    }
}
