//! Parameters of ROS 2 in YAML. The library `granit-parser` reads YAML, and this file gives it the
//! meaning that it has in ROS 2 (`rcl_yaml_param_parser`): which values are numbers and truth
//! values, and no aliases, so that no text stands for a larger one. Values become those of TOML.
//!
//! Whoever starts a robot gives it such files, and they may come from anywhere: sizes and depths
//! are bounded.

use std::fmt;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, options};

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// A value, in TOML.
    Value(String),
    /// The entries of a table, in the order of the file.
    Table(Vec<Entry>),
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub content: Yaml,
    /// The place of the value, or of the table, in the text.
    pub place: Place,
}

/// A place in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The bytes of the text.
    pub span: Range<usize>,
}

/// The reason why a text is not understood: `line 4: a tab is no indentation`.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlError {
    pub line: usize,
    pub why: String,
}

/// The longest text that is read, in bytes.
pub const LONGEST_TEXT: usize = 1 << 20;
/// The most tables and lists inside each other, of either notation.
const DEEPEST: usize = 16;
/// The longest name of an entry, in bytes; full names of ROS 2 have 247 at most.
pub const LONGEST_NAME: usize = 256;

/// The words for truth in YAML 1.1, which ROS 2 reads.
const TRUE: [&str; 11] = ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const FALSE: [&str; 11] = ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];

/// Reads a file.
///
/// # Errors
/// Returns an error with the line and the reason.
pub fn file(text: &str) -> Result<Yaml, YamlError> {
    let mut reader = Reader::of(text)?;
    let mut entries = Vec::new();
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _) => {}
            (Event::StreamEnd, _) => return Ok(Yaml::Table(entries)),
            (Event::Scalar(..), place) if reader.is_missing(&place) => {}
            (event, place) => match reader.node(event, &place)? {
                Yaml::Table(more) => entries.extend(more),
                Yaml::Value(value) => {
                    return Err(
                        place.error(format!("{value} stands where the name of a node must: write `/**:` above it"))
                    );
                }
            },
        }
    }
}

/// Reads a value by itself, as on a command line.
///
/// # Errors
/// Returns an error with the reason.
pub fn value(text: &str) -> Result<String, YamlError> {
    let mut reader = Reader::of(text)?;
    let mut read = None;
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _) => {}
            (Event::StreamEnd, place) => return read.ok_or_else(|| place.missing()),
            (_, place) if read.is_some() => return Err(place.error("another value follows: give one")),
            (event, place) => match reader.node(event, &place)? {
                Yaml::Value(value) => read = Some(value),
                Yaml::Table(_) => return Err(place.no_table()),
            },
        }
    }
}

/// Returns a text in the quotes of TOML.
pub fn quoted(text: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    format!("\"{}\"", text.chars().map(letter).collect::<String>())
}

