//! Parsing of conditions such as `GameState.phase == Playing and Ball.distance < 2.0`, which are
//! checked against the schemas of the representations in them.

use std::collections::BTreeMap;
use std::ops::Range;

use hemiola_model::Value;
use hemiola_model::configuration::{Comparison, Condition, FieldStep, Operator};
use hemiola_model::data::DataType;

use crate::suggest::{list, nearest};

/// An error in a condition, with its place in the text.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    pub message: String,
    pub span: Range<usize>,
    pub meant: Option<String>,
    pub help: Option<String>,
}

/// The largest number of comparisons in a condition: longer ones are not legible.
const MOST_COMPARISONS: usize = 32;

/// Parses a condition on these representations.
pub(crate) fn parse_condition(text: &str, schemas: &BTreeMap<String, DataType>) -> Result<Condition, Fault> {
    let mut parser = Parser { text, position: 0, schemas };
    let (mut any, mut all) = (Vec::new(), Vec::new());
    for _ in 0..MOST_COMPARISONS {
        all.push(parser.comparison()?);
        let begin = parser.skip_space();
        match parser.word() {
            "" if begin == text.len() => {
                any.push(all);
                return Ok(Condition { any });
            }
            "and" => {}
            "or" => any.push(std::mem::take(&mut all)),
            _ => return Err(parser.fault(begin, "`and` or `or` is expected here, or the end")),
        }
    }
    Err(parser.fault(0, &format!("a condition has at most {MOST_COMPARISONS} comparisons")))
}

struct Parser<'t> {
    text: &'t str,
    position: usize,
    schemas: &'t BTreeMap<String, DataType>,
}

/// The kind of values that are compared.
enum Kind<'t> {
    Boolean,
    Number,
    Text,
    Variant(Vec<&'t str>),
}

impl<'t> Parser<'t> {
    fn comparison(&mut self) -> Result<Comparison, Fault> {
        let mut begin = self.skip_space();
        let mut name = self.word();
        let is_negated = name == "not";
        if is_negated {
            begin = self.skip_space();
            name = self.word();
        }
        if name.is_empty() {
            return Err(self.fault(begin, "a representation is expected here, such as in `GameState.phase == Playing`"));
        }
        let Some(schema) = self.schemas.get(name) else {
            let names = self.schemas.keys().map(String::as_str);
            return Err(self.unknown(begin, format!("unknown representation `{name}`"), name, names));
        };
        let (field, data_type) = self.field(name, schema)?;
        let kind = kind(data_type).ok_or_else(|| {
            let path = &self.text[begin..self.position];
            let inner = parts(data_type);
            let fault = self.fault(begin, &format!("`{path}` is {data_type}, which cannot be compared"));
            Fault { help: (!inner.is_empty()).then(|| format!("it has: {}", list(inner))), ..fault }
        })?;
        let path = begin..self.position;
        let (operator, value) = match (self.operator()?, &kind) {
            (Some(operator), _) if !is_negated => (operator, self.value(operator, &kind, &path)?),
            (None, Kind::Boolean) => (Operator::Equal, Value::Boolean(!is_negated)),
            _ => {
                let path = &self.text[path.clone()];
                let message = if is_negated {
                    format!("`not` applies to booleans only: write `{path} != ...` instead of `not {path}`")
                } else {
                    format!("`{path}` must be compared with something: `{path} == ...`")
                };
                return Err(self.fault(begin, &message));
            }
        };
        Ok(Comparison { representation: name.to_owned(), field, operator, value })
    }

