//! Parsing of TOML text into [`Node`]s.

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_model::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::lexer::TokenKind;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::duration::parse_duration;
use crate::node::{Content, Node, Table};
use crate::place::{Place, SourceText};

/// The longest text that is accepted, in bytes.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// The largest number of tables and lists inside each other that is accepted.
const DEEPEST: usize = 24;

const TOO_DEEP: &str = "tables and lists are nested too deep here";

/// Parses the text as a table. If it is not TOML, returns `None` and reports all errors.
pub(crate) fn parse_text(text: &Arc<SourceText>, found: &mut Diagnostics) -> Option<Node> {
    let whole = Place::new(text, 0..0);
    if text.content.len() > LONGEST_TEXT {
        let message = format!("this file is too long: {} bytes, of at most {LONGEST_TEXT}", text.content.len());
        found.push(Diagnostic::error(message).at(&whole, ""));
        return None;
    }
    if let Some(place) = nested_too_deep(text) {
        found.push(Diagnostic::error(TOO_DEEP).at(&place, format!("at most {DEEPEST} levels are allowed")));
        return None;
    }
    let (root, errors) = DeTable::parse_recoverable(&text.content);
    if !errors.is_empty() {
        report_syntax(text, &errors, found);
        return None;
    }
    let mut converter = Converter { text, found, failed: false };
    let content = converter.table(root.get_ref(), 0);
    let failed = converter.failed;
    (!failed).then(|| Node { content, key: whole.clone(), place: whole, overrides: Vec::new() })
}

struct Converter<'t> {
    text: &'t Arc<SourceText>,
    found: &'t mut Diagnostics,
    failed: bool,
}

impl Converter<'_> {
    fn table(&mut self, table: &DeTable<'_>, depth: usize) -> Content {
        let mut entries = BTreeMap::new();
        for (key, value) in table.iter() {
            let place = Place::new(self.text, key.span());
            entries.insert(key.get_ref().to_string(), self.node(place, value, depth + 1));
        }
        Content::Table(entries)
    }

    fn node(&mut self, key: Place, value: &Spanned<DeValue<'_>>, depth: usize) -> Node {
        let place = Place::new(self.text, value.span());
        let content = if depth > DEEPEST {
            self.fail(&place, TOO_DEEP.into());
            Content::Table(Table::new())
        } else {
            match value.get_ref() {
                DeValue::String(text) => Content::Scalar(Value::Text(text.to_string())),
                DeValue::Boolean(value) => Content::Scalar(Value::Boolean(*value)),
                DeValue::Integer(number) => match integer(number.as_str(), number.radix()) {
                    Some(value) => Content::Scalar(value),
                    None => {
                        self.fail(&place, "this number does not fit 64 bits".into());
                        Content::Scalar(Value::Nothing)
                    }
                },
                DeValue::Float(number) => match float(number.as_str()) {
                    Some(value) => Content::Scalar(Value::Float(value)),
                    None => {
                        self.fail(&place, "this number does not fit 64 bits".into());
                        Content::Scalar(Value::Nothing)
                    }
                },
                DeValue::Datetime(_) => Content::Date,
                DeValue::Array(items) => Content::List(
                    items.iter().map(|item| self.node(Place::new(self.text, item.span()), item, depth + 1)).collect(),
                ),
                DeValue::Table(table) => self.table(table, depth),
            }
        };
        Node { content, key, place, overrides: Vec::new() }
    }

    fn fail(&mut self, place: &Place, message: String) {
        self.failed = true;
        self.found.push(Diagnostic::error(message).at(place, ""));
    }
}

fn integer(digits: &str, radix: u32) -> Option<Value> {
    match i64::from_str_radix(digits, radix) {
        Ok(number) => Some(Value::Integer(number)),
        Err(_) => u64::from_str_radix(digits, radix).ok().map(Value::Unsigned),
    }
}

/// Parses a number. Infinity must be written as such, and does not result from too large a number.
fn float(digits: &str) -> Option<f64> {
    digits.parse().ok().filter(|number: &f64| number.is_finite() || digits.contains(['i', 'n']))
}

/// Returns the place where the text opens more brackets inside each other, or has more dots in one
/// key, than is sensible.
///
/// The parser recurses over both, and their product is more than a thread's stack holds; so they
/// are counted first.
fn nested_too_deep(text: &Arc<SourceText>) -> Option<Place> {
    let (mut open, mut dots) = (0_usize, 0_usize);
    for token in toml_parser::Source::new(&text.content).lex() {
        match token.kind() {
            TokenKind::LeftCurlyBracket | TokenKind::LeftSquareBracket => (open, dots) = (open + 1, 0),
            TokenKind::RightCurlyBracket | TokenKind::RightSquareBracket => (open, dots) = (open.saturating_sub(1), 0),
            TokenKind::Equals | TokenKind::Comma | TokenKind::Newline => dots = 0,
            TokenKind::Dot => dots += 1,
            _ => {}
        }
        if open > DEEPEST || dots > DEEPEST {
            return Some(Place::new(text, token.span().start()..token.span().end()));
        }
    }
    None
}

fn report_syntax(text: &Arc<SourceText>, errors: &[toml::de::Error], found: &mut Diagnostics) {
    let mut has_doubles = false;
    for error in errors {
        let place = Place::new(text, error.span().unwrap_or(0..0));
        if error.message() != "duplicate key" {
            found.push(syntax_error(text, error.message(), &place));
            continue;
        }
        let double = Diagnostic::error(format!("`{}` is given twice", place.text())).at(&place, "given again");
        let double = match first_definition(text, &place) {
            Some(first) => double.related(&first, "first given here"),
            // The keys of a doubled table fall into the first one, where they may be doubles in
            // turn: one error is enough.
            None if has_doubles => continue,
            None => double,
        };
        has_doubles = true;
        found.push(double.help("keep one of them; to override a value for one robot or venue, use an overlay"));
    }
}

fn syntax_error(text: &Arc<SourceText>, message: &str, place: &Place) -> Diagnostic {
    // The parser's first guess of the meaning of a bare word only explains the parser.
    let message = match message.trim_end_matches(", expected literal string") {
        "string values must be quoted" if place.text().trim().is_empty() => "the value is missing",
        message => message,
    };
    let error = Diagnostic::error(format!("this is not TOML: {message}")).at(place, "");
    let line = &text.content[text.line(place.line())];
    let bare = line.split_once('=').map(|(_, value)| value.split('#').next().unwrap_or_default().trim());
    match bare.filter(|bare| parse_duration(bare).is_ok()) {
        Some(duration) => error.help(format!("durations are strings: \"{duration}\"")),
        None => error,
    }
}

/// Returns where the key or table header at `again` was given before it.
fn first_definition(text: &Arc<SourceText>, again: &Place) -> Option<Place> {
    let line_of = |number: usize| text.content[text.line(number)].trim();
    let again_line = line_of(again.line());
    let is_header = again_line.starts_with('[');
    let key = again.text();
    let earlier = (1..again.line()).rev();
    let found = if is_header {
        let header = again_line.split('#').next().unwrap_or_default().trim_end();
        earlier.clone().find(|&number| line_of(number).split('#').next().unwrap_or_default().trim_end() == header)
    } else {
        earlier.take_while(|&number| !line_of(number).starts_with('[')).find(|&number| {
            line_of(number).strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
        })
    }?;
    let range = text.line(found);
    let indentation = text.content[range.clone()].find(line_of(found))?;
    let start = range.start + indentation;
    let length = if is_header { line_of(found).split('#').next()?.trim_end().len() } else { key.len() };
    Some(Place::new(text, start..start + length))
}