struct Reader<'t> {
    text: &'t str,
    parser: Parser<'t, StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn of(text: &'t str) -> Result<Self, YamlError> {
        if text.len() > LONGEST_TEXT {
            let why = format!("the text has {} bytes, of at most {LONGEST_TEXT}: split it", text.len());
            return Err(YamlError { line: 1, why });
        }
        let options = options! {
            emit_comments: false,
            emit_unresolved_aliases: true,
            flow_nesting_limit: DEEPEST,
            block_nesting_limit: DEEPEST,
        };
        Ok(Self { text, parser: Parser::new_from_str_with_options(text, options) })
    }

    fn next(&mut self) -> Result<(Event<'t>, Place), YamlError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, Place::of(&span))),
            Some(Err(error)) => Err(error.into()),
            // The parser ends its stream with an event.
            None => Ok((Event::StreamEnd, Place::default())),
        }
    }

    /// Returns whether nothing stands where a value does.
    fn is_missing(&self, place: &Place) -> bool {
        self.text.get(place.span.clone()).is_none_or(|text| text.trim().is_empty())
    }

    /// Reads the value or table that begins with an event.
    fn node(&mut self, event: Event<'t>, place: &Place) -> Result<Yaml, YamlError> {
        if let Some(tag) = event.tag() {
            let remedy = "remove it; a text stands in quotes";
            return Err(place.error(format!("the tag `{}` is not supported: {remedy}", tag.original())));
        }
        match event {
            Event::Scalar(text, style, ..) => match style {
                ScalarStyle::Plain if self.is_missing(place) => Err(place.missing()),
                ScalarStyle::Plain => plain(&text).ok_or_else(|| place.missing()).map(Yaml::Value),
                _ => Ok(Yaml::Value(quoted(&text))),
            },
            Event::SequenceStart(..) => self.list(),
            Event::MappingStart(..) => self.table(),
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                let alias = self.text.get(place.span.clone()).unwrap_or("*");
                Err(place.error(format!(
                    "`{alias}` stands for a value elsewhere, which ROS 2 does not support: write the value"
                )))
            }
            _ => Err(place.missing()),
        }
    }

    fn list(&mut self) -> Result<Yaml, YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Yaml::Value(format!("[{}]", items.join(", ")))),
                (event, place) => match self.node(event, &place)? {
                    Yaml::Value(item) => items.push(item),
                    Yaml::Table(_) => return Err(place.no_table()),
                },
            }
        }
    }

    fn table(&mut self) -> Result<Yaml, YamlError> {
        let mut entries = Vec::new();
        loop {
            let name = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Yaml::Table(entries)),
                (Event::Scalar(name, _, _, None), place) if !name.is_empty() && !self.is_missing(&place) => {
                    if name.len() > LONGEST_NAME {
                        let why = format!("a name has {} bytes, of at most {LONGEST_NAME}: shorten it", name.len());
                        return Err(place.error(why));
                    }
                    name.into_owned()
                }
                (_, place) => return Err(place.error("an entry has no name: write NAME: VALUE")),
            };
            let (event, place) = self.next()?;
            let content = self.node(event, &place).map_err(|error| error.of(&name))?;
            entries.push(Entry { name, content, place });
        }
    }
}

/// Returns a value without quotes in TOML, by the rules of ROS 2; `None` if it is none.
fn plain(text: &str) -> Option<String> {
    if TRUE.contains(&text) {
        return Some("true".to_owned());
    }
    if FALSE.contains(&text) {
        return Some("false".to_owned());
    }
    match text {
        "~" | "null" | "Null" | "NULL" => None,
        _ => Some(integer(text).or_else(|| float(text)).unwrap_or_else(|| quoted(text))),
    }
}

/// Reads a whole number as C does, also one in octal (`010`) or hexadecimal (`0x1F`) digits.
fn integer(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
        None => (digits, 10),
    };
    // A second sign is none.
    let is_digits = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    let number = i64::from_str_radix(&format!("{sign}{digits}"), radix);
    number.ok().filter(|_| is_digits).map(|number| number.to_string())
}

fn float(text: &str) -> Option<String> {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    match magnitude {
        ".inf" | ".Inf" | ".INF" => return Some(format!("{sign}inf")),
        ".nan" | ".NaN" | ".NAN" => return Some("nan".to_owned()),
        _ => {}
    }
    let number: f64 = text.parse().ok()?;
    // A number that is too large is a text.
    let is_word = magnitude.starts_with(|letter: char| letter.is_ascii_alphabetic());
    (number.is_finite() || is_word).then(|| if number.is_nan() { "nan".to_owned() } else { format!("{number:?}") })
}

impl Place {
    fn of(span: &Span) -> Self {
        Self { line: span.start.line().max(1), span: span.byte_range().unwrap_or_default() }
    }

    pub fn error(&self, why: impl Into<String>) -> YamlError {
        YamlError { line: self.line.max(1), why: why.into() }
    }

    fn missing(&self) -> YamlError {
        self.error("it has no value: write one")
    }

    fn no_table(&self) -> YamlError {
        self.error("a table is no value of a parameter: write a value, or a list of values")
    }
}

impl YamlError {
    /// Returns the error with the name of the entry that it is about.
    fn of(self, name: &str) -> Self {
        match self.why.strip_prefix('`') {
            // An entry inside has been named.
            Some(_) => self,
            None => Self { why: format!("`{}`: {}", name.escape_debug(), self.why), ..self },
        }
    }
}

impl From<ScanError> for YamlError {
    fn from(error: ScanError) -> Self {
        let why = format!("this is not YAML: {} (check indentation, quotes and brackets)", error.info());
        Self { line: error.marker().line().max(1), why }
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.why)
    }
}

#[cfg(test)]
mod tests;
