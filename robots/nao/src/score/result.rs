use std::io::Write;

use serde_json::{Map, Value, json};

use crate::NaoError;

/// The format in which a score is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A table for people.
    #[default]
    Table,
    /// A table with a line for each clip, picture or trial instead of only their sums.
    Details,
    /// A JSON object, with all details.
    Json,
}

/// The result for a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The modules that were scored.
    pub title: String,
    /// The directory.
    pub directory: String,
    /// The results, one line each; the last is the overall one.
    pub measures: Vec<Measure>,
    /// The single cases that the result sums up.
    pub details: Vec<Measure>,
    /// The notes for reading the result.
    pub notes: Vec<String>,
}

/// Named figures of one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The subject of the figures.
    pub subject: String,
    /// The name, value (NaN if there is none), and number of significant decimals of each figure.
    /// All measures of a score have the same names.
    pub figures: Vec<(&'static str, f64, usize)>,
}

impl Measure {
    /// Creates a measure.
    pub fn new(subject: impl Into<String>, figures: Vec<(&'static str, f64, usize)>) -> Self {
        Self { subject: subject.into(), figures }
    }

    /// Returns a figure by its name; NaN if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> f64 {
        self.figures.iter().find(|figure| figure.0 == name).map_or(f64::NAN, |figure| figure.1)
    }
}

impl Score {
    /// Returns the last line, for everything together.
    ///
    /// # Panics
    /// If there are no measures, which [`evaluate`](super::evaluate) never returns.
    #[must_use]
    pub fn overall(&self) -> &Measure {
        self.measures.last().expect("a score has measures")
    }

    /// Writes the score.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&self, format: Format, output: &mut impl Write) -> Result<(), NaoError> {
        match format {
            Format::Json => writeln!(output, "{:#}", self.json())?,
            Format::Table | Format::Details => {
                writeln!(output, "{}: {}\n", self.title, self.directory)?;
                if format == Format::Details && !self.details.is_empty() {
                    table(&self.details, output)?;
                    writeln!(output)?;
                }
                table(&self.measures, output)?;
                for note in &self.notes {
                    writeln!(output, "\n{note}")?;
                }
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let list = |measures: &[Measure]| -> Vec<Value> {
            let object = |measure: &Measure| {
                let mut object = Map::new();
                object.insert("subject".into(), measure.subject.clone().into());
                object.extend(measure.figures.iter().map(|(name, value, _)| ((*name).to_owned(), json!(value))));
                Value::Object(object)
            };
            measures.iter().map(object).collect()
        };
        json!({
            "title": self.title,
            "directory": self.directory,
            "measures": list(&self.measures),
            "details": list(&self.details),
            "notes": self.notes,
        })
    }
}

/// Writes a table with subjects to the left, figures to the right, and columns as wide as
/// necessary.
fn table(measures: &[Measure], output: &mut impl Write) -> Result<(), NaoError> {
    let Some(first) = measures.first() else { return Ok(()) };
    let width = measures.iter().map(|measure| measure.subject.chars().count()).max().unwrap_or(0);
    write!(output, "{:width$}", "")?;
    for (name, ..) in &first.figures {
        write!(output, "  {name:>10}")?;
    }
    writeln!(output)?;
    for measure in measures {
        write!(output, "{:width$}", measure.subject)?;
        for (name, value, decimals) in &measure.figures {
            let value = if value.is_finite() { format!("{value:.decimals$}") } else { "-".into() };
            write!(output, "  {value:>0$}", name.chars().count().max(10))?;
        }
        writeln!(output)?;
    }
    Ok(())
}
