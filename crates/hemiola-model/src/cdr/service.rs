//! Services as ROS 2 defines them.

use super::MessageSchema;
use super::schema::{Definitions, MessageName};
use crate::data::{DataType, Field, TypeName};

/// The definition of a service: two messages, and the hash that ROS 2 has for both together.
///
/// ```
/// use hemiola_model::cdr::ServiceSchema;
/// use hemiola_model::data::{DataType, Field};
///
/// let number = |name| Field::new(name, DataType::Signed(64), "");
/// let request = DataType::structure("example_interfaces/AddTwoIntsRequest", vec![number("a"), number("b")]);
/// let response = DataType::structure("example_interfaces/AddTwoIntsResponse", vec![number("sum")]);
///
/// let schema = ServiceSchema::of("add", &request, &response);
/// assert_eq!(schema.name, "example_interfaces/srv/AddTwoInts");
/// assert_eq!((schema.request.text.as_str(), schema.response.text.as_str()), ("int64 a\nint64 b\n", "int64 sum\n"));
/// // The hash that ROS 2 has for the same definition.
/// assert_eq!(schema.type_hash, "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceSchema {
    /// The full name, `package/srv/Name`.
    pub name: String,
    /// The schema of requests, `package/srv/Name_Request`.
    pub request: MessageSchema,
    /// The schema of responses, `package/srv/Name_Response`.
    pub response: MessageSchema,
    /// Version 1 of the ROS interface hashing standard (REP-2016): `RIHS01_` and 64 digits.
    pub type_hash: String,
}

impl ServiceSchema {
    /// Creates the schema of a service. Its type has the name of its requests without the ending
    /// `Request`, in their package; if requests are not structures, it has the name of the service.
    pub fn of(service: &str, request: &DataType, response: &DataType) -> Self {
        let of_service = TypeName::new("", service);
        let name = match request {
            DataType::Structure { name, .. } | DataType::Enumeration { name, .. } => name,
            _ => &of_service,
        };
        let name = MessageName::of(name);
        let stem = name.name().strip_suffix("Request").filter(|stem| !stem.is_empty()).unwrap_or(name.name());
        Self::called(name.package(), stem, request, response)
    }

    /// Creates the schema of a service whose type is called `package/srv/name`, whatever the
    /// types of its requests and responses are called.
    pub fn called(package: &str, name: &str, request: &DataType, response: &DataType) -> Self {
        let part = |ending: &str| MessageName::of_service(package, &format!("{name}{ending}"));
        let mut definitions = Definitions::default();
        let request = definitions.part(part("_Request"), request);
        let response = definitions.part(part("_Response"), response);
        let root = add_service(&mut definitions, part, &request, &response);
        Self {
            name: root.full(),
            request: definitions.schema(&request),
            response: definitions.schema(&response),
            type_hash: definitions.schema(&root).type_hash,
        }
    }
}

/// Adds the service with these requests and responses; `part` creates the name of the service with
/// an ending. Returns the name of the service.
pub(super) fn add_service(
    definitions: &mut Definitions,
    part: impl Fn(&str) -> MessageName,
    request: &MessageName,
    response: &MessageName,
) -> MessageName {
    let info = event_info(definitions);
    // Where calls of a service are made visible, these messages show them.
    let parts = [("info", &info, None), ("request", request, Some(1)), ("response", response, Some(1))];
    let event = definitions.outer(part("_Event"), &parts);
    let parts =
        [("request_message", request, None), ("response_message", response, None), ("event_message", &event, None)];
    definitions.outer(part(""), &parts)
}

/// Adds `service_msgs/msg/ServiceEventInfo`.
fn event_info(definitions: &mut Definitions) -> MessageName {
    let bytes = DataType::Array(Box::new(DataType::Unsigned(8)), 16);
    let fields = [
        Field::new("event_type", DataType::Unsigned(8), ""),
        Field::new("stamp", DataType::Time, ""),
        Field::new("client_gid", bytes, ""),
        Field::new("sequence_number", DataType::Signed(64), ""),
    ];
    let fields = definitions.fields(&fields);
    definitions.message(&TypeName::new("service_msgs", "ServiceEventInfo"), fields)
}
