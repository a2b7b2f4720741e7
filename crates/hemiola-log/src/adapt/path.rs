//! Paths to fields: `pose.position.x`, `ranges[3]`.

use hemiola_model::data::ReadError;

use super::convert::{self, OnMisfit, number};
use super::{FieldSource, error};
use crate::definition::{Definition, Element, Field, Shape};
use crate::value::Value;

/// Returns the field at the end of a path; an item of a run as a field of its own.
pub fn find(definition: &Definition, path: &str) -> Result<Field, ReadError> {
    let mut definition = definition;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let (name, index) = split(part).ok_or_else(|| error(path, "write an item as `ranges[3]`".to_owned()))?;
        let Some(field) = definition.fields.iter().find(|field| field.name.as_ref() == name) else {
            let known: Vec<_> = definition.fields.iter().map(|field| field.name.as_ref()).collect();
            let reason = format!("{} has no field `{name}`; it has: {}", definition.name, known.join(", "));
            return Err(error(path, reason));
        };
        let field = match (index, field.shape) {
            (None, _) => field.clone(),
            (Some(index), Shape::Array { length }) if index >= length => {
                return Err(error(path, format!("`{name}` has {length} items, counted from 0")));
            }
            (Some(_), Shape::Array { .. } | Shape::Sequence { .. }) => Field { shape: Shape::One, ..field.clone() },
            (Some(_), Shape::One) => return Err(error(path, format!("`{name}` has no items"))),
        };
        if parts.peek().is_none() {
            return Ok(field);
        }
        match (definition.fields.iter().find(|inner| inner.name == field.name).map(|inner| &inner.element), field.shape)
        {
            (Some(Element::Message(inner)), Shape::One) => definition = inner,
            _ => return Err(error(path, format!("`{name}` has no fields"))),
        }
    }
    Err(error(path, "the path of a field is missing".to_owned()))
}

/// Sets the value at the end of a path.
pub fn set(
    to: &mut Value,
    path: &str,
    value: Value,
    source: &FieldSource,
    on_misfit: OnMisfit<'_>,
) -> Result<(), ReadError> {
    let value = match (source.is_plain(), value.number()) {
        (false, Some(number)) => Value::Float64(number * source.scale + source.offset),
        _ => value,
    };
    let missing = || error(path, "it is not there".to_owned());
    let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
    let mut parent = to;
    for part in parents.split('.').filter(|part| !part.is_empty()) {
        let (name, index) = split(part).ok_or_else(missing)?;
        let Value::Message(message) = parent else { return Err(missing()) };
        parent = message.field_mut(name).ok_or_else(missing)?.1;
        if let Some(index) = index {
            let Value::List(items) = parent else { return Err(missing()) };
            parent = items.get_mut(index).ok_or_else(missing)?;
        }
    }
    let (name, index) = split(last).ok_or_else(missing)?;
    let Value::Message(message) = parent else { return Err(missing()) };
    let (field, place) = message.field_mut(name).ok_or_else(missing)?;
    match (index, place, &field.element) {
        (None, place, _) => convert::field(place, value, &field, &[], path, on_misfit),
        (Some(index), Value::Numbers(numbers), Element::Number(number_type)) => {
            let fitting = number(&value, *number_type);
            let is_set = fitting.is_some_and(|number| numbers.set(index, &number));
            if is_set { Ok(()) } else { Err(error(path, format!("{value} does not fit into it"))) }
        }
        (Some(index), Value::List(items), _) => {
            let item = items.get_mut(index).ok_or_else(missing)?;
            convert::field(item, value, &Field { shape: Shape::One, ..field.clone() }, &[], path, on_misfit)
        }
        _ => Err(missing()),
    }
}

/// Splits `ranges[3]` into name and index.
fn split(part: &str) -> Option<(&str, Option<usize>)> {
    match part.split_once('[') {
        None => Some((part, None)),
        Some((name, index)) => Some((name, Some(index.strip_suffix(']')?.parse().ok()?))),
    }
}
