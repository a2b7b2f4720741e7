//! Draws timelines as SVG.

use super::{Lane, RunSpan, Slice, Timeline};
use hemiola_words::svg::palette::hsl;
use hemiola_words::svg::{Page, bold_width, escape, fit, round_step, shortened, text_width};
use hemiola_words::trimmed;
use std::fmt::{self, Write};

/// Draws the picture as a document `width` pixels wide.
pub(super) fn draw(timeline: &Timeline, width: u32) -> String {
    let layout = Layout::of(timeline, f64::from(width));
    let mut page = Page::new(layout.width, layout.height);
    // Writing to a string cannot fail.
    let _ = document(&mut page, timeline, &layout);
    page.finish()
}

fn document(out: &mut Page, timeline: &Timeline, layout: &Layout) -> fmt::Result {
    let height = layout.height;
    writeln!(
        out,
        r##"<defs>
<pattern id="preempted" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#fff" fill-opacity=".62"/><rect width="1.6" height="5" fill="#475569" fill-opacity=".55"/></pattern>
<clipPath id="plot"><rect x="{}" y="0" width="{}" height="{height}"/></clipPath>
</defs>
<style>
.title {{ font-size: 17px; font-weight: 700; fill: #0f172a }}
.name {{ font-size: 14px; font-weight: 700 }}
.note {{ font-size: 11px; fill: #64748b }}
.axis {{ font-size: 11px; fill: #64748b; text-anchor: middle }}
.task {{ font-size: 10.5px; paint-order: stroke; stroke-width: 3; stroke-linejoin: round }}
.two {{ font-size: 9.5px }}
.span {{ font-size: 10.5px; font-weight: 600 }}
</style>"##,
        layout.left,
        layout.right - layout.left,
    )?;
    out.ground(10.0, "#fff");
    header(out, timeline, layout)?;
    for (index, lane) in timeline.lanes.iter().enumerate() {
        background(out, layout, lane, index)?;
    }
    axis(out, timeline, layout)?;
    for (index, lane) in timeline.lanes.iter().enumerate() {
        runs(out, timeline, layout, lane, index)?;
        rows(out, timeline, layout, lane, index)?;
    }
    handovers(out, timeline, layout)?;
    cores(out, timeline, layout)
}

/// Draws the heading and the legend.
fn header(out: &mut Page, timeline: &Timeline, layout: &Layout) -> fmt::Result {
    let length = milliseconds(timeline.end.saturating_sub(timeline.begin));
    let title = escape(&timeline.process);
    let separator = if timeline.remark.is_empty() { "" } else { " · " };
    let remark = escape(&timeline.remark);
    writeln!(
        out,
        r##"<text class="title" x="{MARGIN}" y="30">{title}<tspan dx="10" font-weight="400" font-size="12" fill="#64748b">{length} ms of its schedule{separator}{remark}</tspan></text>"##,
    )?;
    let items = ["trigger", "deadline", "preempted", "publish → take"];
    let mut x = layout.right;
    for item in items.into_iter().rev() {
        x -= text_width(item, 11.0);
        writeln!(out, r##"<text class="note" x="{x:.1}" y="29">{item}</text>"##)?;
        x -= 20.0;
        match item {
            "trigger" => trigger_mark(out, x + 9.0, 20.5, "#334155")?,
            "deadline" => deadline_mark(out, x + 9.0, 30.0, LATE)?,
            "preempted" => writeln!(
                out,
                r##"<rect x="{x:.1}" y="20" width="15" height="11" rx="2.5" fill="#93c5fd"/><rect x="{x:.1}" y="20" width="15" height="11" rx="2.5" fill="url(#preempted)"/>"##
            )?,
            _ => writeln!(
                out,
                r##"<path d="M{x:.1} 30 q7 -13 14 -2" fill="none" stroke="#334155" stroke-width="1.3"/><circle cx="{:.1}" cy="28" r="2" fill="#334155"/>"##,
                x + 14.0
            )?,
        }
        x -= 14.0;
    }
    Ok(())
}

fn background(out: &mut Page, layout: &Layout, lane: &Lane, index: usize) -> fmt::Result {
    let (top, height) = (layout.lane_top[index], layout.lane_height(lane));
    let hue = hue_of(index);
    writeln!(
        out,
        r##"<rect x="{MARGIN}" y="{top:.1}" width="{:.1}" height="{height:.1}" rx="7" fill="{}"/><text class="name" x="{:.1}" y="{:.1}" fill="{}">{}</text>"##,
        layout.right - MARGIN,
        hsl(hue, 0.45, 0.965),
        MARGIN + 10.0,
        top + 17.0,
        hsl(hue, 0.65, 0.30),
        escape(&shortened(&lane.name, 14.0, 96.0)),
    )?;
    let rate = lane.period.map(|period| format!("{:.0} Hz", 1.0 / period.as_secs_f64()));
    let deadline = lane.deadline.map(|deadline| format!("{:.0} ms", deadline.as_secs_f64() * 1e3));
    let facts: Vec<String> = [rate, deadline].into_iter().flatten().collect();
    writeln!(
        out,
        r##"<text class="note" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"##,
        layout.left - 10.0,
        top + 17.0,
        facts.join(" · "),
    )?;
    for (row, entry) in lane.rows.iter().enumerate() {
        let y = layout.row_top(index, row);
        writeln!(
            out,
            r##"<rect x="{:.1}" y="{y:.1}" width="{:.1}" height="{ROW}" rx="4" fill="#fff" fill-opacity=".7"/><text class="note" x="{:.1}" y="{:.1}">{}</text>"##,
            layout.left,
            layout.right - layout.left - 6.0,
            MARGIN + 10.0,
            y + ROW / 2.0 + 4.0,
            escape(&entry.label),
        )?;
    }
    Ok(())
}

fn axis(out: &mut Page, timeline: &Timeline, layout: &Layout) -> fmt::Result {
    let span = timeline.end.saturating_sub(timeline.begin).max(1);
    let step = round_step(span, ((layout.right - layout.left) / 70.0) as u64);
    let bottom = layout.height - 26.0;
    let mut time = 0;
    while time <= span {
        let x = layout.x(timeline, timeline.begin + time);
        writeln!(
            out,
            r##"<path d="M{x:.1} {HEADER} V{bottom:.1}" stroke="#94a3b8" stroke-opacity=".28"/><text class="axis" x="{x:.1}" y="{:.1}">{}</text>"##,
            bottom + 15.0,
            milliseconds(time),
        )?;
        time += step;
    }
    writeln!(out, r##"<text class="note" x="{:.1}" y="{:.1}">time in ms</text>"##, MARGIN + 10.0, bottom + 15.0)
}

/// Draws the bars from trigger to end, and the marks of triggers and deadlines.
fn runs(out: &mut Page, timeline: &Timeline, layout: &Layout, lane: &Lane, index: usize) -> fmt::Result {
    let (top, height) = (layout.lane_top[index], layout.lane_height(lane));
    let colour = hsl(hue_of(index), 0.55, 0.42);
    writeln!(out, r##"<g clip-path="url(#plot)">"##)?;
    for (position, run) in lane.runs.iter().enumerate() {
        let end = run.end.unwrap_or(timeline.end).min(timeline.end);
        if let Some(deadline) = run.deadline.filter(|&deadline| layout.shows(timeline, deadline, deadline)) {
            let x = layout.x(timeline, deadline);
            writeln!(
                out,
                r##"<path d="M{x:.1} {:.1} V{:.1}" stroke="{LATE}" stroke-width="1.2" stroke-dasharray="3 3" stroke-opacity=".8"/>"##,
                top + 4.0,
                top + height - 7.0,
            )?;
            deadline_mark(out, x, top + height - 1.0, LATE)?;
        }
        if layout.shows(timeline, run.trigger, end) {
            let (begin_x, end_x) = (layout.x(timeline, run.trigger), layout.x(timeline, end));
            let colour = if run.is_late() { LATE } else { &colour };
            writeln!(
                out,
                r##"<path d="M{begin_x:.1} {:.1} H{end_x:.1}" stroke="{colour}" stroke-width="3" stroke-linecap="round"><title>{}</title></path>"##,
                top + 12.0,
                run_title(lane, run),
            )?;
            if let Some(end) = run.end.filter(|&end| end <= timeline.end) {
                let label = format!("{} ms", milliseconds(end.saturating_sub(run.trigger)));
                let (label_x, next) = (end_x + 6.0, lane.runs.get(position + 1));
                let room =
                    next.map_or(layout.right, |next| layout.x(timeline, next.trigger).min(layout.right)) - label_x;
                if bold_width(&label, 10.5) <= room {
                    writeln!(
                        out,
                        r##"<text class="span" x="{label_x:.1}" y="{:.1}" fill="{colour}">{label}</text>"##,
                        top + 16.0,
                    )?;
                }
            }
            trigger_mark(out, begin_x, top + 2.0, colour)?;
        }
    }
    writeln!(out, "</g>")
}

fn rows(out: &mut Page, timeline: &Timeline, layout: &Layout, lane: &Lane, index: usize) -> fmt::Result {
    let mut modules: Vec<&str> = Vec::new();
    writeln!(out, r##"<g clip-path="url(#plot)">"##)?;
    for (row, entry) in lane.rows.iter().enumerate() {
        let y = layout.row_top(index, row);
        for slice in entry.slices.iter().filter(|slice| layout.shows(timeline, slice.begin, slice.end)) {
            let module = slice.name.split('.').next().unwrap_or_default();
            let shade = modules.iter().position(|known| *known == module).unwrap_or_else(|| {
                modules.push(module);
                modules.len() - 1
            });
            slice_box(out, timeline, layout, slice, y, &Shade::of(index, shade))?;
        }
    }
    writeln!(out, "</g>")
}

fn slice_box(
    out: &mut Page,
    timeline: &Timeline,
    layout: &Layout,
    slice: &Slice,
    row_top: f64,
    shade: &Shade,
) -> fmt::Result {
    let inset = (slice.depth as f64 * 5.0).min(ROW / 3.0);
    let (x, end) = (layout.x(timeline, slice.begin), layout.x(timeline, slice.end));
    let (y, height) = (row_top + inset, ROW - 2.0 * inset);
    let width = (end - x).max(0.8);
    let radius = (width / 3.0).min(3.5);
    // Neighbouring slices are separated by a hairline gap.
    let drawn = (width - 0.7).max(0.8);
    writeln!(
        out,
        r##"<g><title>{}</title><rect x="{x:.2}" y="{y:.1}" width="{drawn:.2}" height="{height:.1}" rx="{radius:.1}" fill="{}"/>"##,
        slice_title(slice),
        shade.fill,
    )?;
    for &(from, to) in &slice.preempted {
        let (from, to) = (layout.x(timeline, from), layout.x(timeline, to));
        writeln!(
            out,
            r##"<rect x="{from:.2}" y="{y:.1}" width="{:.2}" height="{height:.1}" fill="url(#preempted)"/>"##,
            (to - from).max(0.5),
        )?;
    }
    let visible = x.max(layout.left) + 4.0;
    let lines = label(&slice.name, end.min(layout.right) - visible - 3.0);
    let middle = y + height / 2.0 + 3.7;
    let (class, first) = if lines.len() == 2 { ("task two", middle - 5.2) } else { ("task", middle) };
    for (index, line) in lines.iter().enumerate() {
        writeln!(
            out,
            r##"<text class="{class}" x="{visible:.1}" y="{:.1}" fill="{}" stroke="{}">{}</text>"##,
            first + index as f64 * 10.4,
            shade.text,
            shade.fill,
            escape(line),
        )?;
    }
    writeln!(out, "</g>")
}

fn handovers(out: &mut Page, timeline: &Timeline, layout: &Layout) -> fmt::Result {
    writeln!(
        out,
        r##"<g clip-path="url(#plot)" fill="none" stroke="#334155" stroke-width="1.2" stroke-opacity=".75">"##
    )?;
    let mut shown: Vec<(usize, u64, usize)> = Vec::new();
    for handover in &timeline.exchanges {
        let ((from, published), (to, taken)) = (handover.from, handover.to);
        // The path of a snapshot that is read repeatedly is drawn to the first run only.
        if shown.contains(&(from, published, to)) || !layout.shows(timeline, published, taken) {
            continue;
        }
        shown.push((from, published, to));
        let (x1, x2) = (layout.x(timeline, published), layout.x(timeline, taken));
        let down = from < to;
        let y1 = layout.lane_top[from] + if down { layout.lane_height(&timeline.lanes[from]) } else { 12.0 };
        let y2 = layout.lane_top[to] + if down { 0.0 } else { layout.lane_height(&timeline.lanes[to]) };
        let bend = (y2 - y1) * 0.5;
        writeln!(
            out,
            r##"<path d="M{x1:.1} {y1:.1} C{x1:.1} {:.1} {x2:.1} {:.1} {x2:.1} {y2:.1}"/><circle cx="{x2:.1}" cy="{y2:.1}" r="2.4" fill="#334155" stroke="none"/>"##,
            y1 + bend,
            y2 - bend,
        )?;
    }
    writeln!(out, "</g>")
}

/// Draws the occupations of the cores.
fn cores(out: &mut Page, timeline: &Timeline, layout: &Layout) -> fmt::Result {
    for (index, (core, occupations)) in timeline.cores.iter().enumerate() {
        let y = layout.cores_top + index as f64 * (STRIP + 4.0);
        writeln!(
            out,
            r##"<text class="note" x="{:.1}" y="{:.1}">core {}</text><rect x="{:.1}" y="{y:.1}" width="{:.1}" height="{STRIP}" rx="3" fill="#f1f5f9"/><g clip-path="url(#plot)">"##,
            MARGIN + 10.0,
            y + STRIP - 2.0,
            core.0,
            layout.left,
            layout.right - layout.left,
        )?;
        for occupation in occupations.iter().filter(|other| layout.shows(timeline, other.begin, other.end)) {
            let (x, end) = (layout.x(timeline, occupation.begin), layout.x(timeline, occupation.end));
            writeln!(
                out,
                r##"<rect x="{x:.2}" y="{y:.1}" width="{:.2}" height="{STRIP}" fill="{}"/>"##,
                (end - x).max(0.4),
                hsl(hue_of(occupation.lane), 0.55, 0.62),
            )?;
        }
        writeln!(out, "</g>")?;
    }
    Ok(())
}

/// The positions in the picture, in pixels.
struct Layout {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    lane_top: Vec<f64>,
    cores_top: f64,
    scale: f64,
}

const MARGIN: f64 = 14.0;
const GUTTER: f64 = 176.0;
const HEADER: f64 = 46.0;
const ROW: f64 = 27.0;
const ROW_GAP: f64 = 4.0;
/// The space over a lane's rows, for the bars of its runs.
const LANE_HEAD: f64 = 25.0;
const LANE_FOOT: f64 = 9.0;
const LANE_GAP: f64 = 9.0;
const STRIP: f64 = 12.0;
const LATE: &str = "#dc2626";

impl Layout {
    fn of(timeline: &Timeline, width: f64) -> Self {
        let (left, right) = (MARGIN + GUTTER, width - MARGIN);
        let mut y = HEADER;
        let mut lane_top = Vec::new();
        for lane in &timeline.lanes {
            lane_top.push(y);
            y += lane_height(lane) + LANE_GAP;
        }
        let cores_top = y + 2.0;
        let height = cores_top + timeline.cores.len() as f64 * (STRIP + 4.0) + 34.0;
        let span = timeline.end.saturating_sub(timeline.begin).max(1);
        Self { width, height, left, right, lane_top, cores_top, scale: (right - left) / span as f64 }
    }

    fn x(&self, timeline: &Timeline, time: u64) -> f64 {
        self.left + (time as f64 - timeline.begin as f64) * self.scale
    }

    fn shows(&self, timeline: &Timeline, begin: u64, end: u64) -> bool {
        begin <= timeline.end && end >= timeline.begin
    }

    fn lane_height(&self, lane: &Lane) -> f64 {
        lane_height(lane)
    }

    fn row_top(&self, lane: usize, row: usize) -> f64 {
        self.lane_top[lane] + LANE_HEAD + row as f64 * (ROW + ROW_GAP)
    }
}

fn lane_height(lane: &Lane) -> f64 {
    LANE_HEAD + lane.rows.len().max(1) as f64 * (ROW + ROW_GAP) - ROW_GAP + LANE_FOOT
}

/// The colours of a module's tasks: the hue of the cycle, slightly rotated.
struct Shade {
    fill: String,
    text: String,
}

impl Shade {
    fn of(lane: usize, module: usize) -> Self {
        let hue = hue_of(lane) + ((module * 17) % 44) as f64 - 22.0;
        let lightness = 0.70 + (module * 3 % 4) as f64 * 0.035;
        Self { fill: hsl(hue, 0.62, lightness), text: hsl(hue, 0.75, 0.17) }
    }
}

/// Returns the hue of a lane: blue, pink, amber, green, violet; then around the circle by the
/// golden angle.
fn hue_of(lane: usize) -> f64 {
    const FIRST: [f64; 5] = [212.0, 328.0, 38.0, 152.0, 268.0];
    FIRST.get(lane).copied().unwrap_or(lane as f64 * 137.508)
}

fn trigger_mark(out: &mut Page, x: f64, y: f64, colour: &str) -> fmt::Result {
    writeln!(out, r##"<path d="M{:.1} {y:.1} h8 l-4 7 z" fill="{colour}"/>"##, x - 4.0)
}

fn deadline_mark(out: &mut Page, x: f64, y: f64, colour: &str) -> fmt::Result {
    writeln!(out, r##"<path d="M{:.1} {y:.1} h8 l-4 -7 z" fill="{colour}"/>"##, x - 4.0)
}

fn run_title(lane: &Lane, run: &RunSpan) -> String {
    let response = run.end.map_or("not ended".to_owned(), |end| format!("{} ms", milliseconds(end - run.trigger)));
    let verdict = if run.is_late() { ", late" } else { "" };
    escape(&format!("{} run {}: {response}{verdict}", lane.name, run.number))
}

fn slice_title(slice: &Slice) -> String {
    let preempted: u64 = slice.preempted.iter().map(|(from, to)| to - from).sum();
    let note = if preempted > 0 { format!(", preempted {} µs", preempted / 1_000) } else { String::new() };
    escape(&format!(
        "{}: {} µs after {} µs of queueing{note}, run {}",
        slice.name,
        (slice.end - slice.begin) / 1_000,
        slice.begin.saturating_sub(slice.ready) / 1_000,
        slice.run,
    ))
}

/// Returns as much of a task's name as fits: all of it, module over update, the module, the
/// beginning of the module, or nothing.
fn label(name: &str, room: f64) -> Vec<String> {
    const SIZE: f64 = 10.5;
    const SMALL: f64 = 9.5;
    if text_width(name, SIZE) <= room {
        return vec![name.to_owned()];
    }
    let (module, update) = name.split_once('.').unwrap_or((name, ""));
    if !update.is_empty() && text_width(module, SMALL).max(text_width(update, SMALL)) <= room {
        return vec![module.to_owned(), update.to_owned()];
    }
    fit(module, SIZE, room).into_iter().collect()
}

/// Formats milliseconds with the significant decimals.
fn milliseconds(nanoseconds: u64) -> String {
    trimmed(nanoseconds as f64 / 1e6, 2)
}
