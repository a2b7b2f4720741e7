//! Conversion between values of parameters and TOML.

use hemiola_model::Value;
use toml_edit::{Array, InlineTable};

use crate::ConfigError;
use crate::diagnostic::Diagnostics;
use crate::document::parse_text;
use crate::node::Node;
use crate::place::SourceText;

/// Converts a value to TOML; `None` for nothing, which TOML cannot represent.
pub(crate) fn to_toml(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Nothing => return None,
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        // TOML guarantees signed integers of 64 bits and no more; as a floating-point number it
        // keeps its size if not its last digits.
        Value::Unsigned(value) => i64::try_from(*value).map_or_else(|_| (*value as f64).into(), Into::into),
        Value::Float(value) => (*value).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => Array::from_iter(items.iter().filter_map(to_toml)).into(),
        Value::Table(entries) => {
            let entries = entries.iter().filter_map(|(name, value)| Some((name.as_str(), to_toml(value)?)));
            InlineTable::from_iter(entries).into()
        }
    })
}

/// Returns a value as it is written in a file: `{ seen = true, position = [1.0, 0.5] }`, and `none`
/// for nothing, which TOML cannot represent.
///
/// ```
/// use hemiola_config::{parse_value, value_text};
///
/// let text = "{ name = \"left\", position = [1.0, 0.5] }";
/// assert_eq!(value_text(&parse_value(text)?), text);
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn value_text(value: &Value) -> String {
    to_toml(value).map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// Parses a value that a user typed: TOML, or a text without quotes that cannot be mistaken for
/// anything else.
///
/// # Errors
/// Fails if it begins as a table, list or text of TOML, and is not one.
///
/// ```
/// use hemiola_config::parse_value;
/// use hemiola_model::Value;
///
/// assert_eq!(parse_value("0.7")?, Value::Float(0.7));
/// assert_eq!(parse_value("Calm")?, Value::from("Calm"));
/// assert!(parse_value("{ seen = true").is_err());
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn parse_value(text: &str) -> Result<Value, ConfigError> {
    let mut found = Diagnostics::default();
    let source = SourceText::new("the value", format!("value = {}", text.trim()), 0);
    let root = parse_text(&source, &mut found);
    let only = root.as_ref().and_then(Node::table).filter(|table| table.len() == 1);
    match only.and_then(|table| table.get("value")) {
        Some(node) => Ok(node.to_value()),
        None if text.trim().starts_with(['{', '[', '"', '\'']) => Err(ConfigError::Invalid(found)),
        None => Ok(Value::Text(text.trim().to_owned())),
    }
}
