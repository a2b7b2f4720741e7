//! The values of parameters, of any schema, checked with the place of every part.

use std::collections::BTreeMap;

use hemiola_model::data::{DataType, Field, Variant};
use hemiola_model::{ParameterDescription, ParametersError, Value};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::{Content, Node, Table};
use crate::section::{suggest, suggest_at};
use crate::toml_value::to_toml;

/// Reads the value of a parameter. Fields that a structure does not set are those of the
/// parameter's default.
pub(super) fn read_parameter(
    description: &ParameterDescription,
    node: &Node,
    found: &mut Diagnostics,
) -> Option<Value> {
    let mut reader = ParameterReader { description, found };
    reader.value(node, &description.data_type, Some(&description.default), &description.name)
}

struct ParameterReader<'a> {
    description: &'a ParameterDescription,
    found: &'a mut Diagnostics,
}

impl ParameterReader<'_> {
    /// Reads a value, which messages call `name`: `threshold`, `gait.step_height`, `gains[2]`.
    fn value(&mut self, node: &Node, data_type: &DataType, default: Option<&Value>, name: &str) -> Option<Value> {
        match (data_type, &node.content) {
            (DataType::Optional(inner), _) => self.value(node, inner, default, name),
            (DataType::Boolean, Content::Scalar(value @ Value::Boolean(_)))
            | (DataType::Text, Content::Scalar(value @ Value::Text(_))) => Some(value.clone()),
            (
                DataType::Float32 | DataType::Float64 | DataType::Duration,
                Content::Scalar(value @ (Value::Float(_) | Value::Integer(_) | Value::Unsigned(_))),
            ) => self.in_range(node, value, name),
            (DataType::Time, Content::Scalar(value @ Value::Integer(_))) => self.in_range(node, value, name),
            (DataType::Signed(bits), Content::Scalar(value @ Value::Integer(number)))
                if fits_signed(*number, *bits) =>
            {
                self.in_range(node, value, name)
            }
            (DataType::Unsigned(bits), Content::Scalar(value @ Value::Integer(number)))
                if u64::try_from(*number).is_ok_and(|number| fits_unsigned(number, *bits)) =>
            {
                self.in_range(node, value, name)
            }
            (DataType::Unsigned(bits), Content::Scalar(value @ Value::Unsigned(number)))
                if fits_unsigned(*number, *bits) =>
            {
                self.in_range(node, value, name)
            }
            (DataType::Array(item, length), Content::List(items)) if items.len() == *length => {
                self.items(items, item, name)
            }
            (DataType::Sequence(item), Content::List(items)) => self.items(items, item, name),
            (DataType::Bounded(item, limit), Content::List(items)) if items.len() <= *limit => {
                self.items(items, item, name)
            }
            (DataType::Structure { fields, .. }, Content::Table(table)) => {
                self.structure(node, table, fields, default, name)
            }
            (DataType::Structure { fields, .. }, Content::List(items))
                if is_tuple(fields) && items.len() == fields.len() =>
            {
                self.tuple(items, fields, name)
            }
            (DataType::Enumeration { variants, .. }, Content::Scalar(Value::Text(variant))) => {
                self.plain_variant(node, variant, variants, name)
            }
            (DataType::Enumeration { variants, .. }, Content::Table(table)) => {
                self.variant_with_fields(node, table, variants, name)
            }
            _ => {
                let message = format!("`{name}` must be {}, not {}", expected(data_type), node.describe());
                self.refuse(Diagnostic::error(message).at(&node.place, ""))
            }
        }
    }

    /// Checks the range, which applies to a number, and to each number of a list.
    fn in_range(&mut self, node: &Node, value: &Value, name: &str) -> Option<Value> {
        if innermost(&self.description.data_type) == Innermost::Composed {
            return Some(value.clone());
        }
        match self.description.check(value) {
            Ok(()) => Some(value.clone()),
            Err(ParametersError::Range { range, unit, .. }) => {
                let unit = if unit.is_empty() { unit } else { format!(" {unit}") };
                let message = format!("`{name}` must be within {range}{unit}, not {value}");
                self.refuse(Diagnostic::error(message).at(&node.place, "out of range"))
            }
            Err(other) => self.refuse(Diagnostic::error(other.to_string()).at(&node.place, "")),
        }
    }

    fn items(&mut self, items: &[Node], data_type: &DataType, name: &str) -> Option<Value> {
        let mut values = Vec::new();
        let mut complete = true;
        for (index, item) in items.iter().enumerate() {
            match self.value(item, data_type, None, &format!("{name}[{index}]")) {
                Some(value) => values.push(value),
                None => complete = false,
            }
        }
        complete.then_some(Value::List(values))
    }

    fn structure(
        &mut self,
        node: &Node,
        table: &Table,
        fields: &[Field],
        default: Option<&Value>,
        name: &str,
    ) -> Option<Value> {
        let mut values = BTreeMap::new();
        let mut complete = true;
        for field in fields {
            let default = default.and_then(|default| default.get(&field.name));
            let value = match (table.get(&field.name), default) {
                (Some(entry), _) => self.value(entry, &field.data_type, default, &format!("{name}.{}", field.name)),
                (None, Some(default)) => Some(default.clone()),
                (None, None) if matches!(field.data_type, DataType::Optional(_)) => Some(Value::Nothing),
                (None, None) => {
                    let message = format!("`{name}` lacks `{}`: {}", field.name, expected(&field.data_type));
                    self.refuse(Diagnostic::error(message).at(&node.place, format!("`{}` is missing", field.name)))
                }
            };
            match value {
                Some(value) => _ = values.insert(field.name.clone(), value),
                None => complete = false,
            }
        }
        for (key, entry) in table.iter().filter(|(key, _)| !fields.iter().any(|field| field.name == **key)) {
            let error = Diagnostic::error(format!("unknown key `{key}` in `{name}`"));
            let names = fields.iter().map(|field| field.name.as_str());
            self.found.push(suggest(error, entry, key, names, "known here"));
            complete = false;
        }
        complete.then_some(Value::Table(values))
    }

    fn tuple(&mut self, items: &[Node], fields: &[Field], name: &str) -> Option<Value> {
        let mut values = BTreeMap::new();
        let mut complete = true;
        for (item, field) in items.iter().zip(fields) {
            match self.value(item, &field.data_type, None, &format!("{name}.{}", field.name)) {
                Some(value) => _ = values.insert(field.name.clone(), value),
                None => complete = false,
            }
        }
        complete.then_some(Value::Table(values))
    }

    fn plain_variant(&mut self, node: &Node, variant: &str, variants: &[Variant], name: &str) -> Option<Value> {
        match variants.iter().find(|known| known.name == variant) {
            Some(known) if known.fields.is_empty() => Some(Value::Text(variant.to_owned())),
            Some(known) => {
                let fields: Vec<_> = known.fields.iter().map(|field| format!("{} = ...", field.name)).collect();
                let form = format!("{name} = {{ {variant} = {{ {} }} }}", fields.join(", "));
                let message = format!("`{variant}` has fields, which must be given");
                self.refuse(Diagnostic::error(message).at(&node.place, "").help(format!("write `{form}`")))
            }
            None => {
                let error = Diagnostic::error(format!("`{name}` cannot be \"{variant}\""));
                let names = variants.iter().map(|variant| variant.name.as_str());
                self.refuse(suggest_at(error, &node.place, variant, names, "possible are"))
            }
        }
    }

    fn variant_with_fields(&mut self, node: &Node, table: &Table, variants: &[Variant], name: &str) -> Option<Value> {
        // An overlay that names another variant leaves two in the merged table: the one that
        // overrides counts.
        let newest = table.values().map(|entry| entry.key.source().order).max();
        let mut chosen = table.iter().filter(|(_, entry)| Some(entry.key.source().order) == newest);
        let (Some((variant, entry)), None) = (chosen.next(), chosen.next()) else {
            let names: Vec<_> = variants.iter().map(|variant| variant.name.as_str()).collect();
            let message = format!("`{name}` must be exactly one of {}", names.join(", "));
            return self.refuse(Diagnostic::error(message).at(&node.place, ""));
        };
        let Some(known) = variants.iter().find(|known| known.name == *variant) else {
            let error = Diagnostic::error(format!("`{name}` cannot be `{variant}`"));
            let names = variants.iter().map(|variant| variant.name.as_str());
            return self.refuse(suggest(error, entry, variant, names, "possible are"));
        };
        if known.fields.is_empty() {
            let message = format!("`{variant}` has no fields");
            let help = format!("write `{name} = \"{variant}\"`");
            return self.refuse(Diagnostic::error(message).at(&entry.key, "").help(help));
        }
        let data_type = DataType::structure(variant.as_str(), known.fields.clone());
        let fields = self.value(entry, &data_type, None, &format!("{name}.{variant}"))?;
        Some(Value::Table(BTreeMap::from([(variant.clone(), fields)])))
    }

    /// Reports an error, with the parameter's documentation and default.
    fn refuse(&mut self, error: Diagnostic) -> Option<Value> {
        let ParameterDescription { name, documentation, unit, default, .. } = self.description;
        let default = to_toml(default).map_or_else(|| "none".into(), |value| value.to_string());
        let default = if unit.is_empty() { default } else { format!("{default} {unit}") };
        let summary = documentation.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        let help = match summary.trim() {
            "" => format!("the default of `{name}` is {default}"),
            summary => format!("`{name}`: {summary} The default is {default}."),
        };
        self.found.push(error.help(help));
        None
    }
}

