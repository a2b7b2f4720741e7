//! The tables of reports on a terminal.

use super::{
    report::{CallbackReport, ChainReport, CycleReport, Report, TaskReport},
    style::{Style, Tone, bar},
};
use crate::distribution::Summary;
use hemiola_words::{Column, Columns, fitted, grouped, nanoseconds};
use std::fmt::Write;

impl Report {
    /// Returns all figures as tables, fitted to the width of `style`, for the end of a run.
    pub fn table(&self, style: &Style) -> String {
        let mut text = String::new();
        for cycle in &self.cycles {
            let _ = writeln!(text, "{}", heading(cycle, style));
            cycle_table(&mut text, cycle, style);
            task_table(&mut text, cycle, style);
            text.push('\n');
        }
        chain_table(&mut text, &self.chains, style);
        callback_table(&mut text, &self.callbacks, style);
        if self.lost_events > 0 {
            let note = format!("{} events were lost: the figures are of the others.", grouped(self.lost_events));
            let _ = writeln!(text, "{}", style.paint(Tone::Bad, &note));
        }
        text
    }

    /// Returns one line per cycle, fitted to the width of `style`, to be redrawn in place while the
    /// robot runs.
    pub fn live(&self, style: &Style) -> String {
        let name_width = self.cycles.iter().map(|cycle| cycle.name.chars().count()).max().unwrap_or(0).min(NAME);
        let mut text = String::new();
        for cycle in &self.cycles {
            let Summary { mean, p99, maximum, .. } = cycle.response;
            let limit = cycle.deadline.or(cycle.period).unwrap_or(maximum);
            let figures =
                format!(" {:>8} of {:<8}  p99 {:<8}", nanoseconds(mean), nanoseconds(limit), nanoseconds(p99));
            let counts = counts(cycle);
            let used = name_width + 3 + figures.chars().count() + counts.plain.chars().count();
            let cells = style.columns().saturating_sub(used + 1).min(40);
            let name = style.paint(Tone::Title, &fitted(&cycle.name, name_width));
            let bar = style.paint(tone(cycle.missed_deadlines), &bar(cells, limit, mean, p99, maximum));
            let _ = writeln!(text, "{name} ▕{bar}▏{figures}{}", counts.painted(style));
        }
        text
    }
}

/// Returns the line over a cycle's tables.
fn heading(cycle: &CycleReport, style: &Style) -> String {
    let mut facts = format!("  {} runs", grouped(cycle.execution.count));
    if let Some(period) = cycle.period {
        let _ = write!(facts, " at {:.1} Hz", 1e9 / period as f64);
    }
    if let Some(deadline) = cycle.deadline {
        let _ = write!(facts, ", deadline {}", nanoseconds(deadline));
    }
    format!(
        "{}{}{}",
        style.paint(Tone::Title, fitted(&cycle.name, NAME).trim_end()),
        style.paint(Tone::Quiet, &facts),
        counts(cycle).painted(style)
    )
}

fn cycle_table(text: &mut String, cycle: &CycleReport, style: &Style) {
    let table = Table::of(style);
    let scale = match (cycle.deadline, cycle.period) {
        (Some(_), _) => "of the deadline",
        (None, Some(_)) => "of the period",
        (None, None) => "of the maximum",
    };
    table.header(text, style, "", "", scale);
    let limit = cycle.deadline.or(cycle.period).unwrap_or(cycle.response.maximum);
    let rows = [
        ("cycle time", &cycle.execution),
        ("response", &cycle.response),
        ("release jitter", &cycle.jitter),
        ("interval", &cycle.interval),
        ("wake-up", &cycle.wake_up),
    ];
    for (name, summary) in rows.into_iter().filter(|(_, summary)| summary.count > 0) {
        let bar = match name {
            "cycle time" | "response" => {
                let bar = bar(table.bar, limit, summary.mean, summary.p99, summary.maximum);
                style.paint(tone(u64::from(summary.maximum > limit)), &bar)
            }
            _ => String::new(),
        };
        table.row(text, name, summary, "", &bar);
    }
}

