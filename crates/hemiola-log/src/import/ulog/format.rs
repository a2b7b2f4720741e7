//! The formats of messages, by their names.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hemiola_model::data::{DataType, Field, TypeName};

/// The largest number of bytes of a message, whose length is a number of 16 bits.
const LARGEST: usize = u16::MAX as usize;
/// The largest number of fields of a message; those of a format inside it count each time that it
/// occurs.
const MOST_FIELDS: usize = 10_000;
/// The maximum depth of formats inside each other.
const DEEPEST: usize = 32;

/// All formats of a log, by name.
#[derive(Default)]
pub struct Formats {
    fields: HashMap<String, Vec<RawField>>,
    layouts: BTreeMap<String, Arc<Layout>>,
}

/// A field whose type is not resolved yet.
#[derive(Clone, Debug, PartialEq)]
struct RawField {
    name: String,
    type_name: String,
    count: Option<usize>,
}

/// A format with all formats that it contains.
#[derive(Debug, PartialEq)]
pub struct Layout {
    pub fields: Vec<LayoutField>,
    /// The size in bytes.
    size: usize,
    /// The number of fields, with those of the formats in it.
    count: usize,
}

/// A field of a format, in order.
#[derive(Debug, PartialEq)]
pub struct LayoutField {
    pub name: String,
    pub element: Element,
    /// The number of items of an array.
    pub count: Option<usize>,
    /// Set if the field only aligns what follows.
    pub is_padding: bool,
}

/// The type of a field, or of its items.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    Signed(u32),
    Unsigned(u32),
    Float32,
    Float64,
    Boolean,
    /// One letter; an array of them is a text.
    Letter,
    Nested(Arc<Layout>, String),
}

/// Splits a subscription into `multi_id`, `msg_id` and name.
pub fn subscription(body: &[u8]) -> Result<(u8, u16, &str), String> {
    match body {
        [instance, low, high, name @ ..] if !name.is_empty() => {
            let name = std::str::from_utf8(name).map_err(|_| "a subscription whose name is not text")?;
            Ok((*instance, u16::from_le_bytes([*low, *high]), name))
        }
        _ => Err(format!("a subscription of {} bytes", body.len())),
    }
}

impl Formats {
    /// Adds a format: `name:type field;type[3] field;`.
    pub fn add(&mut self, body: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(body).map_err(|_| "a format that is not text")?;
        let (name, fields) =
            text.split_once(':').ok_or_else(|| format!("the format `{}` has no `:`", shortened(text)))?;
        let fields = fields.split(';').filter(|field| !field.is_empty()).map(field).collect::<Result<Vec<_>, _>>();
        let fields = fields.map_err(|reason| format!("the format `{}`: {reason}", shortened(name)))?;
        match self.fields.get(name) {
            Some(known) if *known != fields => {
                Err(format!("the format `{}` is described a second time, and differently", shortened(name)))
            }
            Some(_) => Ok(()),
            None => {
                self.fields.insert(name.to_owned(), fields);
                Ok(())
            }
        }
    }

    /// Returns the layout of messages of this name.
    pub fn layout(&mut self, name: &str) -> Result<Arc<Layout>, String> {
        self.resolve(name, 1)
    }

    fn resolve(&mut self, name: &str, depth: usize) -> Result<Arc<Layout>, String> {
        if let Some(known) = self.layouts.get(name) {
            return Ok(Arc::clone(known));
        }
        if depth > DEEPEST {
            return Err(format!(
                "formats are nested more than {DEEPEST} levels deep, or `{}` contains itself",
                shortened(name)
            ));
        }
        let raw = self.fields.get(name).ok_or_else(|| format!("there is no format `{}`", shortened(name)))?.clone();
        let mut layout = Layout { fields: Vec::with_capacity(raw.len()), size: 0, count: 0 };
        for RawField { name: field, type_name, count } in raw {
            let element = match primitive(&type_name) {
                Some(element) => element,
                None => Element::Nested(self.resolve(&type_name, depth + 1)?, type_name),
            };
            layout.size = layout.size.saturating_add(element.size().saturating_mul(count.unwrap_or(1)));
            layout.count += 1 + if let Element::Nested(inner, _) = &element { inner.count } else { 0 };
            if layout.count > MOST_FIELDS {
                return Err(format!("the format `{}` has more than {MOST_FIELDS} fields", shortened(name)));
            }
            if layout.size > LARGEST {
                return Err(format!(
                    "the format `{}` has more than the {LARGEST} bytes that a message may have",
                    shortened(name)
                ));
            }
            let is_padding = field.starts_with("_padding");
            layout.fields.push(LayoutField { name: field, element, count, is_padding });
        }
        // A format without fields is refused, so that the size of what contains many formats grows
        // with their number.
        if layout.fields.iter().all(|field| field.is_padding) {
            return Err(format!("the format `{}` has no fields", shortened(name)));
        }
        let layout = Arc::new(layout);
        self.layouts.insert(name.to_owned(), Arc::clone(&layout));
        Ok(layout)
    }
}

