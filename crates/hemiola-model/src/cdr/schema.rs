//! Schemas as ROS 2's message definitions.

use std::collections::BTreeMap;

use super::type_hash;
use crate::data::{DataType, Field, TypeName, Variant};

/// A message definition, as it is stored in logs and sent over links.
///
/// ```
/// use hemiola_model::cdr::MessageSchema;
/// use hemiola_model::data::{Data, DataType, Field};
///
/// let point = || DataType::structure("geometry_msgs/Point", vec![
///     Field::new("x", f64::data_type(), ""), Field::new("y", f64::data_type(), ""), Field::new("z", f64::data_type(), ""),
/// ]);
/// let ball = DataType::structure("soccer/Ball", vec![Field::new("position", point(), "In metres."), Field::new("seen", bool::data_type(), "")]);
///
/// let schema = MessageSchema::of("Ball", &ball);
/// assert_eq!(schema.name, "soccer/msg/Ball");
/// assert!(schema.text.starts_with("# In metres.\ngeometry_msgs/Point position\nbool seen\n"));
/// // The hash that ROS 2 has for the same definition.
/// assert_eq!(MessageSchema::of("Point", &point()).type_hash, "RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSchema {
    /// The full name, `package/msg/Name`.
    pub name: String,
    /// The definition, followed by those of all messages that it contains, as log files store them.
    pub text: String,
    /// Version 1 of the ROS interface hashing standard (REP-2016): `RIHS01_` and 64 digits.
    pub type_hash: String,
}

impl MessageSchema {
    /// Creates the schema of a type. A type that is not a structure becomes the only field, `data`,
    /// of a message called `name`.
    pub fn of(name: &str, data_type: &DataType) -> Self {
        let mut definitions = Definitions::default();
        let root = match definitions.field_type(data_type) {
            FieldType { element: Element::Message(root), shape: Shape::One, .. } => root,
            _ => {
                let field = definitions.field("data", data_type, "");
                definitions.message(&TypeName::new("", name), vec![field])
            }
        };
        definitions.schema(&root)
    }

    /// Returns the definition of each message in [`text`](Self::text) with the message's full name,
    /// this one's first: the content of the files of a ROS 2 package.
    ///
    /// ```
    /// use hemiola_model::cdr::MessageSchema;
    /// use hemiola_model::data::{Data, DataType, Field};
    ///
    /// let seen = DataType::structure("soccer/Seen", vec![Field::new("at", <hemiola_model::Time>::data_type(), "")]);
    /// let schema = MessageSchema::of("Seen", &seen);
    /// let definitions: Vec<_> = schema.definitions().collect();
    /// assert_eq!(definitions[0], ("soccer/msg/Seen".to_owned(), "builtin_interfaces/Time at\n"));
    /// assert_eq!(definitions[1], ("builtin_interfaces/msg/Time".to_owned(), "int32 sec\nuint32 nanosec\n"));
    /// ```
    pub fn definitions(&self) -> impl Iterator<Item = (String, &str)> {
        let mut parts = self.text.split(SEPARATOR);
        let root = parts.next().map(|text| (self.name.clone(), text));
        root.into_iter().chain(parts.filter_map(|part| {
            let (name, text) = part.strip_prefix("\nMSG: ")?.split_once('\n')?;
            Some((name.replace('/', "/msg/"), text))
        }))
    }
}

/// The line between two definitions.
const SEPARATOR: &str = "\
    ================================================================================";

/// The name of a message as ROS 2 spells it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MessageName {
    package: String,
    /// `msg`, or `srv` or `action` for a part of a service or an action.
    folder: &'static str,
    name: String,
}

/// A field of a message.
#[derive(Clone, PartialEq)]
pub(super) struct MessageField {
    pub name: String,
    pub field_type: FieldType,
    documentation: String,
}

/// The type of a field: a sequence contains no sequences.
#[derive(Clone, PartialEq)]
pub(super) struct FieldType {
    pub element: Element,
    pub shape: Shape,
    /// The named values that an integer may have.
    constants: Vec<String>,
}

#[derive(Clone, PartialEq)]
pub(super) enum Element {
    Primitive {
        name: &'static str,
        /// The number that `type_description_interfaces/msg/FieldType` gives to the type.
        type_id: u8,
    },
    Message(MessageName),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    One,
    Array(usize),
    Bounded(usize),
    Sequence,
}

/// The definitions of all messages that a root needs.
#[derive(Default)]
pub(super) struct Definitions {
    messages: BTreeMap<MessageName, Vec<MessageField>>,
}

