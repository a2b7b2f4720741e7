//! The error of the schedule simulator.

use hemiola_trace::Distribution;

/// The error that is aimed at, as a share of the measured time.
const TOLERATED_ERROR: f64 = 0.03;

/// For each case the error of the mean and of the median, as shares of what was measured.
#[derive(Default)]
pub struct Errors(Vec<(String, f64, f64)>);

impl Errors {
    pub fn note(&mut self, what: &str, measured: &Distribution, simulated: &Distribution) {
        if measured.is_empty() || simulated.is_empty() {
            return;
        }
        let error = |figure: fn(&Distribution) -> u64| figure(simulated) as f64 / figure(measured) as f64 - 1.0;
        self.0.push((what.to_owned(), error(Distribution::mean), error(|distribution| distribution.quantile(0.5))));
    }

    pub fn findings(&self) -> Vec<String> {
        let mut findings: Vec<String> = (self.0.iter())
            .map(|(what, mean, median)| {
                format!("simulator's error, {what}: mean {:+.1} %, median {:+.1} %", 100.0 * mean, 100.0 * median)
            })
            .collect();
        for (what, figure) in [("mean", 0), ("median", 1)] {
            let errors = self.0.iter().map(|&(_, mean, median)| [mean, median][figure].abs());
            findings.push(format!(
                "The simulated {what} is within {:.0} % of the measured one in {} of {} cases; at worst it is {:.1} % off.",
                100.0 * TOLERATED_ERROR,
                errors.clone().filter(|&error| error <= TOLERATED_ERROR).count(),
                self.0.len(),
                100.0 * errors.fold(0.0, f64::max)
            ));
        }
        findings
    }
}