    /// Reads the path to a field, `.phase` or `.angles[3]`, and returns it with the field's type.
    fn field(&mut self, name: &str, schema: &'t DataType) -> Result<(Vec<FieldStep>, &'t DataType), Fault> {
        let (mut steps, mut data_type, mut path) = (Vec::new(), schema, name.to_owned());
        loop {
            while let DataType::Optional(inner) = data_type {
                data_type = inner;
            }
            let begin = self.position;
            if self.take(".") {
                let step = self.word();
                let fields = named_parts(data_type);
                let Some((_, found)) = fields.iter().find(|(name, _)| *name == step) else {
                    let known = fields.iter().map(|(name, _)| *name);
                    let message = match fields.len() {
                        0 => format!("`{path}` is {data_type}, which has no fields"),
                        _ => format!("`{path}` has no field `{step}`"),
                    };
                    return Err(self.unknown(begin + 1, message, step, known));
                };
                // The fields of a variant are one level deeper, without a type of their own.
                match found {
                    Part::Field(found) => data_type = found,
                    Part::Variant(fields) => {
                        steps.push(FieldStep::from(step));
                        let (step, found) = self.variant_field(&format!("{path}.{step}"), fields)?;
                        path.push_str(&format!(".{step}"));
                        data_type = found;
                        steps.push(FieldStep::Name(step));
                        continue;
                    }
                }
                path.push_str(&format!(".{step}"));
                steps.push(FieldStep::from(step));
            } else if self.take("[") {
                let digits = self.while_in(|letter| letter.is_ascii_digit());
                let index = digits.parse::<usize>().ok().filter(|_| self.take("]"));
                let Some(index) = index else { return Err(self.fault(begin, "write an item as `[3]`")) };
                data_type = match data_type {
                    DataType::Array(inner, length) if index < *length => inner,
                    DataType::Sequence(inner) => inner,
                    DataType::Bounded(inner, limit) if index < *limit => inner,
                    DataType::Bounded(_, limit) => {
                        return Err(self.fault(begin, &format!("`{path}` has at most {limit} items, numbered from 0")));
                    }
                    DataType::Array(_, length) => {
                        return Err(self.fault(begin, &format!("`{path}` has {length} items, numbered from 0")));
                    }
                    other => return Err(self.fault(begin, &format!("`{path}` is {other}, which has no items"))),
                };
                path.push_str(&format!("[{index}]"));
                steps.push(FieldStep::Item(index));
            } else {
                return Ok((steps, data_type));
            }
        }
    }

    fn variant_field(
        &mut self,
        path: &str,
        fields: &'t [hemiola_model::data::Field],
    ) -> Result<(String, &'t DataType), Fault> {
        let begin = self.position;
        let step = if self.take(".") { self.word() } else { "" };
        match fields.iter().find(|field| field.name == step) {
            Some(field) => Ok((step.to_owned(), &field.data_type)),
            None => {
                let known = fields.iter().map(|field| field.name.as_str());
                Err(self.unknown(begin, format!("a field of the variant `{path}` is expected here"), step, known))
            }
        }
    }

    fn operator(&mut self) -> Result<Option<Operator>, Fault> {
        const OPERATORS: [(&str, Operator); 6] = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let begin = self.skip_space();
        if let Some((_, operator)) = OPERATORS.into_iter().find(|(text, _)| self.take(text)) {
            return Ok(Some(operator));
        }
        if self.take("=") {
            let fault = self.fault(begin, "a comparison needs two signs");
            return Err(Fault { meant: Some("==".to_owned()), ..fault });
        }
        Ok(None)
    }

    fn value(&mut self, operator: Operator, kind: &Kind<'_>, path: &Range<usize>) -> Result<Value, Fault> {
        let path = &self.text[path.clone()];
        let begin = self.skip_space();
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        if !is_equality && !matches!(kind, Kind::Number) {
            return Err(self.fault(begin, &format!("`{path}` is not a number: only `==` and `!=` are allowed")));
        }
        let value = match kind {
            Kind::Text => self.quoted().map(Value::Text),
            Kind::Boolean => match self.word() {
                "true" => Some(Value::Boolean(true)),
                "false" => Some(Value::Boolean(false)),
                _ => None,
            },
            Kind::Number => number(self.while_in(|letter| !letter.is_whitespace())),
            Kind::Variant(variants) => {
                let variant = self.quoted().unwrap_or_else(|| self.word().to_owned());
                if !variants.contains(&variant.as_str()) {
                    let message = format!("`{path}` is never `{variant}`");
                    return Err(self.unknown(begin, message, &variant, variants.iter().copied()));
                }
                Some(Value::Text(variant))
            }
        };
        value.ok_or_else(|| {
            let expected = match kind {
                Kind::Text => "a text, such as 'red'",
                Kind::Boolean => "true or false",
                _ => "a number",
            };
            self.fault(begin, &format!("`{path}` is compared with {expected}"))
        })
    }