impl MessageName {
    /// Spells a Rust type's name as ROS 2 requires it: packages in lower case, messages in camel
    /// case.
    pub fn of(name: &TypeName) -> Self {
        // Types that belong to none of the user's packages go to ours.
        let package = if name.package.is_empty() { "hemiola" } else { &name.package };
        let package = package.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
        let mut words = String::new();
        for word in name.name.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            let mut letters = word.chars();
            words.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
            words.extend(letters);
        }
        Self { package, folder: "msg", name: words }
    }

    /// Creates the name of a service, or of a part of one.
    pub fn of_service(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), folder: "srv", name: name.to_owned() }
    }

    /// Creates the name of an action, or of a part of one.
    pub fn of_action(package: &str, name: &str) -> Self {
        Self { folder: "action", ..Self::of_service(package, name) }
    }

    pub fn package(&self) -> &str {
        &self.package
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    fn short(&self) -> String {
        format!("{}/{}", self.package, self.name)
    }

    pub fn full(&self) -> String {
        format!("{}/{}/{}", self.package, self.folder, self.name)
    }
}

impl Definitions {
    /// Returns the schema of a message that has been added.
    pub fn schema(&self, root: &MessageName) -> MessageSchema {
        let mut order = Vec::new();
        self.collect(root, &mut order);
        let mut text = self.text(root);
        for name in &order[1..] {
            text += &format!("{SEPARATOR}\nMSG: {}\n{}", name.short(), self.text(name));
        }
        let type_hash = type_hash::rihs01(root, &order[1..], &self.messages);
        MessageSchema { name: root.full(), text, type_hash }
    }

    /// Adds the message that a type is, or one with the type as its only field, `data`, under the
    /// name of a part of a service.
    pub fn part(&mut self, name: MessageName, data_type: &DataType) -> MessageName {
        let fields = match self.field_type(data_type) {
            FieldType { element: Element::Message(message), shape: Shape::One, .. } => {
                self.messages.get(&message).cloned().unwrap_or_default()
            }
            _ => vec![self.field("data", data_type, "")],
        };
        self.messages.insert(name.clone(), fields);
        name
    }

    /// Adds a message that contains messages: at most `limit` of each if there is a limit.
    pub fn outer(&mut self, name: MessageName, parts: &[(&str, &MessageName, Option<usize>)]) -> MessageName {
        let field = |(name, message, limit): &(&str, &MessageName, Option<usize>)| {
            message_field(name, message, limit.map_or(Shape::One, Shape::Bounded))
        };
        self.messages.insert(name.clone(), parts.iter().map(field).collect());
        name
    }

    /// Adds a message with these fields, and one more, which is a message.
    pub fn extended(&mut self, name: MessageName, fields: &[Field], last: Option<(&str, &MessageName)>) -> MessageName {
        let mut fields = self.fields(fields);
        fields.extend(last.map(|(name, message)| message_field(name, message, Shape::One)));
        self.messages.insert(name.clone(), fields);
        name
    }

    /// Adds a message. Another one of the same name, from another module of the same crate, gets a
    /// number.
    pub fn message(&mut self, name: &TypeName, mut fields: Vec<MessageField>) -> MessageName {
        if fields.is_empty() {
            // ROS 2 does the same, as C and C++ have no structures without members.
            fields.push(self.field("structure_needs_at_least_one_member", &DataType::Unsigned(8), ""));
        }
        let first = MessageName::of(name);
        let mut name = first.clone();
        let mut number = 1;
        while self.messages.get(&name).is_some_and(|known| *known != fields) {
            number += 1;
            name.name = format!("{}{number}", first.name);
        }
        self.messages.insert(name.clone(), fields);
        name
    }

    fn field(&mut self, name: &str, data_type: &DataType, documentation: &str) -> MessageField {
        let name = field_name(name);
        let mut field_type = self.field_type(data_type);
        let prefix = name.to_uppercase();
        field_type.constants.iter_mut().for_each(|constant| *constant = format!("{prefix}_{constant}"));
        MessageField { name, field_type, documentation: documentation.to_owned() }
    }

    pub fn fields(&mut self, fields: &[Field]) -> Vec<MessageField> {
        fields.iter().map(|field| self.field(&field.name, &field.data_type, &field.documentation)).collect()
    }

    fn field_type(&mut self, data_type: &DataType) -> FieldType {
        let one = |element| FieldType { element, shape: Shape::One, constants: Vec::new() };
        let primitive = |name, type_id| one(Element::Primitive { name, type_id });
        let message = |name| one(Element::Message(name));
        let part = |name: &str, data_type| Field::new(name, data_type, "");
        match data_type {
            DataType::Boolean => primitive("bool", 15),
            DataType::Signed(8) => primitive("int8", 2),
            DataType::Signed(16) => primitive("int16", 4),
            DataType::Signed(32) => primitive("int32", 6),
            DataType::Signed(_) => primitive("int64", 8),
            DataType::Unsigned(8) => primitive("uint8", 3),
            DataType::Unsigned(16) => primitive("uint16", 5),
            DataType::Unsigned(32) => primitive("uint32", 7),
            DataType::Unsigned(_) => primitive("uint64", 9),
            DataType::Float32 => primitive("float32", 10),
            DataType::Float64 => primitive("float64", 11),
            DataType::Text => primitive("string", 17),
            DataType::Time | DataType::Duration => {
                let name = if *data_type == DataType::Time { "Time" } else { "Duration" };
                let fields = [part("sec", DataType::Signed(32)), part("nanosec", DataType::Unsigned(32))];
                let fields = self.fields(&fields);
                message(self.message(&TypeName::new("builtin_interfaces", name), fields))
            }
            DataType::Optional(inner) => self.sequence(inner, Shape::Bounded(1)),
            DataType::Array(inner, length) => self.sequence(inner, Shape::Array(*length)),
            DataType::Sequence(inner) => self.sequence(inner, Shape::Sequence),
            DataType::Bounded(inner, limit) => self.sequence(inner, Shape::Bounded(*limit)),
            DataType::Structure { name, fields } => {
                let fields = self.fields(fields);
                message(self.message(name, fields))
            }
            DataType::Enumeration { variants, .. } if variants.iter().all(|variant| variant.fields.is_empty()) => {
                FieldType { constants: constants(variants), ..primitive("uint8", 3) }
            }
            DataType::Enumeration { name, variants } => {
                let fields = self.variants(name, variants);
                message(self.message(name, fields))
            }
        }
    }

