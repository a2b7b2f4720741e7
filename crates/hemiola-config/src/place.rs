use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A place in one of the texts of a configuration: a file, or a `--set` assignment.
///
/// Places are ordered by their texts, of which later ones override earlier ones, and by their
/// positions in the text. Cheap to clone.
///
/// ```
/// use hemiola_config::{Catalog, parse};
///
/// let loaded = parse("[cycle.main]\nrate = 30.0\n", "robot.toml", &Catalog::default())?;
/// let place = &loaded.origins.of("cycle.main.rate").unwrap().place;
/// assert_eq!((place.file(), place.line(), place.column(), place.text()), ("robot.toml", 2, 8, "30.0"));
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Place {
    text: Arc<SourceText>,
    span: Range<usize>,
}

/// A text of a configuration.
#[derive(Debug)]
pub(crate) struct SourceText {
    /// The name of the text: the path, or `--set`.
    pub name: String,
    pub content: String,
    /// The rank of the text: later texts override earlier ones.
    pub order: usize,
    line_starts: Vec<usize>,
}

impl Place {
    /// Creates the place of `span`, a range of bytes. A range that exceeds the text or splits a
    /// character is corrected.
    pub(crate) fn new(text: &Arc<SourceText>, span: Range<usize>) -> Self {
        let content = &text.content;
        let mut start = span.start.min(content.len());
        let mut end = span.end.clamp(span.start.min(content.len()), content.len());
        while !content.is_char_boundary(start) {
            start -= 1;
        }
        while !content.is_char_boundary(end) {
            end += 1;
        }
        Self { text: Arc::clone(text), span: start..end }
    }

    /// Returns the path of the file as the user gave it, or `--set`.
    pub fn file(&self) -> &str {
        &self.text.name
    }

    /// Returns the line, from 1.
    pub fn line(&self) -> usize {
        self.text.line_starts.partition_point(|&start| start <= self.span.start)
    }

    /// Returns the column in characters, from 1.
    pub fn column(&self) -> usize {
        let line_start = self.text.line_starts[self.line() - 1];
        self.text.content[line_start..self.span.start].chars().count() + 1
    }

    /// Returns the text at the place.
    pub fn text(&self) -> &str {
        &self.text.content[self.span.clone()]
    }

    /// Returns the place of a range of the text at this place, whether or not there are quotes
    /// around it; the whole place if it was written with escapes.
    pub(crate) fn within(&self, text: &str, span: Range<usize>) -> Self {
        let begin = match self.text().strip_prefix(['"', '\'']) {
            Some(rest) if rest.starts_with(text) => self.span.start + 1,
            None if self.text() == text => self.span.start,
            _ => return self.clone(),
        };
        Self::new(&self.text, begin + span.start..begin + span.end)
    }

    pub(crate) fn source(&self) -> &SourceText {
        &self.text
    }

    pub(crate) fn start(&self) -> usize {
        self.span.start
    }

    pub(crate) fn end(&self) -> usize {
        self.span.end
    }
}

impl SourceText {
    pub fn new(name: impl Into<String>, content: impl Into<String>, order: usize) -> Arc<Self> {
        let content = content.into();
        let line_starts = std::iter::once(0).chain(content.match_indices('\n').map(|(index, _)| index + 1)).collect();
        Arc::new(Self { name: name.into(), content, order, line_starts })
    }

    /// Returns the range of bytes of a line, counted from 1, without its end.
    pub fn line(&self, line: usize) -> Range<usize> {
        let start = self.line_starts[line - 1];
        let end = self.line_starts.get(line).map_or(self.content.len(), |next| next - 1);
        let line = &self.content[start..end];
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |place: &Self| (place.text.order, place.span.start, place.span.end);
        key(self).cmp(&key(other)).then_with(|| self.text.name.cmp(&other.text.name))
    }
}

/// Formats the place like `robot.toml:12:3`.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file(), self.line(), self.column())
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Place({self} {:?})", self.text())
    }
}
