//! Conversion of values into fields of other types.

use super::{error, fits};
use crate::definition::{Definition, Element, Field, NumberType, Shape};
use crate::value::{MessageValue, Numbers, Value};
use hemiola_model::data::ReadError;

/// A function that is called with each value that does not fit.
pub type OnMisfit<'a> = &'a mut dyn FnMut(ReadError);

/// Converts all fields of a message into the fields of the same names. The fields at the paths in
/// `told` have other sources.
pub fn by_name(to: &mut Value, from: Value, told: &[&str], prefix: &str, on_misfit: OnMisfit<'_>) {
    let (Value::Message(to), Value::Message(from)) = (to, from) else { return };
    let (from_definition, to_definition) = (from.definition.clone(), to.definition.clone());
    for (recorded, value) in from_definition.fields.iter().zip(from.into_values()) {
        let Some(index) = to_definition.fields.iter().position(|wanted| wanted.name == recorded.name) else { continue };
        let wanted = &to_definition.fields[index];
        let path = format!("{prefix}{}", wanted.name);
        if told.contains(&path.as_str()) || !fits(recorded, wanted) {
            continue;
        }
        let value = renumbered(&from_definition, recorded, &to_definition, wanted, value, &path);
        if let Err(misfit) = value.and_then(|value| field(to.value_mut(index), value, wanted, told, &path, on_misfit)) {
            on_misfit(misfit);
        }
    }
}

/// Converts a value into a field, or leaves the field as it is.
pub fn field(
    to: &mut Value,
    from: Value,
    wanted: &Field,
    told: &[&str],
    path: &str,
    on_misfit: OnMisfit<'_>,
) -> Result<(), ReadError> {
    match (wanted.shape, from) {
        (Shape::One, Value::List(mut items)) => match items.pop() {
            // The field was optional, and is no longer: where nothing was recorded the default
            // stays.
            None => Ok(()),
            Some(item) => one(to, item, &wanted.element, told, path, on_misfit),
        },
        (Shape::One, Value::Numbers(numbers)) => match numbers.get(0) {
            None => Ok(()),
            Some(number) => one(to, number, &wanted.element, told, path, on_misfit),
        },
        (Shape::One, from) => one(to, from, &wanted.element, told, path, on_misfit),
        (shape, from) => {
            let run = match from {
                Value::Numbers(numbers) => Value::Numbers(numbers),
                Value::List(items) => Value::List(items),
                // The field has become optional.
                single => Value::List(vec![single]),
            };
            check_length(&run, shape, path)?;
            *to = self::run(run, &wanted.element, path, on_misfit)?;
            Ok(())
        }
    }
}

fn one(
    to: &mut Value,
    from: Value,
    element: &Element,
    told: &[&str],
    path: &str,
    on_misfit: OnMisfit<'_>,
) -> Result<(), ReadError> {
    match element {
        Element::Message(_) => by_name(to, from, told, &format!("{path}."), on_misfit),
        Element::Number(number_type) => *to = fitting(&from, *number_type, path)?,
        Element::Boolean | Element::Text { .. } | Element::WideText => *to = from,
    }
    Ok(())
}

/// Converts all items of a run.
fn run(from: Value, element: &Element, path: &str, on_misfit: OnMisfit<'_>) -> Result<Value, ReadError> {
    match (element, from) {
        (Element::Number(number_type), Value::Numbers(numbers)) if numbers.number_type() == *number_type => {
            Ok(Value::Numbers(numbers))
        }
        (Element::Number(number_type), from) => {
            let items: Vec<Value> = match from {
                Value::Numbers(numbers) => (0..numbers.len()).filter_map(|index| numbers.get(index)).collect(),
                Value::List(items) => items,
                single => vec![single],
            };
            let numbers: Result<Vec<_>, _> = items.iter().map(|item| fitting(item, *number_type, path)).collect();
            Ok(Value::Numbers(Numbers::collect(*number_type, &numbers?)))
        }
        (Element::Message(definition), Value::List(items)) => {
            let items = items.into_iter().map(|item| {
                let mut to = zero(definition);
                by_name(&mut to, item, &[], &format!("{path}."), on_misfit);
                to
            });
            Ok(Value::List(items.collect()))
        }
        (_, from) => Ok(from),
    }
}

fn fitting(value: &Value, number_type: NumberType, path: &str) -> Result<Value, ReadError> {
    number(value, number_type).ok_or_else(|| error(path, format!("{value} does not fit into {}", name(number_type))))
}

fn check_length(run: &Value, shape: Shape, path: &str) -> Result<(), ReadError> {
    let length = match run {
        Value::Numbers(numbers) => numbers.len(),
        Value::List(items) => items.len(),
        _ => 1,
    };
    match shape {
        Shape::Array { length: wanted } if length != wanted => {
            Err(error(path, format!("{length} items, but {wanted} are expected")))
        }
        Shape::Sequence { limit: Some(limit) } if length > limit => {
            Err(error(path, format!("{length} items, but at most {limit} are allowed")))
        }
        _ => Ok(()),
    }
}

