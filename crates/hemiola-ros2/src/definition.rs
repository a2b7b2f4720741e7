//! Definitions of messages and services in the syntax of ROS 2's `.msg` and `.srv` files.

use std::collections::{BTreeMap, BTreeSet};

use hmac_sha256::Hash;

use crate::error::Ros2Error;
use crate::names::{InterfaceKind, TypeName};
use crate::type_hash::{Interface, TypeHash};

/// A definition together with those of all messages that it uses, as files and logs have them. It
/// has features that the Rust types of a robot lack: `byte`, which is a type other than `uint8`
/// with the same bytes, `string<=10`, `wstring`, and default values.
///
/// ```
/// use hemiola_ros2::Definition;
///
/// let text = "int32 sec\nuint32 nanosec\n";
/// let time = Definition::message(&"builtin_interfaces/msg/Time".parse()?, text)?;
/// assert_eq!(time.hash().to_string(), "RIHS01_b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197");
///
/// let text = "bool data # on or off\n---\nbool success\nstring message\n";
/// let set_bool = Definition::service(&"std_srvs/srv/SetBool".parse()?, text)?;
/// assert_eq!(set_bool.hash().to_string(), "RIHS01_abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    name: TypeName,
    types: Types,
}

/// The fields of all types, by the full names of the types.
type Types = BTreeMap<String, Vec<Field>>;

/// A field, as it enters a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    name: String,
    type_id: u8,
    /// The number of items of an array, or the maximum number of items of a sequence.
    capacity: u64,
    /// The maximum number of characters of a text.
    string_capacity: u64,
    /// The full name of a message, or an empty text.
    message: String,
}

/// The field of a message without fields.
const EMPTY: &str = "uint8 structure_needs_at_least_one_member";
/// A message that every service contains, so that its calls can be introspected.
const EVENT_INFO: &str = "service_msgs/msg/ServiceEventInfo";
const EVENT_INFO_TEXT: &str =
    "uint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\nint64 sequence_number\n";
const TIME: &str = "builtin_interfaces/msg/Time";
const TIME_TEXT: &str = "int32 sec\nuint32 nanosec\n";

/// The numbers that `type_description_interfaces/msg/FieldType` gives to types. `char` is a
/// `uint8`.
const PRIMITIVES: [(&str, u8); 16] = [
    ("bool", 15),
    ("byte", 16),
    ("char", 3),
    ("float32", 10),
    ("float64", 11),
    ("int8", 2),
    ("int16", 4),
    ("int32", 6),
    ("int64", 8),
    ("string", 17),
    ("uint8", 3),
    ("uint16", 5),
    ("uint32", 7),
    ("uint64", 9),
    ("wstring", 18),
    // The name of `byte` in IDL.
    ("octet", 16),
];

impl Definition {
    /// Parses the definition of a message, followed by those of all messages that it uses: for each
    /// a line of `=`, and one with `MSG:` and its name.
    ///
    /// # Errors
    /// Returns an error if a line cannot be parsed, or the definition of a message that is used is
    /// missing.
    pub fn message(name: &TypeName, text: &str) -> Result<Self, Ros2Error> {
        let mut types = Types::new();
        let own = types_after(name, text, &mut types)?;
        types.insert(name.to_string(), fields(name, own)?);
        Self { name: name.clone(), types }.complete()
    }

    /// Parses the definition of a service: requests, a line `---`, and responses, followed by the
    /// definitions of all messages that they use.
    ///
    /// # Errors
    /// Returns the same errors as [`message`](Self::message).
    pub fn service(name: &TypeName, text: &str) -> Result<Self, Ros2Error> {
        let mut types = Types::new();
        let own = types_after(name, text, &mut types)?;
        let line = own.lines().position(|line| line.trim() == "---").ok_or_else(|| Ros2Error::Definition {
            name: name.to_string(),
            why: "it has no line `---` between requests and responses".to_owned(),
        })?;
        let lines: Vec<&str> = own.lines().collect();
        let part = |ending: &str| format!("{name}_{ending}");
        types.insert(part("Request"), fields(name, &lines[..line].join("\n"))?);
        types.insert(part("Response"), fields(name, &lines[line + 1..].join("\n"))?);
        for (known, text) in [(EVENT_INFO, EVENT_INFO_TEXT), (TIME, TIME_TEXT)] {
            types.insert(known.to_owned(), fields(&known.parse()?, text)?);
        }
        let of = |name: &str, message: &str, limit: Option<u64>| {
            let (type_id, capacity) = limit.map_or((1, 0), |limit| (97, limit));
            Field { name: name.to_owned(), type_id, capacity, string_capacity: 0, message: message.to_owned() }
        };
        let [request, response, event] = ["Request", "Response", "Event"].map(part);
        let shown =
            [of("info", EVENT_INFO, None), of("request", &request, Some(1)), of("response", &response, Some(1))];
        let parts = [
            of("request_message", &request, None),
            of("response_message", &response, None),
            of("event_message", &event, None),
        ];
        types.insert(event, shown.to_vec());
        types.insert(name.to_string(), parts.to_vec());
        Self { name: name.clone(), types }.complete()
    }

