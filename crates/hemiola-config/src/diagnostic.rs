use std::fmt;
use std::ops::Range;

use annotate_snippets::{
    Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
};

use crate::Place;

/// An error or a warning: what is wrong, where, why, and what to do.
///
/// ```
/// use hemiola_config::{Catalog, ConfigError, parse};
///
/// let Err(ConfigError::Invalid(found)) = parse("[cycle.main]\nrate = \"fast\"\n", "robot.toml", &Catalog::default())
/// else {
///     panic!("`fast` is no rate");
/// };
/// let diagnostic = found.iter().next().unwrap();
/// let place = diagnostic.place.as_ref().unwrap();
/// assert_eq!((place.line(), place.text()), (2, "\"fast\""));
/// ```
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The severity: an error prevents the robot from starting.
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// The place of the problem, if it has one.
    pub place: Option<Place>,
    /// The text beside that place.
    pub label: String,
    /// Other places that are related to the problem, with a text for each.
    pub related: Vec<(Place, String)>,
    /// The remedies.
    pub help: Vec<String>,
}

/// The severity of a diagnostic.
///
/// ```
/// use hemiola_config::Severity;
///
/// let mut found = [Severity::Warning, Severity::Error];
/// found.sort();
/// assert_eq!(found[0], Severity::Error); // the worst comes first
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// The configuration is probably not what was meant.
    Warning,
}

/// All diagnostics, in the order of the files. `Display` shows them with the lines concerned;
/// [`coloured`](Self::coloured) does so for a terminal.
///
/// ```
/// use hemiola_config::{Catalog, ConfigError, parse};
///
/// let text = "[cycle.main]\nrate = -1.0\nworkers = 0\n";
/// let Err(ConfigError::Invalid(found)) = parse(text, "robot.toml", &Catalog::default()) else {
///     panic!("neither is possible");
/// };
/// assert_eq!(found.len(), 2); // not the first alone
/// ```
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    /// The number of diagnostics that were found when there were [`MOST_KEPT`] already.
    omitted: usize,
    errors: usize,
}

/// The number of diagnostics that are kept: more would not be read, and hostile input must not fill
/// the memory.
const MOST_KEPT: usize = 200;

/// The longest excerpt, in bytes. Longer excerpts are split, and of longer lines only the position
/// is shown.
const LONGEST_EXCERPT: usize = 2000;

impl Diagnostic {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message.into())
    }

    /// Creates a warning: something is probably not what was meant.
    ///
    /// ```
    /// use hemiola_config::{Catalog, Diagnostic, Diagnostics, parse};
    ///
    /// let loaded = parse("[cycle.main]\nrate = 30.0\ncores = [99]\n", "robot.toml", &Catalog::default())?;
    /// let cores = &loaded.origins.of("cycle.main.cores").unwrap().place;
    /// let warning = Diagnostic::warning("core 99 is not there").at(cores, "").help("leave it out");
    /// let found: Diagnostics = [warning].into_iter().collect();
    /// assert!(found.to_string().contains("--> robot.toml:3:9"));
    /// # Ok::<(), hemiola_config::ConfigError>(())
    /// ```
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message.into())
    }

    fn new(severity: Severity, message: String) -> Self {
        Self { severity, message, place: None, label: String::new(), related: Vec::new(), help: Vec::new() }
    }

    /// Sets the place, and the text beside it.
    #[must_use]
    pub fn at(mut self, place: &Place, label: impl Into<String>) -> Self {
        self.place = Some(place.clone());
        self.label = label.into();
        self
    }

    /// Adds another place that is related to the problem.
    #[must_use]
    pub fn related(mut self, place: &Place, label: impl Into<String>) -> Self {
        self.related.push((place.clone(), label.into()));
        self
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    fn render(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()));
        if let Some(place) = &self.place {
            group = group.elements(excerpts(place, &self.label, &self.related));
        }
        let help = self.help.iter().map(|help| normalize_untrusted_str(help));
        if self.place.is_some() {
            return renderer.render(&[group.elements(help.map(|help| Level::HELP.message(help)))]);
        }
        let lines = help.map(|help| renderer.render(&[Group::with_title(Level::HELP.secondary_title(help))]));
        std::iter::once(renderer.render(&[group])).chain(lines).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the lines of the place and those related to it; in one picture where they are close
