//! The messages for people, the newest at the end.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::{Frame, quiet};
use crate::top::notes::{Kind, Note};
use crate::top::table::{Cell, Column, Position, QUIET, Table};

/// Draws all messages, and the selected one in full.
pub fn draw(canvas: &mut ratatui::Frame<'_>, area: Rect, frame: &Frame, position: &mut Position) {
    let columns =
        [Column::figure("time", 50), Column::name("", 60), Column::rest("message", 99), Column::figure("times", 40)];
    let rows = frame.notes.iter().map(|note| {
        let times = if note.count > 1 { note.count.to_string() } else { String::new() };
        [
            quiet(&format!("{:.1} s", note.time.seconds())),
            Cell::text(name(note.kind)).style(style(note.kind)),
            Cell::text(&note.text),
            Cell::number(note.count as f64, times),
        ]
    });
    let table = Table::new(columns, rows);
    let selected = position.selected().and_then(|selected| frame.notes.iter().nth(selected));
    let whole = u16::from(selected.is_some()) * WHOLE.min(area.height / 2);
    let [list, whole] = Layout::vertical([Constraint::Min(0), Constraint::Length(whole)]).areas(area);
    position.follow_end(frame.notes.iter().len(), list.height);
    table.draw(canvas, list, position);
    if let Some(note) = selected {
        canvas.render_widget(Paragraph::new(note.text.as_str()).wrap(Wrap { trim: true }), whole);
    }
}

/// The number of lines for the selected message.
const WHOLE: u16 = 4;

/// Draws as many of the newest messages as fit.
pub fn draw_newest(canvas: &mut ratatui::Frame<'_>, area: Rect, frame: &Frame) {
    let room = usize::from(area.height);
    let newest: Vec<&Note> = frame.notes.iter().rev().take(room).collect();
    let hidden = frame.notes.iter().len() - newest.len();
    for (index, (row, note)) in area.rows().zip(newest.into_iter().rev()).enumerate() {
        let times = if note.count > 1 { format!(" ({} times)", note.count) } else { String::new() };
        let mut line = Line::from(vec![
            Span::styled(format!(" {:.1} s ", note.time.seconds()), QUIET),
            Span::styled(format!("{} ", sign(note.kind)), style(note.kind)),
            Span::raw(format!("{}{times}", note.text)),
        ]);
        if index == 0 && hidden > 0 {
            line = Line::styled(format!(" and {} earlier: press 7", hidden + 1), QUIET);
        }
        canvas.render_widget(line, row);
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Information => "note",
        Kind::Warning => "warning",
        Kind::Error => "error",
        Kind::Change => "change",
    }
}

fn sign(kind: Kind) -> &'static str {
    match kind {
        Kind::Information => "·",
        Kind::Warning | Kind::Error => "!",
        Kind::Change => "→",
    }
}

fn style(kind: Kind) -> Style {
    match kind {
        Kind::Information => QUIET,
        Kind::Warning => Style::new().fg(Color::Yellow),
        Kind::Error => Style::new().fg(Color::Red),
        Kind::Change => Style::new().fg(Color::Cyan),
    }
}
