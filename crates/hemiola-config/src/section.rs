use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use hemiola_model::Value;
use hemiola_model::configuration::LogExtent;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::duration::parse_duration;
use crate::node::{Content, Node, in_order};
use crate::place::Place;
use crate::size::parse_size;
use crate::suggest::{list, nearest};

/// A table whose keys are known: each is read once, and a key that is left over is an error that
/// names the known keys.
pub(crate) struct Section<'n> {
    /// The path as in a header: `cycle.motion`; empty for the whole file.
    path: String,
    remaining: BTreeMap<&'n str, &'n Node>,
    known: Vec<String>,
}

/// The largest number of items of a list: no robot has more modules or cores.
const MOST_ITEMS: usize = 1024;

/// The reason why a value was refused.
pub(crate) struct Refusal<'n> {
    node: &'n Node,
    /// The end of "must be ...".
    expected: String,
    meant: Option<String>,
    help: Option<String>,
}

pub(crate) type Reading<'n, T> = Result<T, Refusal<'n>>;

impl<'n> Section<'n> {
    /// Opens the section that `node` holds. If that is not a table, returns `None` and reports an
    /// error.
    pub fn open(path: &str, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let Some(table) = node.table() else {
            let message = format!("`{path}` must be a table, not {}", node.describe());
            found.push(
                Diagnostic::error(message).at(&node.key, "").help(format!("write `[{path}]` and its keys below it")),
            );
            return None;
        };
        let remaining = table.iter().map(|(name, node)| (name.as_str(), node)).collect();
        Some(Self { path: path.to_owned(), remaining, known: Vec::new() })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value of a key that has not been read yet, for messages that need its place.
    pub fn peek(&self, key: &str) -> Option<&'n Node> {
        self.remaining.get(key).copied()
    }

    /// Returns the value of a key and makes the key a known one.
    pub fn take(&mut self, key: &str) -> Option<&'n Node> {
        self.known.push(key.to_owned());
        self.remaining.remove(key)
    }

    /// Returns the value of a key that is not known, so that it is not reported as unknown.
    pub fn leftover(&mut self, key: &str) -> Option<&'n Node> {
        self.remaining.remove(key)
    }

    /// Reads the value of a key as a `T`. If it is not one, returns `None` and reports an error.
    pub fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&'n Node) -> Reading<'n, T>,
        found: &mut Diagnostics,
    ) -> Option<T> {
        let node = self.take(key)?;
        match read(node) {
            Ok(value) => Some(value),
            Err(refusal) => {
                found.push(refusal.into_diagnostic(key));
                None
            }
        }
    }

    /// Reads the list at `key`, each item by `item`. Items that are wrong or repeated are reported
    /// and skipped. `expected` describes the list.
    pub fn list<T: PartialEq>(
        &mut self,
        key: &str,
        expected: &str,
        item: impl Fn(&'n Node) -> Reading<'n, T>,
        found: &mut Diagnostics,
    ) -> Vec<T> {
        let Some(node) = self.take(key) else { return Vec::new() };
        let Some(items) = node.list() else {
            found.push(Refusal::new(node, expected).into_diagnostic(key));
            return Vec::new();
        };
        if items.len() > MOST_ITEMS {
            let message = format!("`{key}` has {} items, of at most {MOST_ITEMS}", items.len());
            found.push(Diagnostic::error(message).at(&node.place, ""));
            return Vec::new();
        }
        let mut values = Vec::new();
        for (index, node) in items.iter().enumerate() {
            match item(node) {
                Ok(value) if values.contains(&value) => {
                    let message = format!("`{key}` names {} twice", node.place.text());
                    found.push(Diagnostic::error(message).at(&node.place, "named before"));
                }
                Ok(value) => values.push(value),
                Err(refusal) => found.push(refusal.into_diagnostic(&format!("{key}[{index}]"))),
            }
        }
        values
    }

    /// Returns the entries of the table `key`, in the order of the files; none if it is absent or,
    /// with an error, not a table.
    pub fn entries(&mut self, key: &str, found: &mut Diagnostics) -> Vec<(&'n str, &'n Node)> {
        let Some(node) = self.take(key) else { return Vec::new() };
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Section::open(&path, node, found).and_then(|_| node.table()).map(in_order).unwrap_or_default()
    }

    /// Reports every key that is not known as an error.
    pub fn finish(self, found: &mut Diagnostics) {
        for (key, node) in &self.remaining {
            found.push_error(|| {
                let known = self.known.iter().map(String::as_str);
                let place = match self.path.as_str() {
                    "" => "at the top of the file".into(),
                    path => format!("in `[{path}]`"),
                };
                let error = Diagnostic::error(format!("unknown key `{key}` {place}"));
                suggest(error, node, key, known, "known here")
            });
        }
    }
}

