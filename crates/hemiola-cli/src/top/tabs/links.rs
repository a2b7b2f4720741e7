//! The links to other programs: their traffic and peers.

use hemiola_link::LinkStatistics;
use hemiola_words::grouped;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::{Frame, quiet, rate};
use crate::top::rates::{Counted, Rates};
use crate::top::table::{Cell, Column, Position, Table};

/// Draws a row for each topic, representation or service, and below them the last problem of each
/// link.
pub fn draw(canvas: &mut ratatui::Frame<'_>, area: Rect, frame: &Frame, rates: &Rates, position: &mut Position) {
    let problems = frame.links.iter().filter_map(|link| Some(format!(" {}: {}", link.name, link.problem.as_ref()?)));
    let problems: Vec<_> = problems.collect();
    let height = u16::try_from(problems.len()).unwrap_or(u16::MAX).min(area.height / 2);
    let [topics, below] = Layout::vertical([Constraint::Min(0), Constraint::Length(height)]).areas(area);
    table(frame, rates).draw(canvas, topics, position);
    for (row, problem) in below.rows().zip(problems) {
        canvas.render_widget(Line::styled(problem, Style::new().fg(Color::Yellow)), row);
    }
}

fn table(frame: &Frame, rates: &Rates) -> Table {
    let columns = [
        Column::name(" link", 85),
        Column::name("peers", 60),
        Column::name("", 75),
        Column::name("what", 99),
        Column::figure("per s", 90),
        Column::figure("messages", 70),
        Column::figure("bytes", 40),
        Column::figure("skipped", 50),
        Column::figure("lost", 80),
    ];
    Table::new(columns, frame.links.iter().flat_map(|link| rows(link, rates)))
}

fn rows(link: &LinkStatistics, rates: &Rates) -> impl Iterator<Item = [Cell; 9]> {
    let stale: Vec<_> = link.received.iter().filter(|received| received.is_stale).map(|it| it.name.as_str()).collect();
    let sent = link.sent.iter().map(|sent| {
        let lost = sent.dropped + sent.unsendable;
        ("sent", (sent.kind, &sent.name), [sent.messages, sent.bytes, sent.skipped, lost])
    });
    let received = link.received.iter().map(|received| {
        let lost = received.lost.saturating_add(received.unreadable);
        ("received", (received.kind, &received.name), [received.messages, received.bytes, received.overtaken, lost])
    });
    let carried = sent.chain(received).map(|(direction, (kind, name), figures)| {
        (direction, name, Counted::Linked { link: link.name.clone(), kind, name: name.clone() }, figures)
    });
    let served = link.served.iter().map(|service| (true, service));
    let services = served.chain(link.called.iter().map(|service| (false, service))).map(|(is_served, service)| {
        let counted = Counted::Called { link: link.name.clone(), service: service.name.clone(), is_served };
        let figures = [service.calls, 0, 0, service.unanswered.saturating_add(service.refused)];
        (if is_served { "served" } else { "called" }, &service.name, counted, figures)
    });
    let peers: Vec<_> = link.peers.iter().map(|peer| peer.name.as_str()).collect();
    carried.chain(services).map(move |(direction, name, counted, [messages, bytes, skipped, lost])| {
        [
            quiet(&format!(" {}", link.name)),
            if peers.is_empty() { quiet("nobody") } else { Cell::text(peers.join(", ")) },
            quiet(direction),
            if direction == "received" && stale.contains(&name.as_str()) {
                Cell::text(format!("{name} (stale)")).style(Color::Yellow)
            } else {
                Cell::text(name).style(Modifier::BOLD)
            },
            rate(rates.rate(&counted)),
            Cell::number(messages as f64, grouped(messages)),
            Cell::number(bytes as f64, grouped(bytes)),
            Cell::count(skipped, Color::Reset),
            Cell::count(lost, Color::Red),
        ]
    })
}
