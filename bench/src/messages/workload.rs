//! What a workload consists of.

use crate::contest::entrant::Side;
use crate::report::time;

/// What is measured, with whom, and what we want to reach.
pub struct Workload {
    /// As contestants and people call it.
    pub name: &'static str,
    /// What happens, in a sentence or two.
    pub what: &'static str,
    pub contestants: Vec<Contestant>,
    pub cases: Vec<Case>,
    /// What is shown, the most important first.
    pub columns: Vec<Column>,
    /// Those of which there is a picture.
    pub plotted: Vec<Figure>,
    pub goals: Vec<Goal>,
}

/// Who takes part.
pub struct Contestant {
    /// As its program calls it.
    pub id: &'static str,
    /// For people.
    pub label: &'static str,
    pub side: Side,
    pub program: Program,
}

/// Which program a contestant is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// This one.
    Bench,
    /// The crates.
    Rust,
    /// A source in `peers/cpp`.
    Cpp(&'static str),
}

/// A workload with its numbers.
pub struct Case {
    pub name: String,
    /// As contestants get them.
    pub arguments: Vec<(&'static str, u64)>,
    pub cores: Cores,
    /// Who cannot do it.
    pub without: &'static [&'static str],
}

/// Whether it matters how far two cores are from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    One,
    Two,
}

/// A figure.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// As contestants print it.
    pub key: &'static str,
    pub statistic: Statistic,
    /// Writes a value.
    pub show: fn(f64) -> String,
}

/// Which value of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    Median,
    P99,
    Maximum,
}

/// A figure with a head.
pub struct Column {
    pub head: &'static str,
    pub figure: Figure,
}

/// What one of our contestants shall reach; of several cases the worst one counts.
pub struct Goal {
    pub what: &'static str,
    pub cases: Vec<String>,
    pub id: &'static str,
    pub figure: Figure,
    pub limit: Limit,
}

/// What is good enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// This many times less than somebody in the same case.
    TimesLess {
        than: &'static str,
        factor: f64,
    },
    /// The best peer in the same case, and this part of it more.
    BestPeer {
        tolerance: f64,
    },
}

impl Contestant {
    pub fn hemiola(id: &'static str, label: &'static str) -> Self {
        Self { id, label, side: Side::Hemiola, program: Program::Bench }
    }

    pub fn rust(id: &'static str, label: &'static str) -> Self {
        Self { id, label, side: Side::Peer, program: Program::Rust }
    }

    pub fn cpp(source: &'static str, id: &'static str, label: &'static str) -> Self {
        Self { id, label, side: Side::Peer, program: Program::Cpp(source) }
    }

    /// No peer, but what the others are compared with.
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

/// A time that was told in picoseconds.
pub fn picoseconds(ps: f64) -> String {
    if ps < 1e5 { format!("{:.1} ns", ps / 1e3) } else { time(ps / 1e3) }
}

/// Parts per million as percent.
pub fn percent(ppm: f64) -> String {
    format!("{:.2} %", ppm / 1e4)
}

/// A count.
pub fn count(value: f64) -> String {
    if value < 1e4 { format!("{value:.0}") } else { format!("{:.0}k", value / 1e3) }
}
