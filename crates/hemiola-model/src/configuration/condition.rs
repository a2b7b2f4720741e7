//! The conditions under which values are recorded.

use std::cmp::Ordering;
use std::fmt;

use crate::Value;

/// The condition under which a representation is recorded, such as
/// `only_while = "GameState.phase == Playing and Ball.is_seen"`.
///
/// ```
/// use hemiola_model::Value;
/// use hemiola_model::configuration::{Comparison, Condition, Operator};
///
/// let is_seen = Comparison {
///     representation: "Ball".into(),
///     field: vec!["is_seen".into()],
///     operator: Operator::Equal,
///     value: Value::Boolean(true),
/// };
/// let condition = Condition { any: vec![vec![is_seen]] };
/// assert_eq!(condition.to_string(), "Ball.is_seen == true");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The alternatives, one of which has to hold; an alternative holds if all its comparisons do.
    pub any: Vec<Vec<Comparison>>,
}

/// A comparison of a field of a representation with a value.
///
/// ```
/// use hemiola_model::Value;
/// use hemiola_model::configuration::{Comparison, Operator};
///
/// let is_near = Comparison {
///     representation: "Obstacles".into(),
///     field: vec!["distances".into(), 0.into()],
///     operator: Operator::Less,
///     value: Value::Float(0.5),
/// };
/// let obstacles = |distances: &[f32]| Value::Table([("distances".to_owned(), Value::of(&distances.to_vec()))].into());
/// assert!(is_near.holds(&obstacles(&[0.3, 2.0])));
/// assert!(!is_near.holds(&obstacles(&[0.7])));
/// assert!(!is_near.holds(&obstacles(&[]))); // nothing is not near
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The name of the representation.
    pub representation: String,
    /// The path to the field.
    pub field: Vec<FieldStep>,
    /// The relation of the field, on the left, to the value.
    pub operator: Operator,
    /// The value: a truth value, a number, or a text, which may also be the name of a variant.
    pub value: Value,
}

/// A step on the way to a field.
///
/// See [`Comparison`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldStep {
    /// A field of a structure, or the fields of a variant.
    Name(String),
    /// An item of a list, from zero.
    Item(usize),
}

/// The relation by which two values are compared.
///
/// See [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Returns whether the comparison holds for this value of the representation. No comparison
    /// holds for a field that does not exist, such as an option without a value or an item beyond
    /// the end.
    pub fn holds(&self, representation: &Value) -> bool {
        let field = self.field.iter().try_fold(representation, |value, step| match (value, step) {
            (Value::Table(fields), FieldStep::Name(name)) => fields.get(name),
            (Value::List(items), FieldStep::Item(index)) => items.get(*index),
            _ => None,
        });
        field.and_then(|field| compare(field, &self.value)).is_some_and(|ordering| self.operator.accepts(ordering))
    }
}

impl Operator {
    fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// Compares two values; `None` where there is no order, as between values of different kinds or
/// with NaN.
fn compare(field: &Value, with: &Value) -> Option<Ordering> {
    match (field, with) {
        (Value::Boolean(field), Value::Boolean(with)) => Some(field.cmp(with)),
        (Value::Text(field), Value::Text(with)) => Some(field.cmp(with)),
        // A variant with fields is a table with its name.
        (Value::Table(variant), Value::Text(with)) => variant.keys().next().map(|name| name.cmp(with)),
        (field, with) => match (whole(field), whole(with)) {
            (Some(field), Some(with)) => Some(field.cmp(&with)),
            _ => number(field)?.partial_cmp(&number(with)?),
        },
    }
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Integer(number) => Some(i128::from(*number)),
        Value::Unsigned(number) => Some(i128::from(*number)),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        value => whole(value).map(|number| number as f64),
    }
}

impl From<&str> for FieldStep {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<usize> for FieldStep {
    fn from(index: usize) -> Self {
        Self::Item(index)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, all) in self.any.iter().enumerate() {
            formatter.write_str(if index > 0 { " or " } else { "" })?;
            for (index, comparison) in all.iter().enumerate() {
                write!(formatter, "{}{comparison}", if index > 0 { " and " } else { "" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.representation)?;
        self.field.iter().try_for_each(|step| step.fmt(formatter))?;
        write!(formatter, " {} {}", self.operator, self.value)
    }
}

impl fmt::Display for FieldStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(formatter, ".{name}"),
            Self::Item(index) => write!(formatter, "[{index}]"),
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_or_no_number_is_like_nothing() {
        let operators = [
            Operator::Equal,
            Operator::NotEqual,
            Operator::Less,
            Operator::LessOrEqual,
            Operator::Greater,
            Operator::GreaterOrEqual,
        ];
        let holding = |field: Value, value: Value| {
            let representation = Value::Table([("field".to_owned(), field)].into());
            let comparison = |operator| Comparison {
                representation: "R".into(),
                field: vec!["field".into()],
                operator,
                value: value.clone(),
            };
            let holding = operators.into_iter().filter(|operator| comparison(*operator).holds(&representation));
            holding.map(|operator| operator.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(holding(Value::Float(1.5), Value::Integer(2)), "!= < <=");
        assert_eq!(holding(Value::Unsigned(u64::MAX), Value::Integer(i64::MAX)), "!= > >=");
        assert_eq!(holding(Value::Integer(2), Value::Integer(2)), "== <= >=");
        assert_eq!(holding(Value::Float(f64::NAN), Value::Float(0.0)), "");
        assert_eq!(holding(Value::Nothing, Value::Float(0.0)), "");
        assert_eq!(holding(Value::Text("Playing".into()), Value::Text("Playing".into())), "== <= >=");
        let kick =
            Value::Table([("Kick".to_owned(), Value::Table([("angle".to_owned(), Value::Float(0.5))].into()))].into());
        assert_eq!(holding(kick.clone(), Value::Text("Stand".into())).split(' ').next(), Some("!="));
        let angle = Comparison {
            representation: "Action".into(),
            field: vec!["Kick".into(), "angle".into()],
            operator: Operator::Greater,
            value: Value::Float(0.1),
        };
        assert!(angle.holds(&kick) && !angle.holds(&Value::Text("Stand".into())));
    }
}