/// Adds to an error the key of `node` as its place, what may have been meant, and all
/// possibilities.
pub(crate) fn suggest<'c>(
    error: Diagnostic,
    node: &Node,
    name: &str,
    candidates: impl Iterator<Item = &'c str> + Clone,
    known: &str,
) -> Diagnostic {
    suggest_at(error, &node.key, name, candidates, known)
}

/// Adds to an error what [`suggest`] adds, at any place.
pub(crate) fn suggest_at<'c>(
    error: Diagnostic,
    place: &Place,
    name: &str,
    candidates: impl Iterator<Item = &'c str> + Clone,
    known: &str,
) -> Diagnostic {
    let meant = nearest(name, candidates.clone()).map(|nearest| format!("did you mean `{nearest}`?"));
    let error = error.at(place, meant.unwrap_or_default());
    let all = list(candidates);
    if all.is_empty() { error } else { error.help(format!("{known}: {all}")) }
}

impl<'n> Refusal<'n> {
    pub fn new(node: &'n Node, expected: impl Into<String>) -> Self {
        Self { node, expected: expected.into(), meant: None, help: None }
    }

    pub fn meant(mut self, meant: impl Into<String>) -> Self {
        self.meant = Some(meant.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn into_diagnostic(self, name: &str) -> Diagnostic {
        let message = format!("`{name}` must be {}, not {}", self.expected, self.node.describe());
        let label = self.meant.map(|meant| format!("did you mean {meant}?")).unwrap_or_default();
        let error = Diagnostic::error(message).at(&self.node.place, label);
        match self.help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

pub(crate) fn boolean(node: &Node) -> Reading<'_, bool> {
    match &node.content {
        Content::Scalar(Value::Boolean(value)) => Ok(*value),
        _ => Err(Refusal::new(node, "true or false")),
    }
}

pub(crate) fn text(node: &Node) -> Reading<'_, String> {
    match node.text() {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(Refusal::new(node, "a text")),
    }
}

pub(crate) fn file_name(node: &Node) -> Reading<'_, PathBuf> {
    path(node, "the name of a file")
}

pub(crate) fn folder_name(node: &Node) -> Reading<'_, PathBuf> {
    path(node, "the name of a folder")
}

fn path<'n>(node: &'n Node, expected: &str) -> Reading<'n, PathBuf> {
    match node.text() {
        Some(text) if !text.is_empty() && !text.contains('\0') => Ok(text.into()),
        _ => Err(Refusal::new(node, expected)),
    }
}

/// Reads any finite number.
pub(crate) fn number(node: &Node) -> Reading<'_, f64> {
    match &node.content {
        Content::Scalar(Value::Float(number)) if number.is_finite() => Ok(*number),
        Content::Scalar(Value::Integer(number)) => Ok(*number as f64),
        _ => Err(Refusal::new(node, "a number")),
    }
}