fn task_table(text: &mut String, cycle: &CycleReport, style: &Style) {
    if cycle.tasks.is_empty() || style.tasks == 0 {
        return;
    }
    let table = Table::of(style);
    table.header(text, style, "task", "queueing", &format!("{}worker:%", " ".repeat(table.task_bar())));
    let limit = cycle.tasks.iter().map(|task| task.execution.p99).max().unwrap_or(0);
    for task in cycle.tasks.iter().take(style.tasks) {
        let Summary { mean, p99, maximum, .. } = task.execution;
        let tail = match table.bar {
            ..WORKERS => String::new(),
            _ => {
                let cells = table.task_bar().saturating_sub(1);
                let gap = if cells > 0 { " " } else { "" };
                let drawn = bar(cells, limit, mean, p99, maximum.min(limit));
                format!("{}{gap}{}", style.paint(Tone::Good, &drawn), worker_shares(task))
            }
        };
        table.row(text, &task.name, &task.execution, &nanoseconds(task.queueing.mean), &tail);
        if task.failures + task.stale > 0 {
            let trouble = format!("    failed {} times, stale {} times", grouped(task.failures), grouped(task.stale));
            let _ = writeln!(text, "{}", style.paint(Tone::Bad, &trouble));
        }
    }
    let rest = &cycle.tasks[style.tasks.min(cycle.tasks.len())..];
    if !rest.is_empty() {
        let total = |tasks: &[TaskReport]| tasks.iter().map(TaskReport::total).sum::<u64>();
        let share = 100.0 * total(rest) as f64 / total(&cycle.tasks).max(1) as f64;
        let note = format!("  and {} more with {share:.1} % of the time", rest.len());
        let _ = writeln!(text, "{}", style.paint(Tone::Quiet, &note));
    }
}

fn chain_table(text: &mut String, chains: &[ChainReport], style: &Style) {
    if chains.is_empty() {
        return;
    }
    let table = Table::of(style);
    table.header(text, style, "chain", "", "");
    let limit = chains.iter().map(|chain| chain.reaction.maximum.max(chain.data_age.maximum)).max().unwrap_or(0);
    for chain in chains {
        let ends = format!("  {} → {}", chain.source, chain.output);
        let _ = writeln!(text, "{}", fitted(&ends, style.columns()).trim_end());
        let ChainReport { reaction, data_age, newest_age, .. } = chain;
        // Where all paths take equally long, or there is only one, the oldest sample is the newest.
        let rows: &[_] = match data_age == newest_age || newest_age.count == 0 {
            true => &[("  reaction time", reaction), ("  data age", data_age)],
            false => {
                &[("  reaction time", reaction), ("  data age, newest", newest_age), ("  data age, oldest", data_age)]
            }
        };
        for &(name, summary) in rows {
            let bar = bar(table.bar, limit, summary.mean, summary.p99, summary.maximum);
            table.row(text, name, summary, "", &style.paint(Tone::Good, &bar));
        }
    }
}

fn callback_table(text: &mut String, callbacks: &[CallbackReport], style: &Style) {
    if callbacks.is_empty() {
        return;
    }
    let table = Table::of(style);
    table.header(text, style, "callback", "", "");
    let limit = callbacks.iter().map(|callback| callback.latency.maximum.max(callback.execution.maximum)).max();
    for callback in callbacks {
        let name = format!("  {}: {}", callback.executor, callback.name);
        let _ = writeln!(text, "{}", fitted(&name, style.columns()).trim_end());
        let rows = [("  latency", &callback.latency), ("  execution", &callback.execution)];
        for (name, summary) in rows.into_iter().filter(|(_, summary)| summary.count > 0) {
            let bar = bar(table.bar, limit.unwrap_or(0), summary.mean, summary.p99, summary.maximum);
            table.row(text, name, summary, "", &style.paint(Tone::Good, &bar));
        }
        if callback.panics > 0 {
            let trouble = format!("    panicked {} times", grouped(callback.panics));
            let _ = writeln!(text, "{}", style.paint(Tone::Bad, &trouble));
        }
    }
}

