//! The search for the first field in which two messages differ.

use crate::entry::Message;
use crate::value::{MessageValue, Value};

/// A field that differs, and its two values.
///
/// See [`Message::difference`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    /// The path to the field.
    pub path: String,
    /// The value in the first message.
    pub left: String,
    /// The value in the second message.
    pub right: String,
}

impl std::fmt::Display for FieldDifference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, left, right } = self;
        let path = if path.is_empty() { "it" } else { path };
        write!(formatter, "{path} was {left} and is {right}")
    }
}

impl Message<'_> {
    /// Returns the first field in which the message differs from another one of its channel, of
    /// which these are the bytes; `None` if they are the same.
    ///
    /// ```no_run
    /// # fn show(message: hemiola_log::Message<'_>, recomputed: &[u8]) {
    /// if let Some(difference) = message.difference(recomputed) {
    ///     println!("{} at {}: {difference}", message.channel.topic, message.log_time);
    /// }
    /// # }
    /// ```
    pub fn difference(&self, other: &[u8]) -> Option<FieldDifference> {
        if self.data == other {
            return None;
        }
        let decoded = |data| Message { data, ..self.clone() }.decode();
        let found = match (decoded(self.data), decoded(other)) {
            (Ok(left), Ok(right)) => first_difference(&left, &right, "", &|_| 0.0),
            _ => None,
        };
        // Zero and minus zero are the same number, and a message that cannot be decoded has no
        // fields.
        let bytes = || {
            let first = self.data.iter().zip(other).position(|(left, right)| left != right);
            let first = first.unwrap_or(self.data.len().min(other.len()));
            let byte = |data: &[u8]| data.get(first).map_or("missing".to_owned(), |byte| format!("{byte:#04x}"));
            (format!("byte {first}"), byte(self.data), byte(other))
        };
        let (path, left, right) = found.unwrap_or_else(bytes);
        Some(FieldDifference { path, left, right })
    }
}

pub(crate) type Found = Option<(String, String, String)>;

/// Returns the path to the first field that differs, and both values.
pub(crate) fn first_difference(left: &Value, right: &Value, path: &str, tolerance: &dyn Fn(&str) -> f64) -> Found {
    let differ = || Some((path.to_owned(), left.to_string(), right.to_string()));
    match (left, right) {
        (Value::Message(a), Value::Message(b)) if !a.is_seconds() => message_difference(a, b, path, tolerance),
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.into_iter().find_map(|(index, (a, b))| first_difference(a, b, &format!("{path}[{index}]"), tolerance))
        }
        (Value::Numbers(a), Value::Numbers(b)) if a.len() == b.len() => (0..a.len()).find_map(|index| {
            let (Some(a), Some(b)) = (a.get(index), b.get(index)) else { return None };
            first_difference(&a, &b, &format!("{path}[{index}]"), tolerance)
        }),
        (Value::List(a), Value::List(b)) => Some((path.to_owned(), items(a.len()), items(b.len()))),
        (Value::Numbers(a), Value::Numbers(b)) => Some((path.to_owned(), items(a.len()), items(b.len()))),
        _ if left == right => None,
        // Integers may differ where their floating-point numbers do not.
        _ => match (left.number(), right.number()) {
            (Some(a), Some(b)) if (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance(path) && a != b => None,
            _ => differ(),
        },
    }
}

fn items(count: usize) -> String {
    format!("{count} items")
}

/// Compares fields by name: a field that only one of them has is a difference.
fn message_difference(left: &MessageValue, right: &MessageValue, path: &str, tolerance: &dyn Fn(&str) -> f64) -> Found {
    let of = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (field, value) in left.fields() {
        let Some((_, other)) = right.fields().find(|(other, _)| other.name == field.name) else {
            return Some((of(&field.name), value.to_string(), "no such field".to_owned()));
        };
        if let Some(found) = first_difference(value, other, &of(&field.name), tolerance) {
            return Some(found);
        }
    }
    let extra = right.fields().find(|(field, _)| left.fields().all(|(known, _)| known.name != field.name));
    extra.map(|(field, value)| (of(&field.name), "no such field".to_owned(), value.to_string()))
}
