//! Resolution of the names of types.

use std::collections::HashMap;
use std::sync::Arc;

use super::parse::{RawField, Section, short};
use super::{Definition, Dialect, Element, Field, NumberType, SchemaError, Shape};

/// The maximum depth of definitions inside each other: reading values recurses as deep.
const DEEPEST: usize = 64;

/// Returns the root's definition, with all definitions that it needs.
pub fn resolve(root: &str, sections: &[Section], dialect: Dialect) -> Result<Definition, SchemaError> {
    let mut by_name = HashMap::new();
    for section in sections {
        by_name.entry(section.name.as_str()).or_insert(section);
    }
    let mut resolver = Resolver { by_name, known: HashMap::new(), open: Vec::new(), dialect };
    let error = |message| SchemaError { line: 1, message };
    let section = sections.first().ok_or_else(|| error(format!("there is no definition of `{root}`")))?;
    let definition = resolver.definition(section, 1)?;
    drop(resolver);
    Ok(Arc::unwrap_or_clone(definition))
}

struct Resolver<'s> {
    by_name: HashMap<&'s str, &'s Section>,
    known: HashMap<String, Arc<Definition>>,
    /// The definitions whose fields are being resolved.
    open: Vec<&'s str>,
    dialect: Dialect,
}

impl<'s> Resolver<'s> {
    fn definition(&mut self, section: &'s Section, line: usize) -> Result<Arc<Definition>, SchemaError> {
        if let Some(known) = self.known.get(&section.name) {
            return Ok(Arc::clone(known));
        }
        let error = |message| Err(SchemaError { line, message });
        if self.open.contains(&section.name.as_str()) {
            return error(format!("`{}` contains itself", section.name));
        }
        if self.open.len() >= DEEPEST {
            return error(format!("messages are nested more than {DEEPEST} levels deep"));
        }
        self.open.push(&section.name);
        let fields = section.fields.iter().map(|field| self.field(section, field)).collect::<Result<_, _>>()?;
        self.open.pop();
        let definition = Arc::new(Definition::new(&section.name, fields, section.constants.clone()));
        if definition.depth > DEEPEST {
            return error(format!("messages are nested more than {DEEPEST} levels deep"));
        }
        self.known.insert(section.name.clone(), Arc::clone(&definition));
        Ok(definition)
    }

    fn field(&mut self, section: &'s Section, field: &RawField) -> Result<Field, SchemaError> {
        let element = match primitive(&field.type_name, field.text_limit, self.dialect) {
            Some(element) => element,
            None => Element::Message(self.message(section, field)?),
        };
        Ok(Field { name: field.name.as_str().into(), element, shape: field.shape, default: field.default.clone() })
    }

    /// Finds a type by its name with its package, by its name in the package of the message around
    /// it, or as one of the two names that are commonly used without a package.
    fn message(&mut self, section: &Section, field: &RawField) -> Result<Arc<Definition>, SchemaError> {
        let written = short(&field.type_name);
        let package = section.name.split('/').next().unwrap_or_default();
        let candidates = [written.clone(), format!("{package}/{written}"), format!("std_msgs/{written}")];
        let section = candidates.iter().find_map(|name| self.by_name.get(name.as_str()).copied());
        match (section, written.as_str()) {
            (Some(section), _) => self.definition(section, field.line),
            (None, "builtin_interfaces/Time" | "Time" | "time") => Ok(Arc::new(seconds("builtin_interfaces/Time"))),
            (None, "builtin_interfaces/Duration" | "Duration" | "duration") => {
                Ok(Arc::new(seconds("builtin_interfaces/Duration")))
            }
            _ => Err(SchemaError {
                line: field.line,
                message: format!(
                    "there is no type `{written}`: neither a primitive of {} nor defined in the schema",
                    self.dialect
                ),
            }),
        }
    }
}

impl Definition {
    fn new(name: &str, mut fields: Vec<Field>, constants: Vec<super::Constant>) -> Self {
        if fields.is_empty() {
            // ROS 2 encodes a message without fields with this one.
            fields.push(number(Self::FILLER, NumberType::U8));
        }
        let depth = |field: &Field| match &field.element {
            Element::Message(definition) => definition.depth,
            _ => 0,
        };
        let depth = 1 + fields.iter().map(depth).max().unwrap_or(0);
        Self { name: name.into(), fields, constants, depth }
    }
}

/// Creates a definition of `builtin_interfaces`, which writers may leave out.
fn seconds(name: &str) -> Definition {
    Definition::new(name, vec![number("sec", NumberType::I32), number("nanosec", NumberType::U32)], Vec::new())
}

fn number(name: &str, number_type: NumberType) -> Field {
    Field { name: name.into(), element: Element::Number(number_type), shape: Shape::One, default: None }
}

fn primitive(name: &str, text_limit: Option<usize>, dialect: Dialect) -> Option<Element> {
    Some(match name {
        "bool" => Element::Boolean,
        "byte" if dialect == Dialect::Ros1 => Element::Number(NumberType::I8),
        "wstring" if dialect == Dialect::Ros1 => return None,
        "uint8" | "byte" | "char" => Element::Number(NumberType::U8),
        "int8" => Element::Number(NumberType::I8),
        "uint16" => Element::Number(NumberType::U16),
        "int16" => Element::Number(NumberType::I16),
        "uint32" => Element::Number(NumberType::U32),
        "int32" => Element::Number(NumberType::I32),
        "uint64" => Element::Number(NumberType::U64),
        "int64" => Element::Number(NumberType::I64),
        "float32" => Element::Number(NumberType::F32),
        "float64" => Element::Number(NumberType::F64),
        "string" => Element::Text { limit: text_limit },
        "wstring" => Element::WideText,
        _ => return None,
    })
}
