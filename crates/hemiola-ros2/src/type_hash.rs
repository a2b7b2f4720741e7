//! Hashes of types: REP-2016, version 1 (RIHS01).

use std::fmt;
use std::str::FromStr;

use hemiola_model::cdr::{MessageSchema, ServiceSchema};
use hemiola_model::data::DataType;

use crate::error::Ros2Error;
use crate::names::TypeName;

/// The hash of a type, which two programs compare before they exchange messages.
///
/// ```
/// use hemiola_model::Data;
/// use hemiola_ros2::{TypeHash, message_hash};
/// use hemiola_ros::geometry_msgs::Point;
///
/// let hash = message_hash("Point", &Point::data_type());
/// let text = "RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881";
/// assert_eq!((hash.to_string().as_str(), text.parse::<TypeHash>()), (text, Ok(hash)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeHash([u8; 32]);

/// A type as endpoints name it: by its name and its hash.
///
/// ```
/// use hemiola_model::Data;
/// use hemiola_ros2::Interface;
/// use hemiola_ros::sensor_msgs::Imu;
///
/// let imu = Interface::message("Imu", &Imu::data_type())?;
/// assert_eq!(imu.name.to_string(), "sensor_msgs/msg/Imu");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interface {
    /// The name of the type.
    pub name: TypeName,
    /// The hash of the type; `None` in a system without hashes, such as ROS 2 Humble.
    pub hash: Option<TypeHash>,
}

/// The prefix of a hash of version 1.
const VERSION: &str = "RIHS01_";
/// The text in place of a hash in a system without hashes.
const NONE: &str = "TypeHashNotSupported";

/// Returns the hash of a message type. A type that is not a structure becomes `data`, the only
/// field of a message called `name`.
pub fn message_hash(name: &str, data_type: &DataType) -> TypeHash {
    of_schema(&MessageSchema::of(name, data_type).type_hash)
}

/// Returns the hash of a service whose requests and responses have these types. They become
/// `NAME_Request` and `NAME_Response`, whatever their own names are.
///
/// ```
/// use hemiola_model::data::{DataType, Field};
/// use hemiola_ros2::service_hash;
///
/// let number = |name| Field::new(name, DataType::Signed(64), "");
/// let request = DataType::structure("demo/AddTwoIntsRequest", vec![number("a"), number("b")]);
/// let response = DataType::structure("demo/AddTwoIntsResponse", vec![number("sum")]);
/// let hash = service_hash(&"example_interfaces/srv/AddTwoInts".parse()?, &request, &response);
/// assert_eq!(hash.to_string(), "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
pub fn service_hash(name: &TypeName, request: &DataType, response: &DataType) -> TypeHash {
    of_schema(&ServiceSchema::called(name.package(), name.name(), request, response).type_hash)
}

/// Converts the hash of a schema.
fn of_schema(text: &str) -> TypeHash {
    text.parse().expect("schemas have hashes of version 1")
}

impl TypeHash {
    /// Creates a hash from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for TypeHash {
    type Err = Ros2Error;

    fn from_str(text: &str) -> Result<Self, Ros2Error> {
        let wrong = |why| Ros2Error::Hash { text: text.to_owned(), why };
        let digits = text.strip_prefix(VERSION).ok_or_else(|| wrong("it does not begin with `RIHS01_`"))?;
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return Err(wrong("`RIHS01_` is not followed by 64 digits"));
        }
        for (byte, digits) in bytes.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
            let value = |digit: u8| match digit {
                b'0'..=b'9' => Ok(digit - b'0'),
                b'a'..=b'f' => Ok(digit - b'a' + 10),
                _ => Err(wrong("its digits are not all of `0` to `9` and `a` to `f`")),
            };
            *byte = value(digits[0])? * 16 + value(digits[1])?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for TypeHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(VERSION)?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for TypeHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Interface {
    /// Creates an interface.
    pub const fn new(name: TypeName, hash: Option<TypeHash>) -> Self {
        Self { name, hash }
    }

    /// Returns the interface of a message type, with the hash of [`message_hash`].
    ///
    /// # Errors
    /// Returns an error if the type has a name that ROS 2 does not permit.
    pub fn message(name: &str, data_type: &DataType) -> Result<Self, Ros2Error> {
        let schema = MessageSchema::of(name, data_type);
        Ok(Self { name: schema.name.parse()?, hash: Some(of_schema(&schema.type_hash)) })
    }

    /// Returns the interface of a service, named as [`ServiceSchema::of`] names it:
    /// `PlanPathRequest` in `nav_demo` makes `nav_demo/srv/PlanPath`. For a service with another
    /// name, combine [`new`](Self::new) and [`service_hash`].
    ///
    /// # Errors
    /// Returns an error if the type has a name that ROS 2 does not permit.
    pub fn service(service: &str, request: &DataType, response: &DataType) -> Result<Self, Ros2Error> {
        let schema = ServiceSchema::of(service, request, response);
        Ok(Self { name: schema.name.parse()?, hash: Some(of_schema(&schema.type_hash)) })
    }

    /// Returns the hash as keys and tokens contain it.
    pub(crate) fn hash_text(&self) -> String {
        self.hash.map_or_else(|| NONE.to_owned(), |hash| hash.to_string())
    }

    /// Parses a name and a hash as keys and tokens contain them.
    pub(crate) fn read(name: &str, hash: &str) -> Result<Self, Ros2Error> {
        let hash = if hash == NONE { None } else { Some(hash.parse()?) };
        Ok(Self { name: TypeName::from_dds(name)?, hash })
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.name, self.hash_text())
    }
}