impl Layout {
    /// Returns the schema of messages in the log.
    pub fn data_type(&self, name: &str) -> DataType {
        let fields = self.fields.iter().filter(|field| !field.is_padding);
        let fields = fields.map(|field| Field::new(&field.name, field.data_type(), "")).collect();
        DataType::structure(TypeName::new("px4", name), fields)
    }

    /// Checks that data is as long as a message. Padding at the end may be missing.
    pub fn check(&self, data: &[u8]) -> Result<(), String> {
        let padding =
            self.fields.iter().rev().take_while(|field| field.is_padding).map(LayoutField::size).sum::<usize>();
        let least = self.size - padding;
        if (least..=self.size).contains(&data.len()) {
            return Ok(());
        }
        Err(format!("{} bytes, but {least} are needed", data.len()))
    }

    /// Returns when a message was taken, in microseconds, from data that was checked.
    pub fn timestamp(&self, data: &[u8]) -> Option<u64> {
        let index = self.fields.iter().position(|field| {
            (field.name.as_str(), &field.element, field.count) == ("timestamp", &Element::Unsigned(64), None)
        })?;
        let offset = self.fields[..index].iter().map(LayoutField::size).sum();
        data.get(offset..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }
}

impl LayoutField {
    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        self.element.size() * self.count.unwrap_or(1)
    }

    fn data_type(&self) -> DataType {
        let element = match &self.element {
            Element::Signed(bits) => DataType::Signed(*bits),
            Element::Unsigned(bits) => DataType::Unsigned(*bits),
            Element::Float32 => DataType::Float32,
            Element::Float64 => DataType::Float64,
            Element::Boolean => DataType::Boolean,
            Element::Letter if self.count.is_some() => return DataType::Text,
            Element::Letter => DataType::Unsigned(8),
            Element::Nested(layout, name) => layout.data_type(name),
        };
        match self.count {
            Some(count) => DataType::Array(Box::new(element), count),
            None => element,
        }
    }
}

impl Element {
    pub fn size(&self) -> usize {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) => *bits as usize / 8,
            Self::Float32 => 4,
            Self::Float64 => 8,
            Self::Boolean | Self::Letter => 1,
            Self::Nested(layout, _) => layout.size,
        }
    }
}

/// Parses a field: `type name` or `type[3] name`.
fn field(text: &str) -> Result<RawField, String> {
    let wrong = || format!("`{}` is not a field, `type name` or `type[3] name`", shortened(text));
    let (written, name) = text.trim().split_once(' ').ok_or_else(wrong)?;
    let (type_name, count) = match written.split_once('[') {
        None => (written, None),
        Some((type_name, count)) => {
            let count = count.strip_suffix(']').and_then(|count| count.parse().ok());
            (type_name, Some(count.filter(|count| (1..=LARGEST).contains(count)).ok_or_else(wrong)?))
        }
    };
    Ok(RawField { name: name.trim().to_owned(), type_name: type_name.to_owned(), count })
}

fn primitive(name: &str) -> Option<Element> {
    Some(match name {
        "int8_t" => Element::Signed(8),
        "int16_t" => Element::Signed(16),
        "int32_t" => Element::Signed(32),
        "int64_t" => Element::Signed(64),
        "uint8_t" => Element::Unsigned(8),
        "uint16_t" => Element::Unsigned(16),
        "uint32_t" => Element::Unsigned(32),
        "uint64_t" => Element::Unsigned(64),
        "float" => Element::Float32,
        "double" => Element::Float64,
        "bool" => Element::Boolean,
        "char" => Element::Letter,
        _ => return None,
    })
}

pub fn shortened(text: &str) -> String {
    if text.chars().count() > 60 { text.chars().take(60).chain(['…']).collect() } else { text.to_owned() }
}
