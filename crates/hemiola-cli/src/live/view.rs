//! What the live view shows: a line per cycle, the robot's own lines, the newest messages.

use std::collections::BTreeMap;

use hemiola_model::Time;
use hemiola_runtime::{Message, SafeStateEntry};
use hemiola_trace::{CycleReport, Report};

use super::bar::{bar, milliseconds};
use super::terminal::Size;
use crate::traffic::Traffic;

/// One moment of a running robot.
pub struct Frame<'a> {
    /// Its name.
    pub robot: &'a str,
    /// How fast its clock runs.
    pub pace: &'a str,
    pub now: Time,
    pub report: &'a Report,
    /// The robot is in its safe state.
    pub safe_state: Option<&'a SafeStateEntry>,
    /// What passed through the bus.
    pub traffic: Traffic,
    /// What the robot adds.
    pub lines: &'a [String],
    pub messages: &'a [Message],
}

/// Turns frames into lines; remembers the frame before, to tell what happened since.
#[derive(Default)]
pub struct LiveView {
    before: Option<Before>,
}

/// The frame before.
struct Before {
    now: Time,
    work: BTreeMap<String, Work>,
    sent: u64,
}

/// What the workers of a cycle have done so far.
#[derive(Clone, Default)]
struct Work {
    nanoseconds: u64,
    runs_of: BTreeMap<String, u64>,
}

impl Work {
    fn of(cycle: &CycleReport) -> Self {
        let mut work = Self::default();
        for task in &cycle.tasks {
            work.nanoseconds += task.total();
            for (worker, runs) in &task.workers {
                *work.runs_of.entry(worker.clone()).or_default() += runs;
            }
        }
        work
    }
}

/// How a cycle was worked on since the frame before.
struct Effort {
    workers: usize,
    /// Of one core.
    percent: u64,
}

/// More messages than that are counted.
const MESSAGES: usize = 6;

impl LiveView {
    /// The lines of a frame, none wider than the terminal and no more than fit on it.
    pub fn lines(&mut self, frame: &Frame<'_>, size: Size) -> Vec<String> {
        let work: BTreeMap<_, _> =
            frame.report.cycles.iter().map(|cycle| (cycle.name.clone(), Work::of(cycle))).collect();
        let mut lines = vec![String::new(), heading(frame)];
        lines.extend(frame.safe_state.map(alarm));
        lines.push(String::new());
        let layout = Layout::of(frame.report, size.columns);
        lines.push(layout.header());
        for cycle in &frame.report.cycles {
            lines.push(layout.cycle(cycle, &self.effort(frame.now, cycle, &work)));
        }
        lines.extend(self.traffic(frame));
        if !frame.lines.is_empty() {
            lines.push(String::new());
            lines.extend(frame.lines.iter().map(|line| format!(" {line}")));
        }
        lines.extend(messages(frame.messages));
        if frame.report.lost_events > 0 {
            lines.push(format!(" {RED}{} events were lost: the figures lack them{PLAIN}", frame.report.lost_events));
        }
        self.before = Some(Before { now: frame.now, work, sent: frame.traffic.sent() });
        // The cursor rests on the line below the last one.
        lines.truncate(size.rows.saturating_sub(1));
        lines.iter().map(|line| clip(line, size.columns)).collect()
    }

    /// ` bus  14 per second, 0 wait, 2 lost`
    fn traffic(&self, frame: &Frame<'_>) -> Option<String> {
        let Frame { traffic, now, .. } = frame;
        let (then, sent) = self.before.as_ref().map_or((Time::ZERO, 0), |before| (before.now, before.sent));
        let seconds = now.since(then).as_secs_f64();
        let rate = if seconds > 0.0 { traffic.sent().saturating_sub(sent) as f64 / seconds } else { 0.0 };
        let (waiting, lost) = (traffic.waiting(), traffic.lost());
        let colour = if lost == 0 { QUIET } else { YELLOW };
        let text = format!(" bus  {rate:.0} per second, {waiting} wait, {PLAIN}{colour}{lost} lost{PLAIN}");
        (!traffic.is_empty()).then(|| format!("{QUIET}{text}"))
    }

    fn effort(&self, now: Time, cycle: &CycleReport, work: &BTreeMap<String, Work>) -> Effort {
        let nothing = Work::default();
        let (elapsed, before) = match &self.before {
            Some(before) => (now.since(before.now), before.work.get(&cycle.name).unwrap_or(&nothing)),
            None => (now.since(Time::ZERO), &nothing),
        };
        let now = work.get(&cycle.name).unwrap_or(&nothing);
        let has_worked = |(worker, runs): &(&String, &u64)| before.runs_of.get(*worker) != Some(runs);
        let busy = now.nanoseconds.saturating_sub(before.nanoseconds);
        Effort {
            workers: now.runs_of.iter().filter(has_worked).count(),
            percent: (100.0 * busy as f64 / elapsed.as_nanos().max(1) as f64).round() as u64,
        }
    }
}

/// Which columns there is room for. The name and the bar are always there; what matters least goes first.
struct Layout {
    name: usize,
    bar: usize,
    has_tail: bool,
    has_counts: bool,
    has_effort: bool,
}

/// ` 12.3 of 33.0 ms`
const MEAN: usize = 17;
/// ` 12.3 12.3`: p0.99 and maximum
const TAIL: usize = 16;
/// Missed and dropped.
const COUNTS: usize = 18;
/// Workers and CPU.
const EFFORT: usize = 15;
const WIDEST_BAR: usize = 48;
const NARROWEST_BAR: usize = 12;

