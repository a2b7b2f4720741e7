//! The results: questions with their tables and answers, for the terminal, for a page, for
//! programs.

use hemiola_trace::{Distribution, Summary};
use serde::{Serialize, Serializer};

use super::passes::{MEAN, METRICS, Metric, OverPasses, P99};
use super::series::Series;
use crate::contest::host::Host;
use crate::machine::Machine;

/// The results of one run of the whole chapter.
#[derive(Serialize)]
pub struct Report {
    pub machine: Machine,
    /// The time that the host took from the runs of the cycles.
    pub host: Host,
    /// The number of passes, in each of which all ways have a turn.
    pub passes: usize,
    /// True if the run was too short for its figures to mean anything.
    pub quick: bool,
    pub questions: Vec<Question>,
    pub pictures: Vec<Picture>,
    /// Notes on what is missing or was refused, and how to get it.
    pub notices: Vec<String>,
}

/// A question, its table, and the answer.
#[derive(Default, Serialize)]
pub struct Question {
    pub title: String,
    pub rows: Vec<Row>,
    pub grids: Vec<Grid>,
    pub series: Vec<Series>,
    pub findings: Vec<String>,
}

/// A line of a table.
#[derive(Serialize)]
pub struct Row {
    /// The way in which it was run.
    pub way: String,
    /// The subject of the measurement.
    pub what: String,
    pub origin: Origin,
    /// The deadlines of all passes, where the question is about them.
    pub deadlines: Option<Deadlines>,
    /// The figures of each pass in nanoseconds. Written with the metrics over passes.
    #[serde(serialize_with = "with_metrics")]
    pub passes: Vec<Summary>,
}

/// The number of triggers, and of those whose run ended too late or did not begin at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Deadlines {
    pub missed: u64,
    pub of: u64,
}

/// Simulated figures for numbers of workers: a row per number of motion's, a column per number of
/// cognition's, from 1 on.
#[derive(Serialize)]
pub struct Grid {
    pub what: String,
    pub cells: Vec<Vec<Summary>>,
}

/// The origin of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Measured,
    Simulated,
}

/// A picture of what ran where and when.
#[derive(Serialize)]
pub struct Picture {
    pub title: String,
    /// The picture for the terminal, where it can be drawn with letters.
    pub text: Option<String>,
    pub svg: String,
}

impl Deadlines {
    pub fn add(&mut self, other: Self) {
        self.missed += other.missed;
        self.of += other.of;
    }
}

impl Row {
    pub fn over(&self, metric: Metric) -> Option<OverPasses> {
        metric.over(&self.passes)
    }

    /// Returns the way as it is shown.
    pub fn label(&self) -> String {
        match self.origin {
            Origin::Measured => self.way.clone(),
            Origin::Simulated => format!("{} (simulated)", self.way),
        }
    }
}

impl Question {
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// Adds the figures of a pass to their row, which is made if it is the first pass. A pass
    /// without a single run has no figures.
    pub fn add(&mut self, way: &str, what: &str, origin: Origin, distribution: &Distribution) -> &mut Row {
        let row = self.row_of(way, what, origin);
        if !distribution.is_empty() {
            row.passes.push(distribution.summary());
        }
        row
    }

    pub fn add_summary(&mut self, way: &str, what: &str, origin: Origin, figures: Summary) -> &mut Row {
        let row = self.row_of(way, what, origin);
        row.passes.push(figures);
        row
    }

    fn row_of(&mut self, way: &str, what: &str, origin: Origin) -> &mut Row {
        let found = self.rows.iter().position(|row| row.origin == origin && row.way == way && row.what == what);
        let index = found.unwrap_or_else(|| {
            let (way, what) = (way.to_owned(), what.to_owned());
            self.rows.push(Row { way, what, origin, deadlines: None, passes: Vec::new() });
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }

    /// Returns the subjects of the measurements, in the order in which they first come.
    pub fn subjects(&self) -> Vec<&str> {
        let mut subjects: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !subjects.contains(&row.what.as_str()) {
                subjects.push(&row.what);
            }
        }
        subjects
    }

    pub fn rows_of<'q>(&'q self, subject: &'q str) -> impl Iterator<Item = &'q Row> {
        self.rows.iter().filter(move |row| row.what == subject)
    }

    /// Returns the mean over passes of the measured mean; not a number where nothing was measured.
    pub fn mean(&self, way: &str, what: &str) -> f64 {
        self.measured(way, what, MEAN)
    }

    /// Returns the mean over passes of the measured p99; not a number where nothing was measured.
    pub fn p99(&self, way: &str, what: &str) -> f64 {
        self.measured(way, what, P99)
    }

    fn measured(&self, way: &str, what: &str, metric: Metric) -> f64 {
        let row = self.row(way, what, Origin::Measured);
        row.and_then(|row| row.over(metric)).map_or(f64::NAN, |over| over.mean)
    }

    pub fn row(&self, way: &str, what: &str, origin: Origin) -> Option<&Row> {
        self.rows.iter().find(|row| row.origin == origin && row.way == way && row.what == what)
    }
}

fn with_metrics<S: Serializer>(passes: &[Summary], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Named {
        metric: &'static str,
        #[serde(flatten)]
        over: OverPasses,
    }
    #[derive(Serialize)]
    struct Passes<'p> {
        over: Vec<Named>,
        each: &'p [Summary],
    }
    let over = METRICS.iter().filter_map(|metric| Some(Named { metric: metric.name, over: metric.over(passes)? }));
    Passes { over: over.collect(), each: passes }.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(mean: u64) -> Summary {
        Summary { mean, ..Summary::default() }
    }

    #[test]
    fn passes_of_one_way_are_one_row() {
        let mut question = Question::new("How many?");
        for mean in [4, 6] {
            question.add_summary("2 workers", "motion", Origin::Measured, figures(mean));
            question.add_summary("2 workers", "motion", Origin::Simulated, figures(9));
        }
        assert_eq!((question.rows.len(), question.rows[0].passes.len()), (2, 2));
        assert_eq!(question.mean("2 workers", "motion"), 5.0);
        assert!(question.mean("3 workers", "motion").is_nan());
        let json = serde_json::to_value(&question.rows[0]).expect("a row");
        assert_eq!(json["passes"]["over"][1]["metric"], "mean");
        assert_eq!(json["passes"]["over"][1]["spread"], 2.0);
        assert_eq!(json["passes"]["each"].as_array().map(Vec::len), Some(2));
    }
}
