//! Hashes of types: REP-2016, version 1 (RIHS01).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hmac_sha256::Hash;

use super::schema::{Element, FieldType, MessageField, MessageName, Shape};

/// Returns the hash of a message that needs `referenced`. The text that is hashed is JSON in a
/// fixed form; comments and constants are not in it.
pub fn rihs01(
    root: &MessageName,
    referenced: &[MessageName],
    messages: &BTreeMap<MessageName, Vec<MessageField>>,
) -> String {
    let description = |name: &MessageName| {
        let fields: Vec<String> = messages.get(name).into_iter().flatten().map(field).collect();
        format!(r#"{{"type_name": "{}", "fields": [{}]}}"#, name.full(), fields.join(", "))
    };
    let mut referenced: Vec<(String, String)> =
        referenced.iter().map(|name| (name.full(), description(name))).collect();
    referenced.sort();
    let referenced: Vec<String> = referenced.into_iter().map(|(_, description)| description).collect();
    let text = format!(
        r#"{{"type_description": {}, "referenced_type_descriptions": [{}]}}"#,
        description(root),
        referenced.join(", ")
    );
    Hash::hash(text.as_bytes()).iter().fold("RIHS01_".to_owned(), |mut out, byte| {
        // Writing to a string cannot fail.
        _ = write!(out, "{byte:02x}");
        out
    })
}

fn field(field: &MessageField) -> String {
    let FieldType { element, shape, .. } = &field.field_type;
    let (of_shape, capacity) = match *shape {
        Shape::One => (0, 0),
        Shape::Array(length) => (48, length),
        Shape::Bounded(length) => (96, length),
        Shape::Sequence => (144, 0),
    };
    let (of_element, nested) = match element {
        Element::Message(name) => (1, name.full()),
        Element::Primitive { type_id, .. } => (*type_id, String::new()),
    };
    format!(
        r#"{{"name": "{}", "type": {{"type_id": {}, "capacity": {capacity}, "string_capacity": 0, "nested_type_name": "{nested}"}}}}"#,
        field.name,
        of_shape + of_element,
    )
}
