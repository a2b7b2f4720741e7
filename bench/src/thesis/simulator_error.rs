//! The error of the schedule simulator.

use super::passes::MEAN;
use super::report::{Origin, Question, Row};

/// The error that is aimed at, as a share of the measured time.
const TOLERATED_ERROR: f64 = 0.03;
/// The end of the name of a way that was simulated with the durations of another run.
pub const FROM_ALONE: &str = ", by runs alone";

/// Compares the simulated means over passes of a question with the measured ones.
pub fn findings(question: &Question) -> Vec<String> {
    let simulated = question.rows.iter().filter(|row| row.origin == Origin::Simulated);
    let (from_alone, from_same): (Vec<_>, Vec<_>) =
        simulated.filter_map(|row| error(question, row)).partition(|(row, _)| row.way.ends_with(FROM_ALONE));
    let mut findings: Vec<String> = (from_same.iter().chain(&from_alone))
        .map(|(row, error)| format!("simulator's error, {}, {}: mean {:+.1} %", row.what, row.way, 100.0 * error))
        .collect();
    findings.extend(summary("with durations of the same runs that nothing interrupted", &from_same));
    findings.extend(summary("of cognition beside motion with durations of runs of each cycle alone", &from_alone));
    findings
}

/// Returns the error of a simulated row, if the same was measured.
fn error<'q>(question: &'q Question, row: &'q Row) -> Option<(&'q Row, f64)> {
    let way = row.way.strip_suffix(FROM_ALONE).unwrap_or(&row.way);
    let measured = question.row(way, &row.what, Origin::Measured)?;
    Some((row, row.over(MEAN)?.mean / measured.over(MEAN)?.mean - 1.0))
}

fn summary(how: &str, errors: &[(&Row, f64)]) -> Option<String> {
    let absolute = errors.iter().map(|(_, error)| error.abs());
    let worst = absolute.clone().reduce(f64::max)?;
    Some(format!(
        "The simulated mean {how} is within {:.0} % of the measured one in {} of {} cases; at worst it is {:.1} % off.",
        100.0 * TOLERATED_ERROR,
        absolute.filter(|&error| error <= TOLERATED_ERROR).count(),
        errors.len(),
        100.0 * worst
    ))
}

#[cfg(test)]
mod tests {
    use hemiola_trace::Summary;

    use super::*;

    #[test]
    fn errors_are_of_the_means_over_passes() {
        let mut question = Question::new("How many?");
        let mut add = |way: &str, origin, means: &[u64]| {
            for &mean in means {
                question.add_summary(way, "cognition", origin, Summary { mean, ..Summary::default() });
            }
        };
        add("1 x 1", Origin::Measured, &[90, 110]);
        add("1 x 1", Origin::Simulated, &[100, 104]);
        add("1 x 1, by runs alone", Origin::Simulated, &[94, 94]);
        add("9 x 9", Origin::Simulated, &[1]);
        let findings = findings(&question);
        assert_eq!(findings.len(), 4, "{findings:?}");
        assert!(findings[0].ends_with("mean +2.0 %") && findings[1].ends_with("mean -6.0 %"), "{findings:?}");
        assert!(findings[2].contains("1 of 1 cases; at worst it is 2.0 %"), "{findings:?}");
        assert!(findings[3].contains("0 of 1 cases; at worst it is 6.0 %"), "{findings:?}");
    }
}