    /// Returns the hash.
    pub fn hash(&self) -> TypeHash {
        let name = self.name.to_string();
        let mut needed = BTreeSet::new();
        self.collect(&name, &mut needed);
        needed.remove(&name);
        // The exact text is part of the hash: REP-2016.
        let described = |name: &String| {
            let fields: Vec<String> = self.types.get(name).into_iter().flatten().map(Field::described).collect();
            format!(r#"{{"type_name": "{name}", "fields": [{}]}}"#, fields.join(", "))
        };
        let referenced: Vec<String> = needed.iter().map(described).collect();
        let text = format!(
            r#"{{"type_description": {}, "referenced_type_descriptions": [{}]}}"#,
            described(&name),
            referenced.join(", ")
        );
        TypeHash::from_bytes(Hash::hash(text.as_bytes()))
    }

    /// Returns the name and the hash.
    pub fn interface(&self) -> Interface {
        Interface::new(self.name.clone(), Some(self.hash()))
    }

    /// Checks that the definitions of all types that are used are there.
    fn complete(self) -> Result<Self, Ros2Error> {
        for (name, fields) in &self.types {
            let missing =
                fields.iter().find(|field| !field.message.is_empty() && !self.types.contains_key(&field.message));
            if let Some(Field { name: field, message, .. }) = missing {
                let why = format!("`{field}` of `{name}` is a `{message}`, whose definition is not there");
                return Err(Ros2Error::Definition { name: self.name.to_string(), why });
            }
        }
        Ok(self)
    }

    /// Adds a type and all types that it uses; each type is visited once, also one that contains
    /// itself.
    fn collect(&self, name: &str, needed: &mut BTreeSet<String>) {
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            if needed.insert(name.to_owned()) {
                let fields = self.types.get(name).into_iter().flatten();
                open.extend(fields.map(|field| field.message.as_str()).filter(|message| !message.is_empty()));
            }
        }
    }
}

impl Field {
    /// Parses a line without its comment; `None` if it is a constant.
    fn parse(package: &str, line: &str) -> Result<Option<Self>, String> {
        let (of_type, rest) = line.split_once(char::is_whitespace).ok_or("expected a type and a name")?;
        let rest = rest.trim_start();
        let name: &str = rest.split(|letter: char| letter.is_whitespace() || letter == '=').next().unwrap_or_default();
        let after = rest[name.len()..].trim_start();
        // A default value may be a text with a `=` in it; a constant has its first `=` right after
        // its name.
        if after.starts_with('=') {
            return Ok(None);
        }
        if name.is_empty() || !name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_') {
            return Err(format!("`{name}` is not a field name"));
        }
        let (element, shape) = match of_type.split_once('[') {
            None => (of_type, None),
            Some((element, shape)) => (element, Some(shape.strip_suffix(']').ok_or("a `]` is missing")?)),
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        let (offset, capacity) = match shape {
            None => (0, 0),
            Some("") => (144, 0),
            Some(shape) => match shape.strip_prefix("<=") {
                Some(limit) => (96, number(limit)?),
                None => (48, number(shape)?),
            },
        };
        let (element, string_capacity) = match element.split_once("<=") {
            None => (element, None),
            Some((element, limit)) => (element, Some(number(limit)?)),
        };
        let primitive = PRIMITIVES.iter().find(|(known, _)| *known == element).map(|(_, id)| *id);
        let (type_id, message) = match (primitive, string_capacity) {
            (Some(id @ (17 | 18)), Some(_)) => (id + 4, String::new()),
            (Some(_) | None, Some(_)) => return Err(format!("`{element}` cannot have a bound: only strings can")),
            (Some(id), None) => (id, String::new()),
            (None, None) => (1, message_name(package, element)?),
        };
        let string_capacity = string_capacity.unwrap_or(0);
        Ok(Some(Self { name: name.to_owned(), type_id: type_id + offset, capacity, string_capacity, message }))
    }

    fn described(&self) -> String {
        let Self { name, type_id, capacity, string_capacity, message } = self;
        format!(
            r#"{{"name": "{name}", "type": {{"type_id": {type_id}, "capacity": {capacity}, "string_capacity": {string_capacity}, "nested_type_name": "{message}"}}}}"#
        )
    }
}

/// Parses the definitions that follow that of `name`, and returns its own text.
fn types_after<'t>(name: &TypeName, text: &'t str, types: &mut Types) -> Result<&'t str, Ros2Error> {
    let is_separator = |line: &str| line.len() >= 10 && line.bytes().all(|letter| letter == b'=');
    let mut at = 0;
    let mut begins = vec![0];
    let mut ends = Vec::new();
    for line in text.split_inclusive('\n') {
        if is_separator(line.trim_end()) {
            ends.push(at);
            begins.push(at + line.len());
        }
        at += line.len();
    }
    ends.push(at);
    let mut parts = begins.into_iter().zip(ends).map(|(begin, end)| &text[begin..end]);
    let own = parts.next().unwrap_or_default();
    for part in parts {
        let (head, part) = part.split_once('\n').unwrap_or((part, ""));
        let inner = head.trim().strip_prefix("MSG:").ok_or_else(|| Ros2Error::Definition {
            name: name.to_string(),
            why: format!("a line of `=` is followed by `{head}` instead of `MSG: package/Name`"),
        })?;
        let inner: TypeName = inner.trim().parse()?;
        types.insert(inner.to_string(), fields(&inner, part)?);
    }
    Ok(own)
}

fn fields(name: &TypeName, text: &str) -> Result<Vec<Field>, Ros2Error> {
    let mut fields = Vec::new();
    for (number, line) in text.lines().enumerate() {
        // A `#` in a default text cuts only that text, which is not part of any hash.
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let field = Field::parse(name.package(), line).map_err(|why| Ros2Error::Definition {
            name: name.to_string(),
            why: format!("line {}, `{line}`: {why}", number + 1),
        })?;
        fields.extend(field);
    }
    if fields.is_empty() {
        fields.extend(Field::parse(name.package(), EMPTY).ok().flatten());
    }
    Ok(fields)
}

/// Returns the full name of a message; a name without a package is in the same package.
fn message_name(package: &str, element: &str) -> Result<String, String> {
    let name =
        if element.contains('/') { element.parse() } else { TypeName::new(package, InterfaceKind::Message, element) };
    name.map(|name| name.to_string()).map_err(|error| error.to_string())
}
