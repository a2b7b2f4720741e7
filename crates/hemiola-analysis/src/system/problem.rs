use std::fmt::{self, Display};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// All problems of a description; there is at least one.
///
/// ```
/// use hemiola_analysis::System;
/// let text = r#"cores = 2
/// [[chain]]
/// name = "brake"
/// period = "80 ms"
/// callbacks = [
///     { name = "camera", takes = "2 ms", executor = "visoin", priority = 1 },
/// ]
/// [[executor]]
/// name = "vision"
/// core = 1
/// priority = 80
/// "#;
/// let problems = System::from_toml(text, "system.toml").unwrap_err();
/// assert_eq!(problems.to_string(), "system.toml:6:51: there is no executor `visoin`
///   help: did you mean `vision`?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

/// A problem of a description, and its remedy.
///
/// ```
/// use hemiola_analysis::system::{Place, Problem};
/// let problem = Problem { place: Place::Unknown, message: "there are no cores".into(), help: Some("write `cores = 4`".into()) };
/// assert_eq!(problem.to_string(), "there are no cores\n  help: write `cores = 4`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place of the problem.
    pub place: Place,
    /// The fact that is wrong.
    pub message: String,
    /// The remedy, if there is one to name.
    pub help: Option<String>,
}

/// The place of a problem in a description.
///
/// ```
/// use hemiola_analysis::system::Place;
/// let place = Place::Line { file: "system.toml".into(), line: 3, column: 8 };
/// assert_eq!(place.to_string(), "system.toml:3:8");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Place {
    /// The place is not known.
    #[default]
    Unknown,
    /// The path to the problem through the document.
    Path(Vec<Key>),
    /// A position in a file, counted from 1.
    Line {
        /// The name of the file, as it was given.
        file: String,
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
}

/// A step into a document.
///
/// ```
/// use hemiola_analysis::system::{Key, Place};
/// let place = Place::Path(vec![Key::Name("chain"), Key::Index(0), Key::Name("period")]);
/// assert_eq!(place.to_string(), "chain[0].period");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// The value of a key.
    Name(&'static str),
    /// An element of a list, from 0.
    Index(usize),
}

impl Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => Ok(()),
            Self::Line { file, line, column } => write!(formatter, "{file}:{line}:{column}"),
            Self::Path(keys) => {
                for (number, key) in keys.iter().enumerate() {
                    match key {
                        Key::Name(name) if number == 0 => formatter.write_str(name)?,
                        Key::Name(name) => write!(formatter, ".{name}")?,
                        Key::Index(index) => write!(formatter, "[{index}]")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Unknown => formatter.write_str(&self.message)?,
            place => write!(formatter, "{place}: {}", self.message)?,
        }
        match &self.help {
            Some(help) => write!(formatter, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        formatter.write_str(&texts.join("\n"))
    }
}

impl std::error::Error for Problems {}

impl Problems {
    pub(super) fn of_toml(error: &toml::de::Error, text: &str, file: &str) -> Self {
        let place = error.span().map_or(Place::Unknown, |span| line(text, file, span.start));
        Self(vec![Problem { place, message: error.message().trim().to_owned(), help: None }])
    }

    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        Self(vec![Problem { place: Place::Unknown, message: error.to_string(), help: None }])
    }

    /// Replaces paths through the document with lines.
    pub(super) fn located(mut self, text: &str, file: &str) -> Self {
        // The text has been read before, so it is valid TOML.
        let Ok(root) = DeTable::parse(text) else { return self };
        for problem in &mut self.0 {
            if let Place::Path(keys) = &problem.place {
                problem.place = line(text, file, find(&root, keys));
            }
        }
        self
    }
}

/// Returns the position at which the value begins to which the keys lead, or the last one that
/// exists.
fn find(root: &Spanned<DeTable<'_>>, keys: &[Key]) -> usize {
    let mut start = root.span().start;
    let mut at: Option<&DeValue<'_>> = None;
    for key in keys {
        let next = match (key, at) {
            (Key::Name(name), None) => root.get_ref().get(*name),
            (Key::Name(name), Some(DeValue::Table(table))) => table.get(*name),
            (Key::Index(index), Some(DeValue::Array(array))) => array.get(*index),
            _ => None,
        };
        let Some(next) = next else { break };
        start = next.span().start;
        at = Some(next.get_ref());
    }
    start
}

fn line(text: &str, file: &str, start: usize) -> Place {
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Place::Line { file: file.to_owned(), line, column }
}
