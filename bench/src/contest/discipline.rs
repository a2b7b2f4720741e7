//! The disciplines in which contestants are measured.

use std::fmt;
use std::time::Duration;

use hemiola_bench_contestant::Mode;

use crate::workload::Workload;

/// A workload, and how it is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Discipline {
    pub workload: &'static str,
    pub mode: Mode,
    pub workers: usize,
    /// The number of runs per round.
    pub runs: usize,
    /// The time between two triggers; zero where runs follow each other at once.
    pub period: Duration,
}

/// The disciplines that a contestant runs at a time: one, or two at once, the more important one
/// first.
#[derive(Debug, Clone, PartialEq)]
pub enum Heat {
    Alone([Discipline; 1]),
    /// Motion, and cognition below it.
    Together([Discipline; 2]),
}

impl Heat {
    pub fn disciplines(&self) -> &[Discipline] {
        match self {
            Heat::Alone(discipline) => discipline,
            Heat::Together(disciplines) => disciplines,
        }
    }
}

impl fmt::Display for Heat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.disciplines().iter().map(Discipline::to_string).collect();
        formatter.write_str(&texts.join(" and "))
    }
}

/// The thoroughness of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Full,
    /// A smoke test of everything: its figures mean nothing.
    Quick,
}

/// The number of runs of a NAO's motion per second.
pub const MOTION_RATE: f64 = 83.0;
pub const COGNITION_RATE: f64 = 30.0;

impl fmt::Display for Discipline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, {}", self.workload, self.mode)?;
        if !self.period.is_zero() {
            write!(formatter, " at {:.0} Hz", 1.0 / self.period.as_secs_f64())?;
        }
        write!(formatter, ", {} worker{}", self.workers, if self.workers == 1 { "" } else { "s" })
    }
}

/// Returns all heats with these workloads, on up to two workers.
pub fn all(workloads: &[Workload], effort: Effort) -> Vec<Heat> {
    let scaled = |runs: usize, divisor: usize| match effort {
        Effort::Full => runs,
        Effort::Quick => runs.div_ceil(divisor),
    };
    let discipline = |workload, mode, workers, runs, rate: Option<f64>| {
        let period = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Discipline { workload, mode, workers, runs, period }
    };
    let mut heats = Vec::new();
    let mut add = |workload, mode, workers, runs, rate| {
        heats.push(Heat::Alone([discipline(workload, mode, workers, runs, rate)]))
    };
    for workload in workloads {
        let name = workload.name;
        match name {
            // This workload only serves to show what two workers cost that wait for it.
            "pair" => continue,
            // This workload only serves to hand over.
            "stages" => {
                add(name, Mode::Pipeline, 2, scaled(20_000, 20), None);
                continue;
            }
            _ => {}
        }
        // The runs take less than half a second, and are no fewer than a median needs.
        match 400_000_000_u64.checked_div(workload.work_ns()) {
            Some(runs) => add(name, Mode::Steady, 2, scaled(runs.max(24) as usize, 3), None),
            None => {
                add(name, Mode::Steady, 1, scaled(2000, 4), None);
                add(name, Mode::Steady, 2, scaled(1000, 4), None);
            }
        }
    }
    add("nao-motion", Mode::Periodic, 2, scaled(120, 8), Some(MOTION_RATE));
    add("nao-cognition", Mode::Periodic, 2, scaled(45, 6), Some(COGNITION_RATE));
    add("nao-cognition", Mode::Cold, 2, scaled(30, 1), None);
    add("rand150", Mode::Idle, 2, scaled(120, 6), Some(MOTION_RATE));
    add("pair", Mode::Idle, 2, scaled(120, 6), Some(MOTION_RATE));
    add("rand150", Mode::Allocations, 2, scaled(1000, 4), None);
    // Both disciplines take about as long.
    heats.push(Heat::Together([
        discipline("nao-motion", Mode::Together, 2, scaled(125, 8), Some(MOTION_RATE)),
        discipline("nao-cognition", Mode::Together, 2, scaled(45, 8), Some(COGNITION_RATE)),
    ]));
    let is_chosen = |discipline: &Discipline| workloads.iter().any(|workload| workload.name == discipline.workload);
    heats.retain(|heat| heat.disciplines().iter().all(is_chosen));
    heats
}