/// together.
fn excerpts<'p>(place: &'p Place, label: &'p str, related: &'p [(Place, String)]) -> Vec<Element<'p>> {
    let mut marks = vec![(place, label, AnnotationKind::Primary)];
    marks.extend(related.iter().map(|(place, label)| (place, label.as_str(), AnnotationKind::Context)));
    let source = place.source();
    let together = marks.iter().all(|(other, ..)| std::ptr::eq(other.source(), source));
    let lines = marks.iter().map(|(place, ..)| place.line());
    let (Some(first), Some(last)) = (lines.clone().min(), lines.max()) else { return Vec::new() };
    let window = source.line(first).start..if together { source.line(last).end } else { 0 };
    if !together || window.len() > LONGEST_EXCERPT {
        return marks.iter().map(|(place, label, kind)| excerpt(place, label, *kind)).collect();
    }
    let annotations = marks.into_iter().map(|(place, label, kind)| annotation(place, label, kind, &window));
    vec![
        Snippet::source(&source.content[window.clone()])
            .line_start(first)
            .path(place.file())
            .annotations(annotations)
            .into(),
    ]
}

/// Returns the line of the place, or only its position if the line is too long to be read.
fn excerpt<'p>(place: &'p Place, label: &'p str, kind: AnnotationKind) -> Element<'p> {
    let line = place.line();
    let window = place.source().line(line);
    if window.len() > LONGEST_EXCERPT {
        return Origin::path(place.file()).line(line).char_column(place.column()).into();
    }
    let text = &place.source().content[window.clone()];
    Snippet::source(text).line_start(line).path(place.file()).annotation(annotation(place, label, kind, &window)).into()
}

/// Underlines the place, as far as it is on its first line. An end of line that is itself wrong
/// lies beyond the line.
fn annotation<'p>(place: &Place, label: &'p str, kind: AnnotationKind, window: &Range<usize>) -> Annotation<'p> {
    let line_end = place.source().line(place.line()).end;
    let (start, end) = (place.start().min(line_end), place.end().min(line_end));
    let annotation = kind.span(start - window.start..end - window.start);
    if label.is_empty() { annotation } else { annotation.label(label) }
}

impl Diagnostics {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if self.found.len() < MOST_KEPT {
            self.found.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// Adds an error whose text and suggestions are only computed if it is kept.
    pub(crate) fn push_error(&mut self, describe: impl FnOnce() -> Diagnostic) {
        if self.found.len() < MOST_KEPT {
            self.push(describe());
        } else {
            self.errors += 1;
            self.omitted += 1;
        }
    }

    /// Returns the diagnostics in the order of the files; those without a place come last.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// Returns whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns how many diagnostics there are, including those that were not kept.
    pub fn len(&self) -> usize {
        self.found.len() + self.omitted
    }

    /// Formats the diagnostics with the colours of a terminal.
    pub fn coloured(&self) -> String {
        self.render(&Renderer::styled().hyperlink(false))
    }

    fn render(&self, renderer: &Renderer) -> String {
        let mut text: Vec<String> = self.found.iter().map(|diagnostic| diagnostic.render(renderer)).collect();
        if self.omitted > 0 {
            text.push(format!("... and {} more", self.omitted));
        }
        text.join("\n\n")
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.found.sort_by(|a, b| (a.place.is_none(), &a.place).cmp(&(b.place.is_none(), &b.place)));
        self
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(found: I) -> Self {
        let mut all = Self::default();
        found.into_iter().for_each(|diagnostic| all.push(diagnostic));
        all
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(&Renderer::plain()))
    }
}
