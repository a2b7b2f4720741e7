//! The topics, services and other channels of messages.

use ratatui::style::{Color, Modifier};

use super::{Frame, rate};
use crate::top::rates::{Counted, Rates};
use crate::top::table::{Cell, Column, Table};

pub fn table(frame: &Frame, rates: &Rates) -> Table {
    let columns = [
        Column::name(" topic", 99),
        Column::figure("per s", 90),
        Column::figure("sent", 70),
        Column::figure("waiting", 60),
        Column::figure("lost", 80),
    ];
    let rows = frame.channels.iter().map(|channel| {
        [
            Cell::text(format!(" {}", channel.name)).style(Modifier::BOLD),
            rate(rates.rate(&Counted::Messages { channel: channel.name.clone() })),
            Cell::number(channel.sent as f64, hemiola_words::grouped(channel.sent)),
            Cell::count(channel.waiting, Color::Reset),
            Cell::count(channel.lost, Color::Yellow),
        ]
    });
    Table::new(columns, rows)
}
