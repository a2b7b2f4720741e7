//! A schedule as a self-contained SVG picture: a row per worker.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hemiola_words::svg::palette::{self, CRITICAL, INK, MUTED, RULE};
use hemiola_words::svg::{Page, escape, fit, round_step, text_width};
use hemiola_words::{counted, duration, trimmed};

use super::{MARGIN, TOP, page};
use crate::plan::Plan;
use crate::simulation::Schedule;
use crate::task::TaskId;

const ROW: f64 = 64.0;
const BAR: f64 = 46.0;
const NAMES: f64 = 92.0;
const WIDTH: f64 = 1500.0;

/// Draws a schedule as SVG: the tasks of each worker over time. The plan's critical path is marked
/// in red, the lower bound is a dashed line, idle time is what stays empty. Names and times appear
/// under the pointer.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph, draw};
/// let durations = Durations::constant([1, 2].map(Duration::from_millis));
/// let plan = Plan::new(TaskGraph::plain("pair", 2, []).unwrap(), &durations, &PlanOptions::default());
/// let schedule = Simulation::new(&plan, &durations, &SimulationOptions { workers: 2, ..Default::default() }).schedule();
/// assert!(draw::schedule_svg(&plan, &schedule).contains("worker 1"));
/// ```
pub fn schedule_svg(plan: &Plan, schedule: &Schedule) -> String {
    let graph = plan.graph();
    let ran: BTreeMap<TaskId, Duration> =
        schedule.slots.iter().map(|slot| (slot.task, slot.end - slot.start)).collect();
    let durations = crate::Durations::constant(
        (0..graph.tasks().len()).map(|task| ran.get(&TaskId(task as u32)).copied().unwrap_or_default()),
    );
    let critical = graph.critical_path(&durations);
    let on_path: BTreeSet<TaskId> = critical.tasks.iter().copied().collect();
    let work: Duration = ran.values().sum();
    let bound = critical.duration.max(work / u32::try_from(schedule.workers.max(1)).unwrap_or(u32::MAX));

    let facts = format!(
        "makespan {} on {} · {} of work, critical path {}, no schedule is shorter than {}",
        duration(schedule.makespan),
        counted(schedule.workers as u64, "worker"),
        duration(work),
        duration(critical.duration),
        duration(bound)
    );
    let height = TOP + ROW * schedule.workers as f64 + 8.0 + MARGIN;
    let mut page = page(WIDTH + NAMES + 2.0 * MARGIN + 60.0, height, graph.name(), &facts);
    draw_legend(&mut page);

    let end = schedule.makespan.as_secs_f64().max(1e-9);
    let x = |time: Duration| MARGIN + NAMES + time.as_secs_f64() / end * WIDTH;
    draw_scale(&mut page, schedule, &x);
    let mut modules: BTreeMap<&str, usize> = BTreeMap::new();
    for task in graph.tasks() {
        let number = modules.len();
        modules.entry(task.module.as_deref().unwrap_or(&task.name)).or_insert(number);
    }
    for worker in 0..schedule.workers {
        let y = TOP + ROW * worker as f64;
        let middle = y + BAR / 2.0 + 5.0;
        page.line(format_args!(
            r#"<text x="{MARGIN}" y="{middle}" font-size="14" font-weight="600">worker {worker}</text>"#
        ));
        let busy = schedule.busy(worker).as_secs_f64() / end * 100.0;
        page.line(format_args!(
            r#"<text x="{:.1}" y="{middle}" font-size="13" fill="{MUTED}">{busy:.0} %</text>"#,
            MARGIN + NAMES + WIDTH + 12.0
        ));
        page.line(format_args!(
            r##"<rect x="{}" y="{y}" width="{WIDTH}" height="{BAR}" fill="#eef1f4"/>"##,
            MARGIN + NAMES
        ));
    }
    for slot in &schedule.slots {
        let task = graph.task(slot.task);
        let y = TOP + ROW * slot.worker as f64;
        let (left, width) = (x(slot.start), (x(slot.end) - x(slot.start)).max(0.6));
        let (fill, border) = palette::category(modules[task.module.as_deref().unwrap_or(&task.name)]);
        let critical = on_path.contains(&slot.task);
        let title = format!(
            "{}\n{} from {} to {}",
            task.name,
            duration(slot.end - slot.start),
            duration(slot.start),
            duration(slot.end)
        );
        page.line(format_args!(
            r#"<g class="t"><title>{}</title><rect x="{left:.2}" y="{y}" width="{width:.2}" height="{BAR}" fill="{fill}" stroke="{border}" stroke-width="{}"/>"#,
            escape(&title),
            if width > 3.0 { 0.8 } else { 0.3 },
        ));
        if critical {
            page.line(format_args!(r#"<rect x="{left:.2}" y="{y}" width="{width:.2}" height="5" fill="{CRITICAL}"/>"#));
        }
        let lines = label(&task.name, width - 8.0);
        let first = y + BAR / 2.0 + 5.0 - if lines.len() > 1 { 8.0 } else { 0.0 };
        for (index, (line, size)) in lines.iter().enumerate() {
            page.line(format_args!(
                r#"<text x="{:.1}" y="{:.1}" font-size="{size}" text-anchor="middle">{}</text>"#,
                left + width / 2.0,
                first + 15.0 * index as f64,
                escape(line)
            ));
        }
        page.line("</g>");
    }
    let bottom = TOP + ROW * schedule.workers as f64;
    page.line(format_args!(
        r#"<path d="M{0:.1} {1}V{bottom}" stroke="{INK}" stroke-width="1.4" stroke-dasharray="6 4"><title>lower bound: {2}</title></path>"#,
        x(bound),
        TOP - 8.0,
        duration(bound)
    ));
    page.finish()
}

/// Splits a task's name into lines and sizes that fit: the whole name, else the module over the
/// update, each as far as there is room.
fn label(name: &str, room: f64) -> Vec<(String, f64)> {
    const SIZE: f64 = 11.5;
    const SMALL: f64 = 10.0;
    let parts = match name.split_once('.') {
        Some((module, update)) if text_width(name, SIZE) > room => vec![(module, SMALL), (update, SIZE)],
        _ => vec![(name, SIZE)],
    };
    // An update without its module would be ambiguous.
    parts.into_iter().map_while(|(text, size)| Some((fit(text, size, room)?, size))).collect()
}

fn draw_legend(page: &mut Page) {
    let mut x = MARGIN;
    let mut entry = |page: &mut Page, sample: String, text: &str| {
        page.line(sample);
        page.line(format_args!(r#"<text x="{}" y="100" font-size="12" fill="{MUTED}">{text}</text>"#, x + 34.0));
        x += text_width(text, 12.0) + 70.0;
        x
    };
    let next =
        entry(page, format!(r#"<rect x="{MARGIN}" y="93" width="26" height="5" fill="{CRITICAL}"/>"#), "critical path");
    let sample = format!(r#"<path d="M{next} 96h26" stroke="{INK}" stroke-width="1.4" stroke-dasharray="6 4"/>"#);
    entry(page, sample, "no schedule can end earlier");
}

fn draw_scale(page: &mut Page, schedule: &Schedule, x: &impl Fn(Duration) -> f64) {
    let bottom = TOP + ROW * schedule.workers as f64;
    let step = tick_step(schedule.makespan);
    let ticks = schedule.makespan.as_nanos().checked_div(step.as_nanos()).unwrap_or(0);
    for tick in 0..=u32::try_from(ticks).unwrap_or(0) {
        let time = step * tick;
        let at = x(time);
        page.line(format_args!(
            r#"<path d="M{at:.1} {}V{}" stroke="{RULE}" stroke-width=".8"/>"#,
            TOP - 8.0,
            bottom + 4.0
        ));
        let unit = if tick == 0 { " ms" } else { "" };
        page.line(format_args!(
            r#"<text x="{at:.1}" y="{}" font-size="12" fill="{MUTED}" text-anchor="middle">{}{unit}</text>"#,
            bottom + 20.0,
            trimmed(time.as_secs_f64() * 1e3, 4)
        ));
    }
}

/// Returns a round time, so that there are about ten ticks.
pub(super) fn tick_step(span: Duration) -> Duration {
    Duration::from_nanos(round_step(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX), 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_never_named_by_its_update_alone() {
        let name = "BallCandidates.upper";
        let lines = |room| label(name, room).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines(200.0), [name]);
        assert_eq!(lines(100.0), ["BallCandidates", "upper"]);
        assert_eq!(lines(50.0), ["BallCan…", "upper"]);
        assert!(lines(25.0).is_empty());
    }
}
