//! The search for the fields in which two messages differ.

use std::ops::ControlFlow;

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
    let mut first = None;
    let place = Place { path: path.to_owned(), field: path.to_owned() };
    _ = each_difference(left, right, &place, tolerance, &mut |found| {
        first = Some((found.place.path.clone(), found.left.to_owned(), found.right.to_owned()));
        ControlFlow::Break(())
    });
    first
}

/// A place in a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// The path to it: `points[3].x`.
    pub path: String,
    /// The same without the numbers of elements, which is a field of the type: `points[].x`.
    pub field: String,
}

impl Place {
    fn element(&self, index: usize) -> Self {
        Self { path: format!("{}[{index}]", self.path), field: format!("{}[]", self.field) }
    }

    fn field(&self, name: &str) -> Self {
        let of = |path: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        Self { path: of(&self.path), field: of(&self.field) }
    }
}

/// A place in which two messages differ.
pub(crate) struct Differing<'a> {
    pub place: &'a Place,
    pub left: &'a str,
    pub right: &'a str,
    /// The distance of the two numbers; `None` if they are none.
    pub distance: Option<f64>,
}

type Each<'e> = &'e mut dyn FnMut(&Differing<'_>) -> ControlFlow<()>;

/// Finds all places that differ, until `found` breaks off.
pub(crate) fn each_difference(
    left: &Value,
    right: &Value,
    place: &Place,
    tolerance: &dyn Fn(&str) -> f64,
    found: Each<'_>,
) -> ControlFlow<()> {
    let mut differ = |left: &str, right: &str, distance| found(&Differing { place, left, right, distance });
    match (left, right) {
        (Value::Message(a), Value::Message(b)) if !a.is_seconds() => {
            each_difference_of_messages(a, b, place, tolerance, found)
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
            pairs.try_for_each(|(index, (a, b))| each_difference(a, b, &place.element(index), tolerance, found))
        }
        (Value::Numbers(a), Value::Numbers(b)) if a.len() == b.len() => {
            (0..a.len()).try_for_each(|index| match (a.get(index), b.get(index)) {
                (Some(a), Some(b)) if a != b => each_difference(&a, &b, &place.element(index), tolerance, found),
                _ => ControlFlow::Continue(()),
            })
        }
        (Value::List(a), Value::List(b)) => differ(&items(a.len()), &items(b.len()), None),
        (Value::Numbers(a), Value::Numbers(b)) => differ(&items(a.len()), &items(b.len()), None),
        _ if left == right => ControlFlow::Continue(()),
        // Integers may differ where their floating-point numbers do not.
        _ => match (left.number(), right.number()) {
            (Some(a), Some(b)) if a.is_nan() && b.is_nan() => ControlFlow::Continue(()),
            (Some(a), Some(b)) if (a - b).abs() <= tolerance(&place.path) && a != b => ControlFlow::Continue(()),
            (Some(a), Some(b)) => differ(&left.to_string(), &right.to_string(), Some((a - b).abs())),
            _ => differ(&left.to_string(), &right.to_string(), None),
        },
    }
}

fn items(count: usize) -> String {
    format!("{count} items")
}

/// Compares fields by name: a field that only one of them has is a difference.
fn each_difference_of_messages(
    left: &MessageValue,
    right: &MessageValue,
    place: &Place,
    tolerance: &dyn Fn(&str) -> f64,
    found: Each<'_>,
) -> ControlFlow<()> {
    const NONE: &str = "no such field";
    for (field, value) in left.fields() {
        let place = place.field(&field.name);
        match right.fields().find(|(other, _)| other.name == field.name) {
            Some((_, other)) => each_difference(value, other, &place, tolerance, found)?,
            None => found(&Differing { place: &place, left: &value.to_string(), right: NONE, distance: None })?,
        }
    }
    let mut extra = right.fields().filter(|(field, _)| left.fields().all(|(known, _)| known.name != field.name));
    extra.try_for_each(|(field, value)| {
        let place = place.field(&field.name);
        found(&Differing { place: &place, left: NONE, right: &value.to_string(), distance: None })
    })
}