/// Reads a rate in hertz.
pub(crate) fn rate(node: &Node) -> Reading<'_, f64> {
    let number = match &node.content {
        Content::Scalar(Value::Float(number)) => *number,
        Content::Scalar(Value::Integer(number)) => *number as f64,
        _ => f64::NAN,
    };
    if (1e-3..=1e6).contains(&number) {
        return Ok(number);
    }
    let refusal = Refusal::new(node, "a rate in hertz, from 0.001 to 1000000.0");
    match node.text().and_then(|text| text.strip_suffix("Hz")).map(str::trim) {
        Some(number) => Err(refusal.meant(number)),
        None => Err(refusal),
    }
}

/// Reads a whole number within `range`.
pub(crate) fn whole(range: RangeInclusive<usize>) -> impl Fn(&Node) -> Reading<'_, usize> {
    move |node| {
        let number = match &node.content {
            Content::Scalar(Value::Integer(number)) => usize::try_from(*number).ok(),
            _ => None,
        };
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| Refusal::new(node, format!("a whole number from {} to {}", range.start(), range.end())))
    }
}

pub(crate) fn duration(node: &Node) -> Reading<'_, Duration> {
    match &node.content {
        Content::Scalar(Value::Text(text)) => parse_duration(text).map_err(|problem| {
            Refusal::new(node, format!("a duration {problem}")).help("such as \"12 ms\", \"1.5 s\" or \"200 us\"")
        }),
        Content::Scalar(number @ (Value::Integer(_) | Value::Float(_))) => {
            Err(Refusal::new(node, "a duration, as text with its unit").meant(format!("\"{number} ms\"")))
        }
        _ => {
            Err(Refusal::new(node, "a duration, as text with its unit")
                .help("such as \"12 ms\", \"1.5 s\" or \"200 us\""))
        }
    }
}

/// Reads a duration within `range`, which `limits` describes.
pub(crate) fn duration_within(
    range: RangeInclusive<Duration>,
    limits: &'static str,
) -> impl Fn(&Node) -> Reading<'_, Duration> {
    move |node| match duration(node)? {
        duration if range.contains(&duration) => Ok(duration),
        _ => Err(Refusal::new(node, format!("a duration {limits}"))),
    }
}

/// Reads a number of bytes.
pub(crate) fn size(node: &Node) -> Reading<'_, u64> {
    const EXAMPLES: &str = "such as \"500 MB\" or \"2 GB\"";
    match node.text() {
        Some(text) => {
            parse_size(text).map_err(|problem| Refusal::new(node, format!("a size {problem}")).help(EXAMPLES))
        }
        None => Err(Refusal::new(node, "a size, as text with its unit").help(EXAMPLES)),
    }
}

/// Reads a part of a log: a duration or a size.
pub(crate) fn extent(node: &Node) -> Reading<'_, LogExtent> {
    let text = node.text().unwrap_or_default();
    let time = parse_duration(text).ok().filter(|time| *time >= SHORTEST_EXTENT).map(LogExtent::Time);
    let size = || parse_size(text).ok().filter(|size| *size >= SMALLEST_EXTENT).map(LogExtent::Size);
    time.or_else(size).ok_or_else(|| {
        Refusal::new(node, "a duration of at least 1 s or a size of at least 1 MB")
            .help("such as \"10 min\" or \"2 GB\"")
    })
}

/// The shortest duration for which a file is worthwhile.
const SHORTEST_EXTENT: Duration = Duration::from_secs(1);
const SMALLEST_EXTENT: u64 = 1_000_000;

/// Reads one of these names.
pub(crate) fn choice<'n, T: Copy>(choices: &'static [(&'static str, T)]) -> impl Fn(&'n Node) -> Reading<'n, T> {
    move |node| {
        if let Some((_, value)) = choices.iter().find(|(name, _)| node.text() == Some(*name)) {
            return Ok(*value);
        }
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let refusal = Refusal::new(node, format!("one of {}", names.join(", ")));
        match nearest(node.text().unwrap_or_default(), choices.iter().map(|(name, _)| *name)) {
            Some(name) => Err(refusal.meant(format!("\"{name}\""))),
            None => Err(refusal),
        }
    }
}
