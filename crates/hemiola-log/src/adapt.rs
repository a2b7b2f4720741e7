//! Conversion of messages of one definition into those of another: for types that have changed, and
//! for foreign types.

mod convert;
mod path;
mod rename;

use std::fmt;
use std::sync::Arc;

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::ReadError;

use crate::definition::{Definition, Element, Field, NumberType, Shape};
use crate::value::Value;

/// Converts messages of one definition into those of another: fields are matched by their names,
/// and those that were not recorded keep their defaults.
///
/// | recorded | wanted | |
/// |---|---|---|
/// | a number | a number, where the value fits; of a floating-point number only another one | `uint8` to `float64`, `int32` to `uint8` |
/// | `T` | `T[<=1]`, and the other way round | what became optional, or no longer is |
/// | a variant of an enum (`uint8` with constants) | the variant of the same name | also when its number has changed |
///
/// ```
/// # use std::sync::Arc;
/// use hemiola_log::{Adapter, Definition, FieldSource, Value};
///
/// let parse = |text| Definition::parse("a/msg/Ball", text).map(Arc::new);
/// let (then, now) = (parse("float32 x\nuint8 hits\n")?, parse("float64 x\nbool seen\nuint16 count\n")?);
/// let default = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 0]; // { x: 0, seen: true, count: 7 }
///
/// let adapter = Adapter::new(&then, &now, &default, [])?;
/// let changes: Vec<_> = adapter.changes().iter().map(ToString::to_string).collect();
/// assert_eq!(changes[1], "`count` was not recorded and has its default");
/// assert_eq!(changes[2], "`hits` was recorded but no longer exists");
///
/// // It was called otherwise.
/// let adapter = Adapter::new(&then, &now, &default, [("count", FieldSource::of("hits"))])?;
/// let ball = adapter.adapt(&[0, 1, 0, 0, 0, 0, 0x80, 0x3f, 3], |misfit| println!("{misfit}"))?;
/// assert_eq!(Value::decode(&now, &ball)?.to_string(), "{x: 1.0, seen: true, count: 3}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Adapter {
    from: Arc<Definition>,
    /// A message of the wanted definition.
    default: Value,
    /// The fields that are not matched by name: the path to each, and its source.
    fields: Vec<(String, FieldSource)>,
    changes: Vec<FieldChange>,
}

/// A difference between two definitions.
///
/// See [`Adapter::changes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldChange {
    /// The field was not recorded.
    Added(String),
    /// The field does not exist any more.
    Removed(String),
    /// The field was recorded as something else, which does not fit.
    Changed(String),
}

impl fmt::Display for FieldChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(field) => write!(formatter, "`{field}` was not recorded and has its default"),
            Self::Removed(field) => write!(formatter, "`{field}` was recorded but no longer exists"),
            Self::Changed(field) => write!(formatter, "`{field}` was of another type and has its default"),
        }
    }
}

/// The source of a field that is not matched by name.
///
/// ```
/// use hemiola_log::FieldSource;
///
/// let pitch = FieldSource { scale: std::f64::consts::PI / 180.0, ..FieldSource::of("orientation.pitch_degrees") };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSource {
    /// The path to the source in the recorded message: `pose.position.x`, `ranges[3]`.
    pub path: String,
    /// The factor by which numbers are multiplied.
    pub scale: f64,
    /// The number that is then added.
    pub offset: f64,
}

impl FieldSource {
    /// Takes the value at this path as it is.
    pub fn of(path: &str) -> Self {
        Self { path: path.to_owned(), scale: 1.0, offset: 0.0 }
    }

    fn is_plain(&self) -> bool {
        (self.scale, self.offset) == (1.0, 0.0)
    }
}

impl Adapter {
    /// Creates an adapter from messages of `from` to those of `to`, of which `default` is one, as
    /// CDR. `fields` lists the fields that are not matched by name, each with its path.
    ///
    /// # Errors
    /// Fails if one of `fields` does not exist or cannot be converted, or if `default` is not a
    /// message of `to`; [`ReadError::path`] names the field.
    pub fn new<'f>(
        from: &Arc<Definition>,
        to: &Arc<Definition>,
        default: &[u8],
        fields: impl IntoIterator<Item = (&'f str, FieldSource)>,
    ) -> Result<Self, ReadError> {
        let fields = fields.into_iter().map(|(path, source)| (path.to_owned(), source)).collect();
        let default = Value::decode(to, default)?;
        let mut adapter = Self { from: from.clone(), default, fields, changes: Vec::new() };
        adapter.compare(from, to, "");
        for (path, source) in adapter.fields.clone() {
            adapter.check(to, &path, &source)?;
        }
        Ok(adapter)
    }

