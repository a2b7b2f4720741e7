//! A run line by line, for logs and pipes.

use hemiola_model::Time;
use hemiola_trace::Report;

use super::bar::milliseconds;

/// Writes what happened since the line before.
#[derive(Default)]
pub struct Journal {
    cycles: Vec<(String, u64, u64)>,
}

impl Journal {
    /// `   12.0 s   motion 83 runs, 1.2 of 12.0 ms, p0.99 2.3, 0 missed   cognition ...`
    pub fn line(&mut self, now: Time, report: &Report) -> String {
        let mut text = format!("{:7.1} s", now.seconds());
        let mut cycles = Vec::new();
        for cycle in &report.cycles {
            let before = self.cycles.iter().find(|(name, ..)| *name == cycle.name);
            let (runs, missed) = before.map_or((0, 0), |&(_, runs, missed)| (runs, missed));
            let (mean, p99) = (milliseconds(cycle.response.mean), milliseconds(cycle.response.p99));
            let limit = cycle.deadline.or(cycle.period).map(|limit| format!(" of {}", milliseconds(limit)));
            text += &format!(
                "   {} {} runs, {mean}{} ms, p0.99 {p99}, {} missed",
                cycle.name,
                cycle.response.count.saturating_sub(runs),
                limit.unwrap_or_default(),
                cycle.missed_deadlines.saturating_sub(missed),
            );
            cycles.push((cycle.name.clone(), cycle.response.count, cycle.missed_deadlines));
        }
        self.cycles = cycles;
        text
    }
}
