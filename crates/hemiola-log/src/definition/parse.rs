//! Parsing of definitions into fields and constants.

use super::{Constant, Dialect, SchemaError, Shape};

/// The definition of one message.
pub struct Section {
    /// The name of the type, `package/Name`.
    pub name: String,
    pub fields: Vec<RawField>,
    pub constants: Vec<Constant>,
}

/// A field whose type is not resolved yet.
pub struct RawField {
    pub line: usize,
    pub name: String,
    pub type_name: String,
    /// The largest number of bytes of a text.
    pub text_limit: Option<usize>,
    pub shape: Shape,
    pub default: Option<String>,
}

/// Splits a text into definitions, of which the first is the root.
pub fn sections(root: &str, text: &str, dialect: Dialect) -> Result<Vec<Section>, SchemaError> {
    let mut sections = vec![Section::new(root)];
    let mut is_headed = true;
    for (index, line) in text.lines().enumerate() {
        let (number, line) = (index + 1, line.trim());
        if line.len() >= 3 && line.bytes().all(|byte| byte == b'=') {
            is_headed = false;
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix("MSG:") {
            sections.push(Section::new(name.trim()));
            is_headed = true;
            continue;
        }
        let error = |message| SchemaError { line: number, message };
        if !is_headed {
            return Err(error(format!("expected `MSG: package/Name` after the line of `=`, found `{line}`")));
        }
        if let Some(section) = sections.last_mut() {
            section.read(number, line, dialect)?;
        }
    }
    Ok(sections)
}

/// Shortens `package/msg/Name` to `package/Name`.
pub fn short(name: &str) -> String {
    match name.split('/').collect::<Vec<_>>().as_slice() {
        [package, "msg", name] => format!("{package}/{name}"),
        _ => name.to_owned(),
    }
}

impl Section {
    fn new(name: &str) -> Self {
        Self { name: short(name), fields: Vec::new(), constants: Vec::new() }
    }

    /// Reads a line: `type name`, `type name default` or `type NAME=value`.
    fn read(&mut self, number: usize, line: &str, dialect: Dialect) -> Result<(), SchemaError> {
        let error = |message| SchemaError { line: number, message };
        let Some((written, rest)) = line.split_once(char::is_whitespace) else {
            return Err(error(format!("`{line}` is neither a field, `type name`, nor a constant, `type NAME=value`")));
        };
        let rest = rest.trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return Err(error(format!("`{written}` needs a name of letters, digits and `_` after it")));
        }
        let (base, text_limit, shape) = type_of(number, written)?;
        let has_text = matches!(base, "string" | "wstring");
        let rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            let value = match dialect {
                // The whole line counts: `#` does not begin a comment there, and an empty text is a
                // value, too.
                Dialect::Ros1 if has_text => value.trim().to_owned(),
                _ => value_of(value, has_text).ok_or_else(|| error(format!("the constant `{name}` has no value")))?,
            };
            self.constants.push(Constant { name: name.to_owned(), type_name: written.to_owned(), value });
            return Ok(());
        }
        if self.fields.iter().any(|field| field.name == name) {
            return Err(error(format!("there is already a field `{name}`")));
        }
        let default = value_of(rest, has_text);
        let (name, type_name) = (name.to_owned(), base.to_owned());
        self.fields.push(RawField { line: number, name, type_name, text_limit, shape, default });
        Ok(())
    }
}

/// Returns the text before the comment; a `#` in a quoted text does not begin one.
fn value_of(rest: &str, is_text: bool) -> Option<String> {
    let rest = rest.trim();
    let quote = rest.chars().next().filter(|letter| is_text && matches!(letter, '"' | '\''));
    let closed = quote.and_then(|quote| {
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|&(_, letter)| {
            let closes = letter == quote && !escaped;
            escaped = letter == '\\' && !escaped;
            closes
        });
        end.map(|(index, _)| &rest[..=index])
    });
    let value = closed.unwrap_or_else(|| rest.split('#').next().unwrap_or_default().trim());
    (!value.is_empty()).then(|| value.to_owned())
}

/// Splits a type into its name, limit and shape: `name`, `string<=10`, `name[]`, `name[3]`,
/// `name[<=3]`.
fn type_of(line: usize, written: &str) -> Result<(&str, Option<usize>, Shape), SchemaError> {
    let error = |message| SchemaError { line, message };
    let number = |text: &str| {
        let number = text.parse::<usize>().ok().filter(|&number| number > 0 && number <= u32::MAX as usize);
        number.ok_or_else(|| {
            error(format!("`{text}` in `{written}` is not a length, which is a number from 1 to 4294967295"))
        })
    };
    let (base, shape) = match written.split_once('[') {
        None => (written, Shape::One),
        Some((base, shape)) => {
            let Some(shape) = shape.strip_suffix(']') else {
                return Err(error(format!("`{written}` has no `]` at its end")));
            };
            let shape = match shape.strip_prefix("<=") {
                Some(limit) => Shape::Sequence { limit: Some(number(limit)?) },
                None if shape.is_empty() => Shape::Sequence { limit: None },
                None => Shape::Array { length: number(shape)? },
            };
            (base, shape)
        }
    };
    let (base, text_limit) = match base.split_once("<=") {
        None => (base, None),
        Some((base @ ("string" | "wstring"), limit)) => (base, Some(number(limit)?)),
        Some((base, _)) => return Err(error(format!("`{base}` cannot be bounded by `<=`; strings and sequences can"))),
    };
    let is_name = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    if !base.split('/').all(is_name) {
        return Err(error(format!("`{written}` is not a type")));
    }
    Ok((base, text_limit, shape))
}