    /// Checks that a field can have this source.
    fn check(&mut self, to: &Definition, path: &str, source: &FieldSource) -> Result<(), ReadError> {
        let (wanted, recorded) = (path::find(to, path)?, path::find(&self.from, &source.path)?);
        self.changes.retain(|change| *change != FieldChange::Removed(source.path.clone()));
        if source.is_plain() {
            if !fits(&recorded, &wanted) {
                let (recorded, wanted) = (describe(&recorded), describe(&wanted));
                let reason = format!("it was recorded as {recorded}, which cannot become {wanted}");
                return Err(error(path, format!("{}: {reason}", source.path)));
            }
            if let (Element::Message(from), Element::Message(to)) = (&recorded.element, &wanted.element) {
                self.compare(from, to, &format!("{path}."));
            }
            return Ok(());
        }
        let is_number = |field: &Field| matches!(field.element, Element::Number(_)) && field.shape == Shape::One;
        match is_number(&wanted) && is_number(&recorded) {
            true => Ok(()),
            false => Err(error(
                path,
                format!(
                    "only a single number has a scale and an offset; this is {} from {}",
                    describe(&wanted),
                    describe(&recorded)
                ),
            )),
        }
    }

    /// Returns the differences of the two definitions, except for fields whose source was given.
    pub fn changes(&self) -> &[FieldChange] {
        &self.changes
    }

    /// Converts a message, from CDR to CDR. If a value that is matched by name does not fit, such
    /// as a variant that is gone, `on_misfit` is called and the field keeps its default.
    ///
    /// # Errors
    /// Fails if the bytes are not a message of the recorded definition, or if a field whose source
    /// was given does not fit; [`ReadError::path`] names it.
    pub fn adapt(&self, message: &[u8], mut on_misfit: impl FnMut(ReadError)) -> Result<Vec<u8>, ReadError> {
        let recorded = Value::decode(&self.from, message)?;
        let mut adapted = self.default.clone();
        for (path, source) in &self.fields {
            let value = recorded.get(&source.path).ok_or_else(|| error(&source.path, "it is not there".to_owned()))?;
            path::set(&mut adapted, path, value.into_owned(), source, &mut on_misfit)?;
        }
        let told = self.fields.iter().map(|(path, _)| path.as_str());
        convert::by_name(&mut adapted, recorded, &told.collect::<Vec<_>>(), "", &mut on_misfit);
        let mut writer = CdrWriter::default();
        if let Value::Message(adapted) = &adapted {
            adapted.encode(&mut writer);
        }
        Ok(writer.finish())
    }

    /// Records the differences of fields that are matched by name.
    fn compare(&mut self, from: &Definition, to: &Definition, prefix: &str) {
        let named = |definition: &Definition, name: &str| {
            definition.fields.iter().find(|field| field.name.as_ref() == name).cloned()
        };
        for wanted in &to.fields {
            let path = format!("{prefix}{}", wanted.name);
            if self.fields.iter().any(|(told, _)| *told == path) {
                continue;
            }
            let Some(recorded) = named(from, &wanted.name) else {
                let is_inside = |told: &str| told.strip_prefix(&path).is_some_and(|rest| rest.starts_with(['.', '[']));
                if !self.fields.iter().any(|(told, _)| is_inside(told)) {
                    self.changes.push(FieldChange::Added(path));
                }
                continue;
            };
            match (fits(&recorded, wanted), &recorded.element, &wanted.element) {
                (false, ..) => self.changes.push(FieldChange::Changed(path)),
                (true, Element::Message(from), Element::Message(to)) if from != to => {
                    self.compare(from, to, &format!("{path}."));
                }
                _ => {}
            }
        }
        let removed = from.fields.iter().filter(|recorded| named(to, &recorded.name).is_none());
        self.changes.extend(removed.map(|field| FieldChange::Removed(format!("{prefix}{}", field.name))));
    }
}

/// Returns whether one field can become the other, as far as the definitions show.
fn fits(recorded: &Field, wanted: &Field) -> bool {
    let is_float = |number: &NumberType| matches!(number, NumberType::F32 | NumberType::F64);
    let elements = match (&recorded.element, &wanted.element) {
        (Element::Boolean, Element::Boolean) | (Element::Text { .. }, Element::Text { .. }) => true,
        (Element::Number(recorded), Element::Number(wanted)) => !is_float(recorded) || is_float(wanted),
        (Element::Message(_), Element::Message(_)) => true,
        _ => false,
    };
    let shapes = match (recorded.shape, wanted.shape) {
        (Shape::Array { length: recorded }, Shape::Array { length: wanted }) => recorded == wanted,
        (Shape::One, Shape::One | Shape::Sequence { limit: Some(1) })
        | (Shape::Sequence { limit: Some(1) }, Shape::One) => true,
        (Shape::One, _) | (_, Shape::One) => false,
        (Shape::Array { .. } | Shape::Sequence { .. }, Shape::Array { .. } | Shape::Sequence { .. }) => true,
    };
    elements && shapes
}

fn describe(field: &Field) -> String {
    let element = match &field.element {
        Element::Boolean => "bool".to_owned(),
        Element::Number(number) => convert::name(*number).to_owned(),
        Element::Text { .. } => "string".to_owned(),
        Element::WideText => "wstring".to_owned(),
        Element::Message(definition) => definition.name.to_string(),
    };
    match field.shape {
        Shape::One => element,
        Shape::Array { length } => format!("{element}[{length}]"),
        Shape::Sequence { limit: Some(limit) } => format!("{element}[<={limit}]"),
        Shape::Sequence { limit: None } => format!("{element}[]"),
    }
}

fn error(path: &str, message: String) -> ReadError {
    ReadError { path: path.to_owned(), message }
}