/// The type inside of lists and options, to which a range applies.
#[derive(PartialEq)]
enum Innermost {
    Number,
    Composed,
}

fn innermost(data_type: &DataType) -> Innermost {
    match data_type {
        DataType::Array(inner, _) | DataType::Bounded(inner, _) => innermost(inner),
        DataType::Sequence(inner) | DataType::Optional(inner) => innermost(inner),
        DataType::Structure { .. } | DataType::Enumeration { .. } => Innermost::Composed,
        _ => Innermost::Number,
    }
}

/// Returns whether a list is a natural way to write the structure: vectors and pairs.
fn is_tuple(fields: &[Field]) -> bool {
    let is_vector =
        fields.len() <= 4 && fields.iter().zip(["x", "y", "z", "w"]).all(|(field, name)| field.name == name);
    is_vector || fields.iter().enumerate().all(|(index, field)| field.name == index.to_string())
}

fn fits_signed(number: i64, bits: u32) -> bool {
    bits >= 64 || (-(1_i64 << (bits - 1))..1 << (bits - 1)).contains(&number)
}

fn fits_unsigned(number: u64, bits: u32) -> bool {
    bits >= 64 || number < 1 << bits
}

/// Describes a type, with an article.
fn expected(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "true or false".into(),
        DataType::Signed(bits) if *bits >= 64 => "a whole number".into(),
        DataType::Unsigned(bits) if *bits >= 64 => "a whole number from 0".into(),
        DataType::Signed(bits) => {
            format!("a whole number from {} to {}", -(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1)
        }
        DataType::Unsigned(bits) => format!("a whole number from 0 to {}", (1_u64 << bits) - 1),
        DataType::Float32 | DataType::Float64 => "a number".into(),
        DataType::Time => "a whole number of nanoseconds".into(),
        DataType::Duration => "a number of seconds".into(),
        DataType::Text => "a text".into(),
        DataType::Optional(inner) => expected(inner),
        DataType::Array(inner, length) => format!("a list of {length} items, each {}", expected(inner)),
        DataType::Sequence(inner) => format!("a list, each item {}", expected(inner)),
        DataType::Bounded(inner, limit) => format!("a list of at most {limit} items, each {}", expected(inner)),
        DataType::Structure { fields, .. } => {
            let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
            let list = if is_tuple(fields) { format!("a list of {} items, or ", fields.len()) } else { String::new() };
            format!("{list}a table with {}", names.join(", "))
        }
        DataType::Enumeration { variants, .. } => {
            let names: Vec<_> = variants.iter().map(|variant| format!("\"{}\"", variant.name)).collect();
            format!("one of {}", names.join(", "))
        }
    }
}
