//! The sources of samples.

use ratatui::style::{Color, Modifier};

use super::{Frame, rate, time};
use crate::top::rates::{Counted, Rates};
use crate::top::table::{Cell, Column, Table};

pub fn table(frame: &Frame, rates: &Rates) -> Table {
    let columns = [
        Column::name(" source", 99),
        Column::figure("samples/s", 90),
        Column::figure("samples", 70),
        Column::figure("dropped", 80),
        Column::figure("mean", 60),
        Column::figure("p99", 50),
        Column::figure("max", 65),
    ];
    let rows = frame.report.sources.iter().map(|source| {
        let dropped = frame.report.cycles.iter().filter_map(|cycle| cycle.dropped_inputs.get(&source.name));
        let execution = &source.execution;
        [
            Cell::text(format!(" {}", source.name)).style(Modifier::BOLD),
            rate(rates.rate(&Counted::Samples { source: source.name.clone() })),
            Cell::number(execution.count as f64, hemiola_words::grouped(execution.count)),
            Cell::count(dropped.sum(), Color::Yellow),
            time(execution.mean, execution.count),
            time(execution.p99, execution.count),
            time(execution.maximum, execution.count),
        ]
    });
    Table::new(columns, rows)
}
