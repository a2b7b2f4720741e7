//! The tasks of the cycles and the callbacks beside them, with their execution times.

use ratatui::style::{Color, Modifier};

use super::{Frame, quiet, rate, share, time};
use crate::top::rates::{Counted, Rates};
use crate::top::table::{Cell, Column, Table};

pub fn table(frame: &Frame, rates: &Rates) -> Table {
    let columns = [
        Column::name(" cycle", 60),
        Column::name("task", 99),
        Column::figure("mean", 90),
        Column::figure("p99", 80),
        Column::figure("max", 85),
        Column::figure("waits p99", 50),
        Column::figure("runs/s", 40),
        Column::figure("CPU", 95),
        Column::figure("failures", 55),
        Column::figure("stale", 45),
    ];
    let tasks = frame.report.cycles.iter().flat_map(|cycle| cycle.tasks.iter().map(|task| (&cycle.name, task)));
    let tasks = tasks.map(|(cycle, task)| {
        let figures = [&task.execution, &task.queueing];
        row(cycle, &task.name, figures, [task.failures, task.stale], rates)
    });
    let callbacks = frame.report.callbacks.iter().map(|callback| {
        let figures = [&callback.execution, &callback.latency];
        row(&callback.executor, &callback.name, figures, [callback.panics, 0], rates)
    });
    Table::new(columns, tasks.chain(callbacks))
}

fn row(
    of: &str,
    task: &str,
    [execution, waiting]: [&hemiola_trace::Summary; 2],
    [failures, stale]: [u64; 2],
    rates: &Rates,
) -> [Cell; 10] {
    let key = || (of.to_owned(), task.to_owned());
    let (executions, execution_time) = (key(), key());
    [
        quiet(&format!(" {of}")),
        Cell::text(task).style(Modifier::BOLD),
        time(execution.mean, execution.count),
        time(execution.p99, execution.count),
        time(execution.maximum, execution.count),
        time(waiting.p99, waiting.count),
        rate(rates.rate(&Counted::Executions { of: executions.0, task: executions.1 })),
        share(rates.rate(&Counted::Execution { of: execution_time.0, task: execution_time.1 })),
        Cell::count(failures, Color::Red),
        Cell::count(stale, Color::Yellow),
    ]
}
