//! The lines around a tab.

use ratatui::Frame as Canvas;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::table::QUIET;
use super::{Ends, Frame, Tab};

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws ` nao  12.3 s  real time  recording logs/nao-3.mcap`.
pub fn draw_head(canvas: &mut Canvas<'_>, area: Rect, frame: &Frame) {
    let mut spans = vec![
        Span::styled(format!(" {}", frame.robot), BOLD),
        Span::raw(format!("  {:.1} s", frame.now.seconds())),
        Span::styled(format!("  {}", frame.pace), QUIET),
    ];
    if let Some(file) = &frame.recording {
        spans.push(Span::styled("  ● ", Style::new().fg(Color::Red)));
        spans.push(Span::raw(file.clone()));
    }
    if !frame.missing.is_empty() {
        let text = format!("  without {}", frame.missing.join(", "));
        spans.push(Span::styled(text, Style::new().fg(Color::Red)));
    }
    if frame.exceedances > 0 {
        let text = format!("  bounds exceeded {} times", frame.exceedances);
        spans.push(Span::styled(text, Style::new().fg(Color::Yellow)));
    }
    if frame.report.lost_events > 0 {
        let text = format!("  {} events were lost and are not in the figures", frame.report.lost_events);
        spans.push(Span::styled(text, Style::new().fg(Color::Red)));
    }
    canvas.render_widget(Line::from(spans), area);
}

/// Draws the safe state, which nobody may overlook.
pub fn draw_alarm(canvas: &mut Canvas<'_>, area: Rect, frame: &Frame) {
    let Some(reason) = &frame.safe_state else { return };
    let alarm = Style::new().fg(Color::White).bg(Color::Red).add_modifier(Modifier::BOLD);
    let line = Line::from(vec![
        Span::raw(" "),
        Span::styled(" SAFE STATE ", alarm),
        Span::styled(format!(" {reason}"), Style::new().fg(Color::Red)),
        Span::styled("; it lasts until: safe-state leave", QUIET),
    ]);
    canvas.render_widget(line, area);
}

pub fn draw_tabs(canvas: &mut Canvas<'_>, area: Rect, shown: Tab) {
    let label = |(index, tab): (usize, Tab), is_numbered: bool| {
        let style = if tab == shown { BOLD.add_modifier(Modifier::REVERSED) } else { QUIET };
        let number = if is_numbered { format!("{} ", index + 1) } else { String::new() };
        Span::styled(format!(" {number}{} ", tab.name()), style)
    };
    let tabs = |is_numbered| Line::from_iter(Tab::ALL.into_iter().enumerate().map(|tab| label(tab, is_numbered)));
    let numbered: Line<'_> = tabs(true);
    let is_narrow = numbered.width() > usize::from(area.width);
    canvas.render_widget(if is_narrow { tabs(false) } else { numbered }, area);
}

pub fn draw_foot(canvas: &mut Canvas<'_>, area: Rect, ends: Ends, asks: bool) {
    let line = match (ends, asks) {
        (Ends::Robot, true) => Line::styled(
            " q again: end the robot, any other key: continue",
            Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
        ),
        (Ends::Robot, false) => {
            Line::styled(" ?: help   tab, 1-7: another tab   s: sort   q, Ctrl-C: end the robot", QUIET)
        }
        (Ends::View, _) => Line::styled(" ?: help   tab, 1-7: another tab   s: sort   q: quit", QUIET),
    };
    canvas.render_widget(line, area);
}
