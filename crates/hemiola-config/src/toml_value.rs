//! Values of parameters as TOML.

use hemiola_model::Value;
use toml_edit::{Array, InlineTable};

/// A value in TOML; `None` for nothing, which TOML cannot say.
pub(crate) fn to_toml(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Nothing => return None,
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        // TOML promises 64 bits with a sign and no more; as a number it keeps its size if not its last digits.
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
