//! The help for keys.

use ratatui::Frame as Canvas;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

use super::Ends;

const KEYS: [(&str, &str); 6] = [
    ("tab, ← →, 1-7", "another tab"),
    ("↑ ↓, page up, page down", "select a row"),
    ("s", "sort by the next column"),
    ("S", "reverse the order"),
    ("Ctrl-L", "redraw everything"),
    ("?", "this help"),
];

const FIGURES: [&str; 5] = [
    "Bars: solid to the mean, thin to p99, a dot at the maximum, an arrow",
    "above the limit. Times are in milliseconds, and of the whole run;",
    "rates, CPU and workers are of the last two seconds. CPU is a share",
    "of one core. `bound`: the time is not exceeded if tasks take no",
    "longer than was measured; red where it was exceeded.",
];

/// Draws the help over everything else.
pub fn draw(canvas: &mut Canvas<'_>, area: Rect, ends: Ends, more: &[(&'static str, &'static str)]) {
    let end = match ends {
        Ends::View => ("q", "quit; the robot keeps running"),
        Ends::Robot => ("q q, Ctrl-C", "end the robot"),
    };
    let keys = more.iter().chain(&KEYS).chain([&end]);
    let width = keys.clone().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<_> = keys.map(|(key, what)| Line::raw(format!(" {key:width$}  {what}"))).collect();
    lines.push(Line::raw(""));
    lines.extend(FIGURES.iter().map(|line| Line::raw(format!(" {line}"))));
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let area = area.centered(Constraint::Max(74), Constraint::Max(height));
    canvas.render_widget(Clear, area);
    canvas.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys ")), area);
}