impl Layout {
    fn of(report: &Report, columns: usize) -> Self {
        let names = report.cycles.iter().map(|cycle| cycle.name.chars().count());
        let name = names.max().unwrap_or(0).clamp(5, 16);
        let mut free = columns.saturating_sub(name + 5 + MEAN);
        let mut take = |width: usize| {
            let fits = free >= width + NARROWEST_BAR;
            free -= if fits { width } else { 0 };
            fits
        };
        let has_counts = take(COUNTS);
        let has_tail = take(TAIL);
        let has_effort = take(EFFORT);
        Self { name, bar: free.min(WIDEST_BAR), has_tail, has_counts, has_effort }
    }

    fn header(&self) -> String {
        let Self { name, bar, .. } = *self;
        let mut text = format!(" {:name$}  {:bar$} {:>MEAN$}", "", "of the deadline", "mean ms");
        if bar < 16 {
            text = format!(" {:name$}  {:bar$} {:>MEAN$}", "", "", "mean ms");
        }
        if self.has_tail {
            text += &format!("{:>8}{:>8}", "p0.99", "max");
        }
        if self.has_counts {
            text += &format!("{:>9}{:>9}", "missed", "dropped");
        }
        if self.has_effort {
            text += &format!("{:>9}{:>6}", "workers", "CPU");
        }
        format!("{QUIET}{text}{PLAIN}")
    }

    fn cycle(&self, cycle: &CycleReport, effort: &Effort) -> String {
        let response = &cycle.response;
        let limit = cycle.deadline.or(cycle.period);
        let scale = limit.unwrap_or(response.maximum);
        let colour = match cycle.missed_deadlines {
            0 if response.maximum * 10 > scale * 9 => YELLOW,
            0 => GREEN,
            _ => RED,
        };
        let name: String = cycle.name.chars().take(self.name).collect();
        let drawn = bar(self.bar, scale, [response.mean, response.p99, response.maximum]);
        let of = limit.map_or_else(String::new, |limit| format!(" of {:>5}", milliseconds(limit)));
        let mean = format!("{}{of}", milliseconds(response.mean));
        let mut text = format!(
            " {BOLD}{name:width$}{PLAIN} {QUIET}▕{PLAIN}{colour}{drawn}{PLAIN}{QUIET}▏{PLAIN}{mean:>MEAN$}",
            width = self.name
        );
        if self.has_tail {
            text += &format!("{:>8}{:>8}", milliseconds(response.p99), milliseconds(response.maximum));
        }
        if self.has_counts {
            let dropped = cycle.dropped_inputs.values().sum();
            text += &loud(cycle.missed_deadlines, RED);
            text += &loud(dropped, YELLOW);
        }
        if self.has_effort {
            text += &format!("{:>9}{:>4} %", effort.workers, effort.percent);
        }
        text
    }
}

fn heading(frame: &Frame<'_>) -> String {
    let (robot, now, pace) = (frame.robot, frame.now.seconds(), frame.pace);
    format!(" {BOLD}{robot}{PLAIN}  {now:.1} s  {QUIET}{pace}, Ctrl-C ends it{PLAIN}")
}

/// What nobody may overlook.
fn alarm(entry: &SafeStateEntry) -> String {
    format!(" {ALARM} SAFE STATE {PLAIN} {RED}{entry}{PLAIN}{QUIET}; it stays until somebody ends it{PLAIN}")
}

/// The newest ones.
fn messages(messages: &[Message]) -> Vec<String> {
    let mut lines = Vec::new();
    if messages.is_empty() {
        return lines;
    }
    lines.push(String::new());
    let hidden = messages.len().saturating_sub(MESSAGES);
    if hidden > 0 {
        lines.push(format!(" {QUIET}{hidden} earlier messages are shown at the end{PLAIN}"));
    }
    for message in &messages[hidden..] {
        let text = message.to_string().replace(|character: char| character.is_control(), " ");
        lines.push(format!(" {YELLOW}!{PLAIN} {text}"));
    }
    lines
}

/// Quiet where there is nothing to tell.
fn loud(count: u64, colour: &str) -> String {
    let colour = if count == 0 { QUIET } else { colour };
    format!("{colour}{count:>9}{PLAIN}")
}

const PLAIN: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const QUIET: &str = "\x1b[2m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
/// Bold white on red.
const ALARM: &str = "\x1b[1;97;41m";

/// The beginning of `line` that fits into so many columns; escape sequences take none.
fn clip(line: &str, columns: usize) -> String {
    let (mut clipped, mut used, mut in_sequence) = (String::new(), 0, false);
    let length = visible(line);
    for character in line.chars() {
        if in_sequence {
            in_sequence = !character.is_ascii_alphabetic();
            clipped.push(character);
            continue;
        }
        if character == '\x1b' {
            in_sequence = true;
            clipped.push(character);
            continue;
        }
        if length > columns && used + 1 >= columns {
            if used < columns {
                clipped.push('…');
            }
            return clipped + PLAIN;
        }
        used += 1;
        clipped.push(character);
    }
    clipped
}

/// Columns that a line takes.
fn visible(line: &str) -> usize {
    let mut in_sequence = false;
    line.chars()
        .filter(|&character| {
            let counts = !in_sequence && character != '\x1b';
            in_sequence = character == '\x1b' || (in_sequence && !character.is_ascii_alphabetic());
            counts
        })
        .count()
}

#[cfg(test)]
mod tests;