    /// Returns the fields of the message for an enum with data.
    fn variants(&mut self, name: &TypeName, variants: &[Variant]) -> Vec<MessageField> {
        let mut fields = vec![self.field("kind", &DataType::Unsigned(8), "")];
        fields[0].field_type.constants =
            constants(variants).iter().map(|constant| format!("KIND_{constant}")).collect();
        for variant in variants.iter().filter(|variant| !variant.fields.is_empty()) {
            let of_variant = TypeName::new(&name.package, &format!("{}{}", name.name, variant.name));
            let content = DataType::Structure { name: of_variant, fields: variant.fields.clone() };
            fields.push(self.field(&snake_case(&variant.name), &DataType::Optional(Box::new(content)), ""));
        }
        fields
    }

    fn sequence(&mut self, inner: &DataType, shape: Shape) -> FieldType {
        let element = self.field_type(inner);
        if element.shape == Shape::One {
            return FieldType { shape, ..element };
        }
        // A message in between takes no bytes; its name shows what is in it.
        let field = if matches!(inner, DataType::Optional(_)) { "value" } else { "items" };
        let field = self.field(field, inner, "");
        let name = self.message(&TypeName::new("", &inner.label()), vec![field]);
        FieldType { element: Element::Message(name), shape, constants: Vec::new() }
    }

    /// Appends `name` and all messages that it needs, each once, in the order in which they are
    /// met.
    fn collect(&self, name: &MessageName, order: &mut Vec<MessageName>) {
        if order.contains(name) {
            return;
        }
        order.push(name.clone());
        for field in self.messages.get(name).into_iter().flatten() {
            if let Element::Message(name) = &field.field_type.element {
                self.collect(name, order);
            }
        }
    }

    fn text(&self, name: &MessageName) -> String {
        let mut out = String::new();
        for field in self.messages.get(name).into_iter().flatten() {
            let FieldType { element, shape, constants } = &field.field_type;
            if !field.documentation.is_empty() {
                out += &format!("# {}\n", field.documentation);
            }
            let element = match element {
                Element::Primitive { name, .. } => (*name).to_owned(),
                Element::Message(name) => name.short(),
            };
            constants.iter().for_each(|constant| out += &format!("{element} {constant}\n"));
            let shape = match shape {
                Shape::One => String::new(),
                Shape::Array(length) => format!("[{length}]"),
                Shape::Bounded(length) => format!("[<={length}]"),
                Shape::Sequence => "[]".to_owned(),
            };
            out += &format!("{element}{shape} {}\n", field.name);
        }
        out
    }
}

fn message_field(name: &str, message: &MessageName, shape: Shape) -> MessageField {
    let field_type = FieldType { element: Element::Message(message.clone()), shape, constants: Vec::new() };
    MessageField { name: name.to_owned(), field_type, documentation: String::new() }
}

fn constants(variants: &[Variant]) -> Vec<String> {
    let name = |variant: &Variant| snake_case(&variant.name).to_uppercase();
    variants.iter().enumerate().map(|(index, variant)| format!("{}={index}", name(variant))).collect()
}

/// Converts `KickOff` to `kick_off` and `LED` to `led`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let begins_word = letter.is_uppercase()
            && index > 0
            && (!letters[index - 1].is_uppercase() || letters.get(index + 1).is_some_and(|next| next.is_lowercase()));
        if begins_word && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Returns a field's name as ROS 2 requires it: lower case, words separated by single underscores.
/// Fields without a name are `item_0`, `item_1`, ...
///
/// ```
/// use hemiola_model::cdr::field_name;
///
/// assert_eq!([field_name("lastSeen"), field_name("KickOff"), field_name("0")], ["last_seen", "kick_off", "item_0"]);
/// ```
pub fn field_name(name: &str) -> String {
    let name = snake_case(name);
    let words: Vec<&str> =
        name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) { name } else { format!("item_{name}") }
}
