//! The results as text.

use std::fmt;

use super::experiment::{CIRCUMSTANCES, Experiment, Metric, difference, text};
use super::statistics::Estimate;

impl fmt::Display for Experiment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.legend() {
            writeln!(formatter, "{line}")?;
        }
        let heads = Metric::ALL.map(Metric::name);
        writeln!(formatter)?;
        row(formatter, "condition", &heads)?;
        for (index, series) in self.series.iter().enumerate() {
            let cells = Metric::ALL.map(|metric| text(Estimate::of(&self.values(index, metric)), metric));
            row(formatter, &series.condition.name, &cells)?;
        }
        writeln!(formatter)?;
        row(formatter, &format!("less {}", self.series[0].condition.name), &heads)?;
        for (index, series) in self.series.iter().enumerate().skip(1) {
            let estimate = |metric| Estimate::of(&self.differences(index, metric));
            let cells = Metric::ALL.map(|metric| difference(estimate(metric), metric, self.comparisons()));
            row(formatter, &series.condition.name, &cells)?;
        }
        writeln!(formatter)?;
        row(formatter, "circumstances", &CIRCUMSTANCES)?;
        for (index, series) in self.series.iter().enumerate() {
            row(formatter, &series.condition.name, &self.circumstances(index))?;
        }
        Ok(())
    }
}

fn row(formatter: &mut fmt::Formatter<'_>, name: &str, cells: &[impl fmt::Display]) -> fmt::Result {
    write!(formatter, "{name:21}")?;
    for cell in cells {
        write!(formatter, "{:>17}", cell.to_string())?;
    }
    writeln!(formatter)
}
