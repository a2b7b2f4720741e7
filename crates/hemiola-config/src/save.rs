//! Changes of values in a TOML text that keep its comments and layout.

mod file;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use hemiola_model::Value;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike};

use crate::ConfigError;
use crate::toml_value::to_toml;
pub use file::{save_in_file, save_parameter};

/// A value to be saved, with its key.
///
/// See [`save_values`].
#[derive(Clone, Debug, PartialEq)]
pub struct SavedValue {
    /// The table of the key, as in a header: `module.BallFinder`; empty for the top of the file.
    pub section: String,
    /// The key.
    pub key: String,
    /// The value. [`Value::Nothing`] removes the key, so that its default applies again.
    pub value: Value,
}

impl SavedValue {
    /// Creates a value for a key of a section.
    pub fn new(section: impl Into<String>, key: impl Into<String>, value: Value) -> Self {
        Self { section: section.into(), key: key.into(), value }
    }
}

/// Sets values in the text of a TOML file, and returns the new text.
///
/// Comments, order and layout of everything else stay as they are, and so does the form of a number
/// that already has the value. Missing sections are added at the end. A value that is a table is
/// merged into the existing table, key by key, in whatever form that is written.
///
/// # Errors
/// Fails if the text is not TOML, or holds something else where a section belongs.
///
/// ```
/// use hemiola_config::{SavedValue, save_values};
/// use hemiola_model::Value;
///
/// let text = "[module.Walk]\ngain = 0.5  # stable up to 0.9\n";
/// let tuned = [
///     SavedValue::new("module.Walk", "gain", Value::Float(0.7)),
///     SavedValue::new("module.BallFinder", "threshold", Value::Float(0.72)),
/// ];
/// let expected = "[module.Walk]\ngain = 0.7  # stable up to 0.9\n\n[module.BallFinder]\nthreshold = 0.72\n";
/// assert_eq!(save_values(text, &tuned)?, expected);
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn save_values(text: &str, values: &[SavedValue]) -> Result<String, ConfigError> {
    let refuse = |value: &SavedValue, reason: &dyn Display| ConfigError::Unsavable {
        file: None,
        key: if value.section.is_empty() { value.key.clone() } else { format!("{}.{}", value.section, value.key) },
        reason: reason.to_string(),
    };
    let Some(first) = values.first() else { return Ok(text.to_owned()) };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| refuse(first, &error))?;
    for value in values {
        let new = to_toml(&value.value);
        let path: Vec<&str> = value.section.split('.').filter(|part| !part.is_empty()).collect();
        let is_first = document.is_empty();
        match section(document.as_table_mut(), &path, new.is_some(), is_first) {
            Ok(Some(table)) => set(table, &value.key, new),
            Ok(None) => {}
            Err(depth) => {
                return Err(refuse(value, &format_args!("`{}` is not a table there", path[..=depth].join("."))));
            }
        }
    }
    Ok(document.to_string())
}

/// Returns the table at that path. If it is missing, it is added if it `is_needed`.
///
/// # Errors
/// Returns the position in the path of what is not a table.
fn section<'d>(
    root: &'d mut Table,
    path: &[&str],
    is_needed: bool,
    is_first: bool,
) -> Result<Option<&'d mut dyn TableLike>, usize> {
    let mut table: &mut dyn TableLike = root;
    let mut is_inline = false;
    for (depth, name) in path.iter().enumerate() {
        if !table.contains_key(name) {
            if !is_needed {
                return Ok(None);
            }
            let is_last = depth + 1 == path.len();
            table.insert(
                name,
                if is_inline { Item::Value(InlineTable::new().into()) } else { header(is_last, is_first) },
            );
        }
        let item = table.get_mut(name).ok_or(depth)?;
        is_inline |= item.is_value();
        table = item.as_table_like_mut().ok_or(depth)?;
    }
    Ok(Some(table))
}

/// Creates a table that has a header only if something follows below it, and an empty line before
/// that.
fn header(is_last: bool, is_first: bool) -> Item {
    let mut table = Table::new();
    table.set_implicit(!is_last);
    table.decor_mut().set_prefix(if is_first { "" } else { "\n" });
    Item::Table(table)
}

/// Sets a key, or removes it.
fn set(table: &mut dyn TableLike, key: &str, value: Option<toml_edit::Value>) {
    match (value, table.get_mut(key)) {
        (None, _) => _ = table.remove(key),
        (Some(value), Some(item)) => replace(item, value),
        (Some(value), None) => _ = table.insert(key, Item::Value(value)),
    }
}

/// Replaces a value by another one, and keeps as much of its form as still applies.
fn replace(item: &mut Item, new: toml_edit::Value) {
    if let (toml_edit::Value::InlineTable(entries), Some(table)) = (&new, item.as_table_like_mut()) {
        let gone: Vec<_> =
            table.iter().map(|(key, _)| key.to_owned()).filter(|key| !entries.contains_key(key)).collect();
        gone.iter().for_each(|key| _ = table.remove(key));
        entries.iter().for_each(|(key, value)| set(table, key, Some(value.clone())));
        return;
    }
    match item {
        Item::Value(old) => replace_value(old, new),
        other => *other = Item::Value(new),
    }
}

/// Replaces a value as [`replace`] does; the space and the comment around the old value stay.
fn replace_value(old: &mut toml_edit::Value, mut new: toml_edit::Value) {
    use toml_edit::Value::{Array, InlineTable};
    match (&mut *old, &new) {
        (Array(items), Array(new)) if items.len() == new.len() => {
            items.iter_mut().zip(new.iter()).for_each(|(item, new)| replace_value(item, new.clone()));
        }
        (InlineTable(_), InlineTable(_)) => {
            let mut item = Item::Value(old.clone());
            replace(&mut item, new);
            if let Item::Value(replaced) = item {
                *old = replaced;
            }
        }
        (old, new) if is_same(old, new) => {}
        _ => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
    }
}

/// Returns whether two values that are not tables or lists mean the same; a whole number is also a
/// fraction.
fn is_same(old: &toml_edit::Value, new: &toml_edit::Value) -> bool {
    use toml_edit::Value::{Boolean, Float, Integer, String};
    match (old, new) {
        (Boolean(old), Boolean(new)) => old.value() == new.value(),
        (Integer(old), Integer(new)) => old.value() == new.value(),
        (Float(old), Float(new)) => old.value().to_bits() == new.value().to_bits(),
        // A 1 that is written for a fraction means 1.0.
        (Integer(old), Float(new)) => (*old.value() as f64).to_bits() == new.value().to_bits(),
        (String(old), String(new)) => old.value() == new.value(),
        _ => false,
    }
}
