//! Recorded definitions with the present names of their fields.

use std::sync::Arc;

use hemiola_model::cdr::field_name;
use hemiola_model::data::{DataType, Variant};

use super::{FieldSource, path};
use crate::definition::{Definition, Element};

/// A field of a message in its present form.
struct Part {
    name: String,
    was: Vec<String>,
    data_type: DataType,
}

impl Definition {
    /// Renames what had another name when it was recorded, as
    /// [`Field::was`](hemiola_model::data::Field::was) and
    /// [`Variant::was`](hemiola_model::data::Variant::was) declare. What already has its present
    /// name keeps it.
    ///
    /// ```
    /// use hemiola_log::Definition;
    /// use hemiola_model::data::{Data, DataType, Field};
    ///
    /// let then = Definition::parse("soccer/msg/Ball", "float32 range\nbool seen\n")?;
    /// let today = DataType::structure("soccer/Ball", vec![Field::new("distance", f32::data_type(), "").formerly("range")]);
    /// assert_eq!(&*then.renamed(&today).fields[0].name, "distance");
    /// # Ok::<(), hemiola_log::SchemaError>(())
    /// ```
    #[must_use]
    pub fn renamed(&self, today: &DataType) -> Self {
        let mut renamed = self.clone();
        let parts = parts(today);
        let is_there = |name: &str| self.fields.iter().any(|field| *field.name == *name);
        for field in &mut renamed.fields {
            let is_meant = |part: &&Part| part.was.iter().any(|was| **was == *field.name) && !is_there(&part.name);
            let part = parts.iter().find(|part| *part.name == *field.name).or_else(|| parts.iter().find(is_meant));
            let Some(part) = part else { continue };
            let (then, now) = (prefix(&field.name), prefix(&part.name));
            field.name = part.name.as_str().into();
            let content = content(&part.data_type);
            let variants = if let DataType::Enumeration { variants, .. } = content { variants.as_slice() } else { &[] };
            let of_field: Vec<_> =
                self.constants.iter().filter_map(|constant| constant.name.strip_prefix(&then)).collect();
            for constant in &mut renamed.constants {
                if let Some(variant) = constant.name.strip_prefix(&then).filter(|variant| of_field.contains(variant)) {
                    constant.name = format!("{now}{}", variant_name(variant, variants, &of_field));
                }
            }
            if let Element::Message(definition) = &field.element {
                field.element = Element::Message(Arc::new(definition.renamed(content)));
            }
        }
        renamed
    }
}

impl Definition {
    /// Returns the sources of present fields that were parts of others when they were recorded:
    /// those for which [`Field::was`](hemiola_model::data::Field::was) declares a path, such as
    /// `image.width`.
    ///
    /// ```
    /// use hemiola_log::{Definition, FieldSource};
    /// use hemiola_model::data::{Data, DataType, Field};
    ///
    /// let then = "nao/Image image\n====\nMSG: nao/Image\nuint32 width\n";
    /// let then = Definition::parse("nao/msg/UpperImage", then)?;
    /// let width = Field::new("width", u32::data_type(), "").formerly("image.width");
    /// let today = DataType::structure("sensor_msgs/Image", vec![width]);
    /// assert_eq!(then.moved(&today), [("width".to_owned(), FieldSource::of("image.width"))]);
    /// # Ok::<(), hemiola_log::SchemaError>(())
    /// ```
    #[must_use]
    pub fn moved(&self, today: &DataType) -> Vec<(String, FieldSource)> {
        let is_there = |name: &str| self.fields.iter().any(|field| *field.name == *name);
        let new = parts(today).into_iter().filter(|part| !is_there(&part.name));
        let moved = new.filter_map(|part| {
            let way = part.was.iter().find(|was| was.contains('.') && path::find(self, was).is_ok())?;
            Some((part.name, FieldSource::of(way)))
        });
        moved.collect()
    }
}

/// Returns the prefix of the constants of a field's variants.
fn prefix(field: &str) -> String {
    format!("{}_", field.to_uppercase())
}

/// Returns the present name of a variant, as a constant; `recorded` are all variants that were
/// recorded.
fn variant_name(variant: &str, variants: &[Variant], recorded: &[&str]) -> String {
    let spelled = |name: &str| field_name(name).to_uppercase();
    let is_meant = |today: &&Variant| {
        today.was.iter().any(|was| spelled(was) == variant) && !recorded.contains(&spelled(&today.name).as_str())
    };
    variants.iter().find(is_meant).map_or_else(|| variant.to_owned(), |today| spelled(&today.name))
}

/// Returns the type of the content of a field: of its single value, or of its items.
fn content(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Optional(inner)
        | DataType::Array(inner, _)
        | DataType::Sequence(inner)
        | DataType::Bounded(inner, _) => inner,
        other => other,
    }
}

/// Returns the fields of the message that a type becomes.
fn parts(today: &DataType) -> Vec<Part> {
    // A name with dots is a path to what was a part of another field.
    let spelled = |way: &String| way.split('.').map(field_name).collect::<Vec<_>>().join(".");
    let named = |names: &[String]| names.iter().map(spelled).collect();
    match today {
        DataType::Structure { fields, .. } => fields
            .iter()
            .map(|field| Part {
                name: field_name(&field.name),
                was: named(&field.was),
                data_type: field.data_type.clone(),
            })
            .collect(),
        DataType::Enumeration { name, variants } => {
            let kind = Part { name: "kind".to_owned(), was: Vec::new(), data_type: today.clone() };
            let with_fields = variants.iter().filter(|variant| !variant.fields.is_empty());
            let contents = with_fields.map(|variant| Part {
                name: field_name(&variant.name),
                was: named(&variant.was),
                data_type: DataType::Structure { name: name.clone(), fields: variant.fields.clone() },
            });
            std::iter::once(kind).chain(contents).collect()
        }
        // A run inside another one is a field of the message between them.
        DataType::Optional(_) => vec![Part { name: "value".to_owned(), was: Vec::new(), data_type: today.clone() }],
        DataType::Array(..) | DataType::Sequence(_) | DataType::Bounded(..) => {
            vec![Part { name: "items".to_owned(), was: Vec::new(), data_type: today.clone() }]
        }
        _ => Vec::new(),
    }
}
