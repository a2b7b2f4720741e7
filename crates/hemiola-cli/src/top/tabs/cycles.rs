//! The cycles against their deadlines, the lines of the robot, and the newest messages: the view to
//! leave open.

use hemiola_trace::CycleReport;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::{Frame, messages, rate, share, time};
use crate::top::rates::{Counted, Rates};
use crate::top::table::{Cell, Column, Position, QUIET, Table};

pub fn draw(canvas: &mut ratatui::Frame<'_>, area: Rect, frame: &Frame, rates: &Rates, position: &mut Position) {
    let rows = u16::try_from(frame.report.cycles.len() + 1).unwrap_or(u16::MAX);
    let lines = u16::try_from(frame.lines.len()).unwrap_or(u16::MAX);
    let bus = u16::from(!frame.channels.is_empty());
    let heights = [rows, bus, u16::from(lines > 0), lines].map(Constraint::Length);
    let heights = [heights[0], heights[1], heights[2], heights[3], Constraint::Min(0)];
    let [cycles, bus, _, lines, notes] = Layout::vertical(heights).areas::<5>(area);
    table(frame, rates).draw(canvas, cycles, position);
    canvas.render_widget(traffic(frame, rates), bus);
    for (row, line) in lines.rows().zip(&frame.lines) {
        let plain: String = line.chars().filter(|character| !character.is_control()).collect();
        canvas.render_widget(Line::raw(format!(" {plain}")), row);
    }
    // An empty line separates the messages from the rest.
    messages::draw_newest(
        canvas,
        Rect { y: notes.y + u16::from(notes.height > 0), height: notes.height.saturating_sub(1), ..notes },
        frame,
    );
}

fn table(frame: &Frame, rates: &Rates) -> Table {
    let columns = [
        Column::name(" cycle", 99),
        Column::rest("of the deadline", 88),
        Column::figure("mean", 90),
        Column::figure("p99", 80),
        Column::figure("max", 85),
        Column::figure("deadline", 60),
        Column::figure("bound", 55),
        Column::figure("missed", 95),
        Column::figure("dropped", 70),
        Column::figure("skipped", 40),
        Column::figure("runs/s", 65),
        Column::figure("workers", 30),
        Column::figure("CPU", 68),
    ];
    let mut table = Table::new(columns, frame.report.cycles.iter().map(|cycle| row(cycle, frame, rates)));
    if !frame.processes.is_empty() {
        let process = |cycle: &CycleReport| frame.processes.get(&cycle.name).map_or("", String::as_str);
        table.insert(
            1,
            Column::name("process", 97),
            frame.report.cycles.iter().map(|cycle| Cell::text(process(cycle))),
        );
    }
    table
}

fn row(cycle: &CycleReport, frame: &Frame, rates: &Rates) -> [Cell; 13] {
    let response = &cycle.response;
    let limit = cycle.deadline.or(cycle.period);
    let scale = limit.unwrap_or(response.maximum);
    let colour = match cycle.missed_deadlines {
        0 if response.maximum.saturating_mul(10) > scale.saturating_mul(9) => Color::Yellow,
        0 => Color::Green,
        _ => Color::Red,
    };
    let name = || cycle.name.clone();
    [
        Cell::text(format!(" {}", cycle.name)).style(Modifier::BOLD),
        Cell::bar(scale, [response.mean, response.p99, response.maximum]).style(colour),
        time(response.mean, response.count),
        time(response.p99, response.count),
        time(response.maximum, response.count),
        cycle.deadline.map_or_else(|| Cell::number(0.0, ""), |deadline| time(deadline, 1).style(QUIET)),
        super::bound(frame.bounds.responses.get(&cycle.name), response.maximum),
        Cell::count(cycle.missed_deadlines, Color::Red),
        Cell::count(cycle.dropped_inputs.values().sum(), Color::Yellow),
        Cell::count(cycle.skipped_triggers, Color::Yellow),
        rate(rates.rate(&Counted::Runs { cycle: name() })),
        Cell::number(rates.workers(&cycle.name) as f64, rates.workers(&cycle.name).to_string()),
        share(rates.rate(&Counted::Work { cycle: name() })),
    ]
}

/// Returns the line ` bus  14 per second, 0 waiting, 2 lost`.
fn traffic(frame: &Frame, rates: &Rates) -> Line<'static> {
    let of = |channel: &String| rates.rate(&Counted::Messages { channel: channel.clone() });
    let rate: f64 = frame.channels.iter().map(|channel| of(&channel.name)).sum();
    let waiting: u64 = frame.channels.iter().map(|channel| channel.waiting).sum();
    let lost: u64 = frame.channels.iter().map(|channel| channel.lost).sum();
    let style = if lost == 0 { QUIET } else { Style::new().fg(Color::Yellow) };
    Line::from(vec![
        Span::styled(format!(" bus  {rate:.0} per second, {waiting} waiting, "), QUIET),
        Span::styled(format!("{lost} lost"), style),
    ])
}
