use std::io::Write;

use serde_json::{Map, Value, json};

use crate::NaoError;

/// How a score is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A table for people.
    #[default]
    Table,
    /// The same with a line for each clip, picture or trial where the table would only sum them up.
    Details,
    /// One JSON object, with all details.
    Json,
}

/// What was measured on a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// What was scored.
    pub title: String,
    /// The directory.
    pub directory: String,
    /// The result, one line each; the last is the overall one.
    pub measures: Vec<Measure>,
    /// Single cases that the result sums up.
    pub details: Vec<Measure>,
    /// What one must know to read the result.
    pub notes: Vec<String>,
}

/// Named figures of one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Whose figures.
    pub subject: String,
    /// Name, value (NaN where there is none), and number of decimals that mean something. All
    /// measures of a score have the same names.
    pub figures: Vec<(&'static str, f64, usize)>,
}

impl Measure {
    /// A measure.
    pub fn new(subject: impl Into<String>, figures: Vec<(&'static str, f64, usize)>) -> Self {
        Self { subject: subject.into(), figures }
    }

    /// A figure by its name; NaN where there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> f64 {
        self.figures.iter().find(|figure| figure.0 == name).map_or(f64::NAN, |figure| figure.1)
    }
}

impl Score {
    /// The last line: everything together.
    ///
    /// # Panics
    /// When nothing was measured, which [`evaluate`](super::evaluate) never returns.
    #[must_use]
    pub fn overall(&self) -> &Measure {
        self.measures.last().expect("a score has measures")
    }

    /// Writes it.
    ///
    /// # Errors
    /// The output does not take it.
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

/// Subjects to the left, figures to the right, columns as wide as they need.
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
