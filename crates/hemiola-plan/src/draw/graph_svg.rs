//! A task graph as a self-contained SVG picture.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

use hemiola_words::svg::palette::{self, CRITICAL, INK, MUTED, RULE};
use hemiola_words::svg::{Page, bold_width, escape, text_width};
use hemiola_words::{counted, duration};

use super::layout::{Flow, Request, layout};
use super::legend::Legend;
use super::{Colour, MARGIN, TOP, page};
use crate::durations::Durations;
use crate::graph::{Edge, Reason, TaskGraph};
use crate::task::TaskId;

const HEIGHT: f64 = 36.0;
/// Pictures that would be wider than this, in heights, flow down instead of to the right: deep
/// graphs become portraits.
const WIDEST: f64 = 4.0;

/// Draws a graph as SVG: layers from left to right (from top to bottom if that would be a mere
/// strip), only the edges that are not implied by others, the critical path in red, durations where
/// any is known. Names, durations and reasons appear under the pointer.
///
/// ```
/// use hemiola_plan::{Durations, TaskGraph, draw};
/// let graph = TaskGraph::plain("fork", 3, [(0, 1), (0, 2)]).unwrap();
/// let picture = draw::graph_svg(&graph, &Durations::unknown(3), draw::Colour::Module);
/// assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
/// ```
pub fn graph_svg(graph: &TaskGraph, durations: &Durations, colour: Colour) -> String {
    let tasks = graph.tasks();
    let reduced = graph.reduced();
    let critical = graph.critical_path(durations);
    let on_path: BTreeSet<TaskId> = critical.tasks.iter().copied().collect();
    let path_edges: BTreeSet<(TaskId, TaskId)> = critical.tasks.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let labels: Vec<Label> = (0..tasks.len()).map(|task| Label::new(graph, durations, TaskId(task as u32))).collect();

    let sizes: Vec<_> = labels.iter().map(|label| (label.width(), HEIGHT)).collect();
    let weigh = |&(from, to): &(TaskId, TaskId)| {
        (from.index(), to.index(), if path_edges.contains(&(from, to)) { 8.0 } else { 1.0 })
    };
    let edges: Vec<_> = reduced.iter().map(weigh).collect();
    let order = graph.order_indices();
    let place = |flow, gaps| layout(&Request { sizes: &sizes, edges: &edges, order: &order, gaps }, flow);
    let (mut flow, mut placed) = (Flow::Right, place(Flow::Right, (54.0, 13.0, 7.0)));
    if placed.width > WIDEST * placed.height && tasks.len() > 10 {
        (flow, placed) = (Flow::Down, place(Flow::Down, (34.0, 16.0, 9.0)));
    }

    let work: Duration = (0..tasks.len()).map(|task| durations.expected(TaskId(task as u32))).sum();
    let edge_count = graph.edges().map(|edge| (edge.from, edge.to)).collect::<BTreeSet<_>>().len();
    let mut facts = format!(
        "{} · {}, {} of them drawn, the others follow from these · {} can run at once · critical path of {}",
        counted(tasks.len() as u64, "task"),
        counted(edge_count as u64, "dependency"),
        reduced.len(),
        graph.width(),
        counted(critical.tasks.len() as u64, "task")
    );
    if durations.any_known() {
        let _ = write!(facts, ", {} of {} of work", duration(critical.duration), duration(work));
    }
    let legend = Legend::new(colour, durations, graph);
    let width =
        (placed.width + 2.0 * MARGIN).max(text_width(&facts, 14.0) + 2.0 * MARGIN).max(legend.width() + 2.0 * MARGIN);
    let mut page = page(width, placed.height + TOP + MARGIN, graph.name(), &facts);
    legend.draw(&mut page);

    page.line(format_args!(r#"<g transform="translate({:.1} {TOP})">"#, (width - placed.width) / 2.0));
    let reasons = reasons(graph);
    // The critical path is drawn last, so that nothing covers it.
    for drawing_path in [false, true] {
        for (edge, points) in reduced.iter().zip(&placed.edges) {
            if path_edges.contains(edge) == drawing_path {
                draw_edge(&mut page, graph, *edge, &curve(points, flow), &reasons, drawing_path);
            }
        }
    }
    let longest = (0..tasks.len()).map(|task| durations.expected(TaskId(task as u32))).max().unwrap_or_default();
    for (index, label) in labels.iter().enumerate() {
        let task = TaskId(index as u32);
        let fill = match colour {
            Colour::Share => palette::heat(share(durations.expected(task), longest)),
            Colour::Module => legend.category(graph, task),
        };
        label.draw(&mut page, placed.nodes[index], sizes[index].0, &fill, on_path.contains(&task));
    }
    page.line("</g>");
    page.finish()
}

/// The share of the longest duration on a square-root scale, so that middling tasks differ from
/// tiny ones beside a giant.
fn share(duration: Duration, longest: Duration) -> f64 {
    if longest.is_zero() { 0.0 } else { (duration.as_secs_f64() / longest.as_secs_f64()).sqrt() }
}

fn reasons(graph: &TaskGraph) -> BTreeMap<(TaskId, TaskId), Vec<&Edge>> {
    let mut reasons: BTreeMap<_, Vec<&Edge>> = BTreeMap::new();
    graph.edges().for_each(|edge| reasons.entry((edge.from, edge.to)).or_default().push(edge));
    reasons
}

/// Draws a smooth line through the layers that an edge passes. Inside a layer it is straight and
/// leans a little in its direction, so that a long edge drifts instead of forming steps, and still
/// keeps clear of the tasks beside it.
fn curve(points: &[(f64, f64)], flow: Flow) -> String {
    const LEAN: f64 = 7.0;
    // Coordinates are along and across the flow; they are swapped if the flow is down.
    let mirror = |(x, y): (f64, f64)| if flow == Flow::Right { (x, y) } else { (y, x) };
    let mut points: Vec<_> = points.iter().copied().map(mirror).collect();
    let mut slopes = vec![0.0; points.len()];
    for enters in (1..points.len() - 1).step_by(2) {
        let (before, after) = (points[enters - 1], points[enters + 2]);
        let half = (points[enters + 1].0 - points[enters].0) / 2.0;
        let at = points[enters].1;
        let keeps_direction = (before.1 < at) == (at < after.1);
        if half > 0.0 && keeps_direction {
            let lean = ((after.1 - before.1) / (after.0 - before.0) * half).clamp(-LEAN, LEAN);
            points[enters].1 -= lean;
            points[enters + 1].1 += lean;
            (slopes[enters], slopes[enters + 1]) = (lean / half, lean / half);
        }
    }
    let mut path = String::new();
    let mut write = |command: &str, points: &[(f64, f64)]| {
        path += command;
        for &point in points {
            let (x, y) = mirror(point);
            let _ = write!(path, "{x:.1} {y:.1} ");
        }
    };
    write("M", &points[..1]);
    for (index, pair) in points.windows(2).enumerate() {
        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
        let bend = (x2 - x1) / 2.0;
        if index % 2 == 0 {
            write("C", &[(x1 + bend, y1 + bend * slopes[index]), (x2 - bend, y2 - bend * slopes[index + 1]), (x2, y2)]);
        } else {
            write("L", &[(x2, y2)]);
        }
    }
    path.truncate(path.trim_end().len());
    path
}

fn draw_edge(
    page: &mut Page,
    graph: &TaskGraph,
    (from, to): (TaskId, TaskId),
    path: &str,
    reasons: &BTreeMap<(TaskId, TaskId), Vec<&Edge>>,
    critical: bool,
) {
    let why = reasons.get(&(from, to)).map(Vec::as_slice).unwrap_or_default();
    let dashes =
        if why.iter().all(|edge| edge.reason == Reason::SameModule) { r#" stroke-dasharray="5 3""# } else { "" };
    let (stroke, width) = if critical { (CRITICAL, 2.6) } else { (RULE, 1.3) };
    let why: Vec<String> = why.iter().map(|edge| edge.reason.to_string()).filter(|reason| !reason.is_empty()).collect();
    let title = format!("{} → {}\n{}", graph.task(from).name, graph.task(to).name, why.join(", "));
    page.line(format_args!(
        r#"<g class="e"><path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width}"{dashes}/><path d="{path}" fill="none" stroke="transparent" stroke-width="9"/><title>{}</title></g>"#,
        escape(title.trim_end())
    ));
}

/// A task as it appears: a small line with its module, a larger one with its update, its duration.
struct Label {
    above: String,
    name: String,
    duration: Option<String>,
    title: String,
    is_output: bool,
}

impl Label {
    fn new(graph: &TaskGraph, durations: &Durations, id: TaskId) -> Self {
        let task = graph.task(id);
        let (above, name) = match (&task.module, task.name.split_once('.')) {
            (Some(_), Some((module, update))) => (module.to_string(), update.to_string()),
            _ => (String::new(), task.name.clone()),
        };
        let duration = durations.get(id).mean().map(duration);
        let mut title = task.name.clone();
        if let Some(duration) = &duration {
            let _ = write!(title, "\ntakes {duration}");
        }
        let reads: Vec<String> =
            graph.dependencies().iter().filter(|edge| edge.to == id).map(|edge| edge.reason.to_string()).collect();
        let mut reads: Vec<&str> =
            reads.iter().flat_map(|reads| reads.split(", ")).filter(|name| !name.is_empty()).collect();
        reads.sort_unstable();
        reads.dedup();
        if !reads.is_empty() {
            let _ = write!(title, "\nwaits for {}", reads.join(", "));
        }
        Self { above, name, duration, title, is_output: task.is_output }
    }

    fn width(&self) -> f64 {
        let duration = self.duration.as_ref().map_or(0.0, |duration| text_width(duration, 10.0) + 12.0);
        let above = text_width(&self.above, 9.5) + if self.above.is_empty() { 0.0 } else { duration };
        let name = bold_width(&self.name, 13.0) + if self.above.is_empty() { duration } else { 0.0 };
        above.max(name) + 22.0
    }

    fn draw(&self, page: &mut Page, (x, y): (f64, f64), width: f64, (fill, border): &(String, String), critical: bool) {
        let (stroke, thickness) = if critical { (CRITICAL, 2.2) } else { (border.as_str(), 1.0) };
        let radius = if self.is_output { HEIGHT / 2.0 } else { 6.0 };
        page.line(format_args!(
            r#"<g class="t" transform="translate({x:.1} {y:.1})"><title>{}</title>"#,
            escape(&self.title)
        ));
        page.line(format_args!(
            r#"<rect width="{width:.1}" height="{HEIGHT}" rx="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="{thickness}"/>"#
        ));
        let middle = if self.above.is_empty() { HEIGHT / 2.0 + 4.5 } else { HEIGHT - 9.0 };
        if !self.above.is_empty() {
            page.line(format_args!(
                r#"<text x="11" y="13" font-size="9.5" fill="{MUTED}">{}</text>"#,
                escape(&self.above)
            ));
        }
        page.line(format_args!(
            r#"<text x="11" y="{middle}" font-size="13" font-weight="600">{}</text>"#,
            escape(&self.name)
        ));
        if let Some(duration) = &self.duration {
            let y = if self.above.is_empty() { middle - 0.5 } else { 13.0 };
            page.line(format_args!(
                r#"<text x="{:.1}" y="{y}" font-size="10" text-anchor="end" fill="{INK}" fill-opacity=".75">{}</text>"#,
                width - 9.0,
                escape(duration)
            ));
        }
        page.line("</g>");
    }
}