/// Converts the number of a variant: variants are matched by name, not by number.
fn renumbered(
    from: &Definition,
    recorded: &Field,
    to: &Definition,
    wanted: &Field,
    value: Value,
    path: &str,
) -> Result<Value, ReadError> {
    let (Some(then), Some(now)) = (variants(from, recorded), variants(to, wanted)) else { return Ok(value) };
    let renumbered = |number: u64| {
        // A number that is not a variant stays as it is, to be reported by the reader of the
        // message.
        let Some((name, _)) = then.iter().find(|&&(_, value)| value == number) else { return Ok(number) };
        let today = now.iter().find(|(other, _)| other == name).map(|&(_, number)| number);
        today.ok_or_else(|| error(path, format!("`{name}` was recorded, which no longer exists")))
    };
    match value {
        Value::Unsigned(number) => renumbered(number).map(Value::Unsigned),
        Value::Numbers(Numbers::U8(numbers)) => {
            let numbers = numbers.into_iter().map(|number| renumbered(number.into()).map(|number| number as u8));
            numbers.collect::<Result<_, _>>().map(|numbers| Value::Numbers(Numbers::U8(numbers)))
        }
        other => Ok(other),
    }
}

/// Returns the constants in front of a field that begin with its name; `None` if it is not an enum.
fn variants<'d>(definition: &'d Definition, field: &Field) -> Option<Vec<(&'d str, u64)>> {
    let prefix = format!("{}_", field.name.to_uppercase());
    let constants = definition.constants.iter().filter(|constant| constant.type_name == "uint8");
    let variants: Vec<_> = constants
        .filter_map(|constant| Some((constant.name.strip_prefix(&prefix)?, constant.value.parse().ok()?)))
        .collect();
    (field.element == Element::Number(NumberType::U8) && !variants.is_empty()).then_some(variants)
}

/// Converts a number into another type; `None` where it is not in its range.
pub fn number(value: &Value, number_type: NumberType) -> Option<Value> {
    let (lowest, highest) = match number_type {
        NumberType::F32 => return Some(Value::Float32(value.number()? as f32)),
        NumberType::F64 => return Some(Value::Float64(value.number()?)),
        NumberType::U8 => (0, i128::from(u8::MAX)),
        NumberType::I8 => (i128::from(i8::MIN), i128::from(i8::MAX)),
        NumberType::U16 => (0, i128::from(u16::MAX)),
        NumberType::I16 => (i128::from(i16::MIN), i128::from(i16::MAX)),
        NumberType::U32 => (0, i128::from(u32::MAX)),
        NumberType::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        NumberType::U64 => (0, i128::from(u64::MAX)),
        NumberType::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let whole = match value {
        Value::Signed(number) => i128::from(*number),
        Value::Unsigned(number) => i128::from(*number),
        // A number that was converted from another unit is rounded, as nothing better is known.
        Value::Float32(_) | Value::Float64(_) => value.number()?.round() as i128,
        _ => return None,
    };
    (lowest..=highest).contains(&whole).then_some(())?;
    Some(if lowest < 0 { Value::Signed(whole as i64) } else { Value::Unsigned(whole as u64) })
}

/// Creates a message whose fields are all zero or empty.
fn zero(definition: &std::sync::Arc<Definition>) -> Value {
    let one = |element: &Element| match element {
        Element::Boolean => Value::Boolean(false),
        Element::Number(number_type) => number(&Value::Unsigned(0), *number_type).unwrap_or(Value::Unsigned(0)),
        Element::Text { .. } | Element::WideText => Value::Text(String::new()),
        Element::Message(definition) => zero(definition),
    };
    let values = definition.fields.iter().map(|field| match (field.shape, &field.element) {
        (Shape::One, element) => one(element),
        (shape, Element::Number(number_type)) => {
            let zeros = vec![one(&field.element); length(shape)];
            Value::Numbers(Numbers::collect(*number_type, &zeros))
        }
        (shape, element) => Value::List(vec![one(element); length(shape)]),
    });
    Value::Message(MessageValue::new(definition.clone(), values.collect()))
}

fn length(shape: Shape) -> usize {
    match shape {
        Shape::Array { length } => length,
        Shape::One | Shape::Sequence { .. } => 0,
    }
}

/// Returns the name of a type of numbers, as definitions spell it.
pub fn name(number_type: NumberType) -> &'static str {
    match number_type {
        NumberType::U8 => "uint8",
        NumberType::I8 => "int8",
        NumberType::U16 => "uint16",
        NumberType::I16 => "int16",
        NumberType::U32 => "uint32",
        NumberType::I32 => "int32",
        NumberType::U64 => "uint64",
        NumberType::I64 => "int64",
        NumberType::F32 => "float32",
        NumberType::F64 => "float64",
    }
}
