//! What is measured.

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
    /// Per round.
    pub runs: usize,
    /// Zero where runs follow each other at once.
    pub period: Duration,
}

/// How thorough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Full,
    /// A smoke test of everything: its figures are no figures.
    Quick,
}

/// How often a NAO's motion runs per second.
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

/// All disciplines for these workloads, on up to two workers.
pub fn all(workloads: &[Workload], effort: Effort) -> Vec<Discipline> {
    let scaled = |runs: usize, divisor: usize| match effort {
        Effort::Full => runs,
        Effort::Quick => runs.div_ceil(divisor),
    };
    let mut disciplines = Vec::new();
    let mut add = |workload, mode, workers, runs, rate: Option<f64>| {
        let period = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        disciplines.push(Discipline { workload, mode, workers, runs, period });
    };
    for workload in workloads {
        let name = workload.name;
        if name == "pair" {
            // Only to see what two workers cost that wait for it.
            continue;
        }
        // Less than half a second, and no fewer than what makes a median.
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
    disciplines.retain(|discipline| workloads.iter().any(|workload| workload.name == discipline.workload));
    disciplines
}
