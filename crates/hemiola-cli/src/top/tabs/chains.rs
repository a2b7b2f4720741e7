//! The chains from each sensor to each output, with their reaction times and data ages.

use ratatui::style::Modifier;

use super::{Frame, bound, rate, time};
use crate::top::rates::{Counted, Rates};
use crate::top::table::{Cell, Column, Table};

pub fn table(frame: &Frame, rates: &Rates) -> Table {
    let columns = [
        Column::name(" from", 99),
        Column::name("to", 98),
        Column::figure("reaction", 70),
        Column::figure("p99", 80),
        Column::figure("max", 90),
        Column::figure("bound", 85),
        Column::figure("age", 50),
        Column::figure("p99", 60),
        Column::figure("max", 75),
        Column::figure("bound", 65),
        Column::figure("outputs/s", 40),
    ];
    let rows = frame.report.chains.iter().map(|chain| {
        let key = (chain.source.clone(), chain.output.clone());
        let (reaction, age) = (&chain.reaction, &chain.data_age);
        let (source, output) = key.clone();
        [
            Cell::text(format!(" {source}")).style(Modifier::BOLD),
            Cell::text(&output),
            time(reaction.mean, reaction.count),
            time(reaction.p99, reaction.count),
            time(reaction.maximum, reaction.count),
            bound(frame.bounds.reactions.get(&key), reaction.maximum),
            time(age.mean, age.count),
            time(age.p99, age.count),
            time(age.maximum, age.count),
            bound(frame.bounds.data_ages.get(&key), age.maximum),
            rate(rates.rate(&Counted::Arrivals { source, output })),
        ]
    });
    Table::new(columns, rows)
}
