//! The display of a run line by line, for logs and pipes.

use hemiola_model::Time;
use hemiola_runtime::SafeStateEntry;
use hemiola_trace::Report;

use crate::top::milliseconds;

/// Writes lines with the changes since the previous line.
#[derive(Default)]
pub struct Lines {
    cycles: Vec<(String, u64, u64)>,
}

impl Lines {
    /// Returns ` 12.0 s motion 83 runs, 1.2 of 12.0 ms, p99 2.3, 0 missed cognition ...`, preceded
    /// by the safe state.
    pub fn line(&mut self, now: Time, safe_state: Option<&SafeStateEntry>, report: &Report) -> String {
        let mut text = format!("{:7.1} s", now.seconds());
        if let Some(entry) = safe_state {
            text += &format!("   SAFE STATE {entry}");
        }
        let mut cycles = Vec::new();
        for cycle in &report.cycles {
            let before = self.cycles.iter().find(|(name, ..)| *name == cycle.name);
            let (runs, missed) = before.map_or((0, 0), |&(_, runs, missed)| (runs, missed));
            let (mean, p99) = (milliseconds(cycle.response.mean), milliseconds(cycle.response.p99));
            let limit = cycle.deadline.or(cycle.period).map(|limit| format!(" of {}", milliseconds(limit)));
            text += &format!(
                "   {} {} runs, {mean}{} ms, p99 {p99}, {} missed",
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

#[cfg(test)]
mod tests {
    use hemiola_runtime::SafeStateCause;

    use super::*;

    #[test]
    fn each_line_tells_of_the_safe_state_while_it_lasts() {
        let entry = SafeStateEntry {
            since: Time::from_seconds(9.3),
            cause: SafeStateCause::Failure { update: "Walk.joints".into() },
        };
        let mut lines = Lines::default();
        let mut line = |seconds, entry| lines.line(Time::from_seconds(seconds), entry, &Report::default());
        assert_eq!(line(9.0, None), "    9.0 s");
        assert_eq!(line(10.0, Some(&entry)), "   10.0 s   SAFE STATE since 9.3 s, because Walk.joints failed");
        assert_eq!(line(11.0, Some(&entry)), "   11.0 s   SAFE STATE since 9.3 s, because Walk.joints failed");
    }
}