    fn quoted(&mut self) -> Option<String> {
        let quote = ["'", "\""].into_iter().find(|quote| self.take(quote))?;
        let text = self.while_in(|letter| !quote.contains(letter)).to_owned();
        self.take(quote).then_some(text)
    }

    fn word(&mut self) -> &'t str {
        self.while_in(|letter| letter.is_alphanumeric() || letter == '_')
    }

    fn while_in(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.position..];
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    fn take(&mut self, expected: &str) -> bool {
        let is_there = self.text[self.position..].starts_with(expected);
        if is_there {
            self.position += expected.len();
        }
        is_there
    }

    fn skip_space(&mut self) -> usize {
        self.while_in(char::is_whitespace);
        self.position
    }

    /// Reports a fault from `begin` to the present position, or to the end of the word at `begin`.
    fn fault(&self, begin: usize, message: &str) -> Fault {
        let rest = &self.text[begin..];
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let end = if self.position > begin { self.position } else { begin + word };
        Fault { message: message.to_owned(), span: begin..end, meant: None, help: None }
    }

    fn unknown<'c>(
        &self,
        begin: usize,
        message: String,
        name: &str,
        known: impl Iterator<Item = &'c str> + Clone,
    ) -> Fault {
        let meant = nearest(name, known.clone()).map(str::to_owned);
        let known = list(known);
        Fault { meant, help: (!known.is_empty()).then(|| format!("there are: {known}")), ..self.fault(begin, &message) }
    }
}

fn kind(data_type: &DataType) -> Option<Kind<'_>> {
    match data_type {
        DataType::Boolean => Some(Kind::Boolean),
        DataType::Signed(_)
        | DataType::Unsigned(_)
        | DataType::Float32
        | DataType::Float64
        | DataType::Time
        | DataType::Duration => Some(Kind::Number),
        DataType::Text => Some(Kind::Text),
        DataType::Enumeration { variants, .. } => {
            Some(Kind::Variant(variants.iter().map(|variant| variant.name.as_str()).collect()))
        }
        DataType::Optional(_)
        | DataType::Array(..)
        | DataType::Sequence(_)
        | DataType::Bounded(..)
        | DataType::Structure { .. } => None,
    }
}

enum Part<'t> {
    Field(&'t DataType),
    Variant(&'t [hemiola_model::data::Field]),
}

fn named_parts(data_type: &DataType) -> Vec<(&str, Part<'_>)> {
    match data_type {
        DataType::Structure { fields, .. } => {
            fields.iter().map(|field| (field.name.as_str(), Part::Field(&field.data_type))).collect()
        }
        DataType::Enumeration { variants, .. } => {
            let with_fields = variants.iter().filter(|variant| !variant.fields.is_empty());
            with_fields.map(|variant| (variant.name.as_str(), Part::Variant(&variant.fields))).collect()
        }
        _ => Vec::new(),
    }
}

fn parts(data_type: &DataType) -> Vec<&str> {
    named_parts(data_type).into_iter().map(|(name, _)| name).collect()
}

/// Parses a number. Whole numbers stay whole: beyond 2^53 it matters.
fn number(text: &str) -> Option<Value> {
    match text.parse::<i64>() {
        Ok(whole) => Some(Value::Integer(whole)),
        Err(_) => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::Float),
    }
}

#[cfg(test)]
mod tests;
