//! The parts of a workload.

use crate::contest::entrant::Side;
use crate::report::time;

/// A workload: what is measured, with which contestants, and the goals.
pub struct Workload {
    /// The name for contestants and people.
    pub name: &'static str,
    /// A description in a sentence or two.
    pub what: &'static str,
    pub contestants: Vec<Contestant>,
    pub cases: Vec<Case>,
    /// The columns of its table, the most important first.
    pub columns: Vec<Column>,
    /// The figures of which there is a picture.
    pub plotted: Vec<Figure>,
    pub goals: Vec<Goal>,
}

/// A contestant of a workload.
pub struct Contestant {
    /// The name for its program.
    pub id: &'static str,
    /// The name for people.
    pub label: &'static str,
    pub side: Side,
    pub program: Program,
}

/// The program that a contestant is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The bench itself, by this command.
    Bench(&'static str),
    /// A workspace of crates in `peers`, by its folder.
    Crates(&'static str),
    /// A source in `peers/cpp`.
    Cpp(&'static str),
}

/// A case of a workload, with its numbers.
pub struct Case {
    pub name: String,
    /// The arguments for contestants.
    pub arguments: Vec<(&'static str, u64)>,
    pub cores: Cores,
    /// The contestants that cannot take part.
    pub without: &'static [&'static str],
}

/// The number of cores that work at a time, which decides whether their distance affects the
/// figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    /// The distance has no effect: one core works at a time, or something else takes much longer.
    One,
    /// The distance has an effect: the transfer from one core to the other takes most of the time.
    Two,
}

/// A figure of a contestant.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The key under which contestants print it.
    pub key: &'static str,
    pub statistic: Statistic,
    /// A function that writes a value.
    pub show: fn(f64) -> String,
}

/// The value of a distribution that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    Median,
    P99,
    Maximum,
}

/// A column: a figure with a head.
pub struct Column {
    pub head: &'static str,
    pub figure: Figure,
}

/// A goal of one of our contestants; of several cases the worst one counts.
pub struct Goal {
    pub what: &'static str,
    pub cases: Vec<String>,
    pub id: &'static str,
    pub figure: Figure,
    pub limit: Limit,
}

/// The limit of a goal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// The first figure while the cores share a cache or a core, otherwise the second.
    AtMostNearOrFar(f64, f64),
    /// The figure of `than` in the same case, divided by `factor`.
    TimesLess {
        than: &'static str,
        factor: f64,
    },
    /// The figure of `of` in the same case, plus this part of it.
    Within {
        of: &'static str,
        tolerance: f64,
    },
    /// The figure of the best peer in the same case, plus this part of it.
    BestPeer {
        tolerance: f64,
    },
}

impl Contestant {
    pub fn hemiola(id: &'static str, label: &'static str) -> Self {
        Self::of_the_bench("messages-contestant", id, label, Side::Hemiola)
    }

    /// Returns a contestant that this program is when it is started by that hidden command.
    pub fn of_the_bench(command: &'static str, id: &'static str, label: &'static str, side: Side) -> Self {
        Self { id, label, side, program: Program::Bench(command) }
    }

    pub fn rust(id: &'static str, label: &'static str) -> Self {
        Self::of_crates("rust", id, label)
    }

    /// Returns a peer that is a crate of the workspace `peers/<folder>`.
    pub fn of_crates(folder: &'static str, id: &'static str, label: &'static str) -> Self {
        Self { id, label, side: Side::Peer, program: Program::Crates(folder) }
    }

    pub fn cpp(source: &'static str, id: &'static str, label: &'static str) -> Self {
        Self { id, label, side: Side::Peer, program: Program::Cpp(source) }
    }

    /// Makes the contestant a limit that the others are compared with.
    pub fn limit(self) -> Self {
        Self { side: Side::Limit, ..self }
    }
}

impl PartialEq for Figure {
    fn eq(&self, other: &Self) -> bool {
        (self.key, self.statistic) == (other.key, other.statistic)
    }
}

impl Figure {
    pub const fn median(key: &'static str, show: fn(f64) -> String) -> Self {
        Self { key, statistic: Statistic::Median, show }
    }

    pub const fn p99(key: &'static str, show: fn(f64) -> String) -> Self {
        Self { key, statistic: Statistic::P99, show }
    }

    pub const fn maximum(key: &'static str, show: fn(f64) -> String) -> Self {
        Self { key, statistic: Statistic::Maximum, show }
    }

    pub const fn titled(self, head: &'static str) -> Column {
        Column { head, figure: self }
    }
}

/// Writes a time that is given in picoseconds.
pub fn picoseconds(ps: f64) -> String {
    if ps < 1e5 { format!("{:.1} ns", ps / 1e3) } else { time(ps / 1e3) }
}

/// Writes parts per million as percent.
pub fn percent(ppm: f64) -> String {
    format!("{:.2} %", ppm / 1e4)
}

/// Writes a number of bytes.
pub fn bytes(value: f64) -> String {
    hemiola_words::bytes(value as u64)
}

/// Writes a count.
pub fn count(value: f64) -> String {
    if value < 1e4 { format!("{value:.0}") } else { format!("{:.0}k", value / 1e3) }
}
