//! Log data against live data: the same modules on the same input, once from the sources, once from
//! the log of that run.

use std::time::Duration;

use super::passes::METRICS;
use super::report::{Origin, Question};
use super::robot::Robot;
use crate::error::BenchError;
use crate::report::time;

pub const TITLE: &str = "10. The NAO on live data and on log data: execution time of its cycles";

const LIVE: &str = "live data";
const LOG: &str = "log data";
/// The log of the live run, of which only the samples of the sources are replayed.
const FILE: &str = "live.mcap";

/// Runs the robot live with a recorder, then replays the log at the pace of real time.
pub fn pass(
    robot: &Robot,
    duration: Duration,
    question: &mut Question,
    notices: &mut Vec<String>,
) -> Result<(), BenchError> {
    let log = robot.path(FILE);
    let (file, length) = (log.display().to_string(), format!("{} ms", duration.as_millis()));
    // What an interrupted run has left is in the way, and its absence is what is wanted.
    _ = std::fs::remove_file(&log);
    for (way, arguments) in
        [(LIVE, ["--duration", &length, "--log", &file].as_slice()), (LOG, ["--replay", &file].as_slice())]
    {
        match robot.run(arguments)? {
            Ok(figures) => {
                for cycle in &figures.cycles {
                    question.add_summary(way, &cycle.name, Origin::Measured, cycle.execution);
                }
            }
            Err(complaint) => notices.push(format!("The NAO did not run on {way}: {complaint}")),
        }
    }
    // A log that is left behind does no harm.
    _ = std::fs::remove_file(&log);
    Ok(())
}

/// Compares the 98 % ranges.
pub fn conclude(question: &mut Question) {
    let [.., range] = METRICS;
    let findings: Vec<String> = (question.subjects().into_iter())
        .filter_map(|cycle| {
            let [live, log] = [LIVE, LOG].map(|way| question.row(way, cycle, Origin::Measured)?.over(range));
            let (live, log) = (live?.mean, log?.mean);
            Some(format!(
                "{cycle}: 98 % range {} live, {} from the log ({:.2} times).",
                time(live),
                time(log),
                log / live
            ))
        })
        .collect();
    question.findings.extend(findings);
    question.findings.push(
        "A replay executes the recorded runs of all cycles one after another without real-time priority, so that no cycle preempts another; its ranges \
         are those of the work, and of whatever else the machine does."
            .to_owned(),
    );
}

#[cfg(test)]
mod tests {
    use hemiola_trace::Summary;

    use super::*;

    #[test]
    fn ranges_of_log_and_live_data_are_compared_for_each_cycle() {
        let mut question = Question::new(TITLE);
        for (way, range98) in [(LIVE, 4_000), (LOG, 1_000)] {
            question.add_summary(way, "motion", Origin::Measured, Summary { range98, ..Summary::default() });
        }
        question.add_summary(LIVE, "audio", Origin::Measured, Summary::default());
        conclude(&mut question);
        assert_eq!(question.findings[0], "motion: 98 % range 4.00 µs live, 1.00 µs from the log (0.25 times).");
        assert_eq!(question.findings.len(), 2);
    }
}
