use std::fmt;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str};

use crate::Place;

/// One thing that is wrong or worth a look: what, where, why, and what to do.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Whether the robot can start in spite of it.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where, if it is somewhere.
    pub place: Option<Place>,
    /// What to say at that place.
    pub label: String,
    /// Other places that have to do with it.
    pub related: Vec<(Place, String)>,
    /// What to do.
    pub help: Vec<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// Probably not what was meant.
    Warning,
}

/// All that was found, in the order of the files. Shows itself with the lines concerned; [`coloured`](Self::coloured) does
/// so for a terminal.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    /// Found when there were [`MOST_KEPT`] already.
    omitted: usize,
}

/// More than this nobody reads, and hostile input must not fill the memory.
const MOST_KEPT: usize = 200;

/// Lines that are longer, in bytes, are named and not shown.
const WIDEST_LINE: usize = 2000;

impl Diagnostic {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message.into())
    }

    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message.into())
    }

    fn new(severity: Severity, message: String) -> Self {
        Self { severity, message, place: None, label: String::new(), related: Vec::new(), help: Vec::new() }
    }

    pub(crate) fn at(mut self, place: &Place, label: impl Into<String>) -> Self {
        self.place = Some(place.clone());
        self.label = label.into();
        self
    }

    pub(crate) fn related(mut self, place: &Place, label: impl Into<String>) -> Self {
        self.related.push((place.clone(), label.into()));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
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
            group = group.element(excerpt(place, &self.label, AnnotationKind::Primary));
        }
        for (place, label) in &self.related {
            group = group.element(excerpt(place, label, AnnotationKind::Context));
        }
        let help = self.help.iter().map(|help| Level::HELP.message(normalize_untrusted_str(help)));
        renderer.render(&[group.elements(help)])
    }
}

/// The line of the place with what it points at, or only where that is when the line is no line for people.
fn excerpt<'p>(place: &'p Place, label: &'p str, kind: AnnotationKind) -> Element<'p> {
    let line = place.line();
    let window = place.source().line(line);
    if window.len() > WIDEST_LINE {
        return Origin::path(place.file()).line(line).char_column(place.column()).into();
    }
    let span = place.start() - window.start..place.end().min(window.end) - window.start;
    let mut annotation = kind.span(span);
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    let text = &place.source().content[window];
    Snippet::source(text).line_start(line).path(place.file()).annotation(annotation).into()
}

impl Diagnostics {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.found.len() < MOST_KEPT {
            self.found.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// In the order of the files; what stands nowhere comes last.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// How many things were found.
    pub fn len(&self) -> usize {
        self.found.len() + self.omitted
    }

    /// As text with the colours of a terminal.
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
        self.found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.found.sort_by(|a, b| (a.place.is_none(), &a.place).cmp(&(b.place.is_none(), &b.place)));
        self
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(&Renderer::plain()))
    }
}