/// The layout of a table: names first, then figures, and a bar in the rest of the width.
struct Table {
    columns: Columns,
    bar: usize,
}

/// The width of a column of figures: `99.9 ms` and the gap before it.
const FIGURE: usize = 9;
/// The headings of figures. The spread is the range of 98 % of the values, from p1 to p99.
const FIGURES: [&str; 5] = ["p1", "mean", "p99", "maximum", "spread"];

/// The maximum width of a cycle's name.
const NAME: usize = 16;

/// The width that names get before bars get any.
const NAMES: usize = 26;

/// The width of the column with the share of each worker in a task's runs.
const WORKERS: usize = 12;

impl Table {
    fn of(style: &Style) -> Self {
        let free = style.columns().saturating_sub((FIGURES.len() + 1) * FIGURE + 3);
        // Names come first, because without them bars are meaningless.
        let name = free.min(NAMES + free.saturating_sub(NAMES) / 4).min(36);
        let figures = FIGURES.iter().chain([&"extra"]).map(|_| Column::right(FIGURE));
        let columns = Columns::new([Column::left(name).after(2).cut()].into_iter().chain(figures));
        Self { columns, bar: (free - name).min(44) }
    }

    /// Returns the width of a task's bar and the gap after it: what the shares of its workers
    /// leave, or zero.
    fn task_bar(&self) -> usize {
        match self.bar.saturating_sub(WORKERS) {
            ..6 => 0,
            columns => columns,
        }
    }

    fn header(&self, text: &mut String, style: &Style, name: &str, extra: &str, tail: &str) {
        let [first, mean, last, maximum, spread] = FIGURES;
        let tail = if tail.chars().count() <= self.bar { tail } else { "" };
        let line = self.columns.line([name, first, mean, last, maximum, spread, extra, " ", tail]);
        let _ = writeln!(text, "{}", style.paint(Tone::Quiet, &line));
    }

    fn row(&self, text: &mut String, name: &str, summary: &Summary, extra: &str, tail: &str) {
        let Summary { p01, mean, p99, maximum, range98, .. } = *summary;
        let [p01, mean, p99, maximum, range98] = [p01, mean, p99, maximum, range98].map(nanoseconds);
        let line = self.columns.line([name, &p01, &mean, &p99, &maximum, &range98, extra, " ", tail]);
        let _ = writeln!(text, "{line}");
    }
}

/// The numbers of missed deadlines, dropped inputs and skipped triggers, emphasised if not zero.
struct Counts {
    plain: String,
    tone: Tone,
}

impl Counts {
    fn painted(&self, style: &Style) -> String {
        style.paint(self.tone, &self.plain)
    }
}

fn counts(cycle: &CycleReport) -> Counts {
    let dropped = cycle.dropped_inputs.values().sum::<u64>();
    let skipped = cycle.skipped_triggers;
    let mut plain = format!("  {} missed, {} dropped", grouped(cycle.missed_deadlines), grouped(dropped));
    // Only timers skip triggers, and only rarely.
    if skipped > 0 {
        let _ = write!(plain, ", {} skipped", grouped(skipped));
    }
    Counts { plain, tone: tone(cycle.missed_deadlines + dropped + skipped) }
}

fn tone(troubles: u64) -> Tone {
    if troubles == 0 { Tone::Good } else { Tone::Bad }
}

/// Returns the share of each worker in percent: `0:80 1:20`.
fn worker_shares(task: &TaskReport) -> String {
    let runs = task.workers.values().sum::<u64>().max(1);
    let shares = task.workers.iter().map(|(name, &count)| {
        let index = name.rsplit(' ').next().unwrap_or(name);
        format!("{index}:{}", (100 * count + runs / 2) / runs)
    });
    fitted(&shares.collect::<Vec<_>>().join(" "), WORKERS).trim_end().to_owned()
}
