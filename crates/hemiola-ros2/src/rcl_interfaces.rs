//! The messages of `rcl_interfaces` with which nodes list, get, set and describe parameters.
//!
//! Their definitions are those of ROS 2 Jazzy: `Definition` computes the hashes from them, because
//! no Rust type corresponds to `byte`.

use hemiola_macros::Data;
use hemiola_model::Time;

use crate::definition::Definition;
use crate::error::Ros2Error;
use crate::type_hash::Interface;

/// A value of a parameter: `kind` states which of the fields is used.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct ParameterValue {
    /// The type of the value, as a number of [`Kind`]; ROS 2 calls this field `type`.
    pub kind: u8,
    pub bool_value: bool,
    pub integer_value: i64,
    pub double_value: f64,
    pub string_value: String,
    pub byte_array_value: Vec<u8>,
    pub bool_array_value: Vec<bool>,
    pub integer_array_value: Vec<i64>,
    pub double_array_value: Vec<f64>,
    pub string_array_value: Vec<String>,
}

/// The type of a value: the constants of `rcl_interfaces/msg/ParameterType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    #[default]
    NotSet = 0,
    Bool = 1,
    Integer = 2,
    Double = 3,
    String = 4,
    ByteArray = 5,
    BoolArray = 6,
    IntegerArray = 7,
    DoubleArray = 8,
    StringArray = 9,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub value: ParameterValue,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct ParameterDescriptor {
    pub name: String,
    pub kind: u8,
    pub description: String,
    pub additional_constraints: String,
    pub read_only: bool,
    pub dynamic_typing: bool,
    /// The range of a floating-point value: one, or none.
    pub floating_point_range: Vec<FloatingPointRange>,
    /// The range of an integer: one, or none.
    pub integer_range: Vec<IntegerRange>,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct FloatingPointRange {
    pub from_value: f64,
    pub to_value: f64,
    /// The distance between allowed values; 0 allows all values in between.
    pub step: f64,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct IntegerRange {
    pub from_value: i64,
    pub to_value: i64,
    pub step: u64,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct SetParametersResult {
    pub successful: bool,
    pub reason: String,
}

/// `/parameter_events`: which parameters of a node have changed.
#[derive(Data, Clone, Debug, PartialEq)]
pub struct ParameterEvent {
    pub stamp: Time,
    pub node: String,
    pub new_parameters: Vec<Parameter>,
    pub changed_parameters: Vec<Parameter>,
    pub deleted_parameters: Vec<Parameter>,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct ListParameters {
    pub prefixes: Vec<String>,
    /// The maximum number of parts of a name after the prefix; 0 lists all names.
    pub depth: u64,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct ListParametersResult {
    pub names: Vec<String>,
    pub prefixes: Vec<String>,
}

/// The request of `GetParameters`, `GetParameterTypes` and `DescribeParameters`.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Names {
    pub names: Vec<String>,
}

/// The request of `SetParameters` and `SetParametersAtomically`.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub parameters: Vec<Parameter>,
}

/// A service for parameters, which every node of ROS 2 has.
///
/// ```
/// use hemiola_ros2::ParameterService;
///
/// assert_eq!(ParameterService::Set.name(), "set_parameters");
/// let interface = ParameterService::Set.interface()?;
/// assert_eq!(interface.name.to_string(), "rcl_interfaces/srv/SetParameters");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterService {
    /// Lists the names of parameters.
    List,
    /// Returns values.
    Get,
    /// Returns the types of values.
    GetTypes,
    /// Sets values, each by itself.
    Set,
    /// Sets all values, or none.
    SetAtomically,
    /// Returns documentation, ranges and units.
    Describe,
}

const VALUE: &str = "rcl_interfaces/ParameterValue";
const DEFINITIONS: [(&str, &str); 8] = [
    (
        VALUE,
        "uint8 type\nbool bool_value\nint64 integer_value\nfloat64 double_value\nstring string_value\n\
         byte[] byte_array_value\nbool[] bool_array_value\nint64[] integer_array_value\n\
         float64[] double_array_value\nstring[] string_array_value\n",
    ),
    ("rcl_interfaces/Parameter", "string name\nParameterValue value\n"),
    (
        "rcl_interfaces/ParameterDescriptor",
        "string name\nuint8 type\nstring description\nstring additional_constraints\nbool read_only\n\
         bool dynamic_typing\nFloatingPointRange[<=1] floating_point_range\nIntegerRange[<=1] integer_range\n",
    ),
    ("rcl_interfaces/FloatingPointRange", "float64 from_value\nfloat64 to_value\nfloat64 step\n"),
    ("rcl_interfaces/IntegerRange", "int64 from_value\nint64 to_value\nuint64 step\n"),
    ("rcl_interfaces/SetParametersResult", "bool successful\nstring reason\n"),
    ("rcl_interfaces/ListParametersResult", "string[] names\nstring[] prefixes\n"),
    ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"),
];
const EVENT: &str = "builtin_interfaces/Time stamp\nstring node\nParameter[] new_parameters\n\
                     Parameter[] changed_parameters\nParameter[] deleted_parameters\n";

impl ParameterService {
    /// All services for parameters.
    pub const ALL: [Self; 6] = [Self::List, Self::Get, Self::GetTypes, Self::Set, Self::SetAtomically, Self::Describe];

    /// Returns the last part of the service's name: `list_parameters`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list_parameters",
            Self::Get => "get_parameters",
            Self::GetTypes => "get_parameter_types",
            Self::Set => "set_parameters",
            Self::SetAtomically => "set_parameters_atomically",
            Self::Describe => "describe_parameters",
        }
    }

    /// Returns the type with its hash.
    ///
    /// # Errors
    /// Returns no error: the definitions are those of ROS 2.
    pub fn interface(self) -> Result<Interface, Ros2Error> {
        let (name, text) = match self {
            Self::List => ("ListParameters", "string[] prefixes\nuint64 depth\n---\nListParametersResult result\n"),
            Self::Get => ("GetParameters", "string[] names\n---\nParameterValue[] values\n"),
            Self::GetTypes => ("GetParameterTypes", "string[] names\n---\nuint8[] types\n"),
            Self::Set => ("SetParameters", "Parameter[] parameters\n---\nSetParametersResult[] results\n"),
            Self::SetAtomically => {
                ("SetParametersAtomically", "Parameter[] parameters\n---\nSetParametersResult result\n")
            }
            Self::Describe => ("DescribeParameters", "string[] names\n---\nParameterDescriptor[] descriptors\n"),
        };
        let name = format!("rcl_interfaces/srv/{name}").parse()?;
        Ok(Definition::service(&name, &with_all(text))?.interface())
    }
}

/// Returns the type of `/parameter_events` with its hash.
pub fn event_interface() -> Result<Interface, Ros2Error> {
    let name = "rcl_interfaces/msg/ParameterEvent".parse()?;
    Ok(Definition::message(&name, &with_all(EVENT))?.interface())
}

/// Returns a definition, followed by those of all messages that it uses.
fn with_all(text: &str) -> String {
    DEFINITIONS.iter().fold(text.to_owned(), |text, (name, definition)| {
        format!("{text}{}\nMSG: {name}\n{definition}", "=".repeat(80))
    })
}

#[cfg(test)]
mod tests {
    use hemiola_model::cdr::{decode, encode};
    use proptest::prelude::*;

    use super::*;

    /// The expected hashes are those of rosbags 0.11.9 for Jazzy.
    #[test]
    fn messages_have_the_hashes_of_ros_2() {
        let hash = |name: &str, text: &str| {
            Definition::message(&format!("rcl_interfaces/msg/{name}").parse().unwrap(), &with_all(text))
                .unwrap()
                .hash()
                .to_string()
        };
        let text = |name: &str| DEFINITIONS.iter().find(|(known, _)| known.ends_with(name)).unwrap().1;
        for (name, expected) in [
            ("/ParameterValue", "RIHS01_115fc089a387e23c7ecd3525c9189c379109119d6ab82e8dfbde0fdf6a7f9b68"),
            ("/Parameter", "RIHS01_ddfe6442cffc462317adb5c92536a7b6dd55858c5c3e1e328165a6b73c2831af"),
            ("/ParameterDescriptor", "RIHS01_52175dbfda6c51153101d33d2a9da05743f66f02d5ab2ca9ec4709b46b73d704"),
            ("/SetParametersResult", "RIHS01_cfcc0fb0371ee5159b403960ef4300f8f9d2f1fd6117c8666b7f9654d528a9b1"),
            ("/ListParametersResult", "RIHS01_237ae3428413dcbcfb452b510c42355f3a2b021dc091afa3e18526d57022f1cd"),
        ] {
            assert_eq!(hash(&name[1..], text(name)), expected, "{name}");
        }
        assert_eq!(
            event_interface().unwrap().hash.unwrap().to_string(),
            "RIHS01_043e627780fcad87a22d225bc2a037361dba713fca6a6b9f4b869a5aa0393204"
        );
    }

    /// The expected hashes are computed by `tests/foreign/ros2_requests.py`, which knows nothing of
    /// this crate.
    #[test]
    fn services_have_the_hashes_of_ros_2() {
        let hash = |service: ParameterService| service.interface().unwrap().hash.unwrap().to_string();
        let expected = [
            "3e6062bfbb27bfb8730d4cef2558221f51a11646d78e7bb30a1e83afac3aad9d",
            "bf9803d5c74cf989a5de3e0c2e99444599a627c7ff75f97b8c05b01003675cbc",
            "da199c878688b3e530bdfe3ca8f74cb9fa0c303101e980a9e8f260e25e1c80ca",
            "56eed9a67e169f9cb6c1f987bc88f868c14a8fc9f743a263bc734c154015d7e0",
            "0e192ef259c07fc3c07a13191d27002222e65e00ccec653ca05e856f79285fcd",
            "845b484d71eb0673dae682f2e3ba3c4851a65a3dcfb97bddd82c5b57e91e4cff",
        ];
        assert_eq!(ParameterService::ALL.map(hash), expected.map(|digits| format!("RIHS01_{digits}")));
    }

    #[test]
    fn a_value_has_the_bytes_of_its_type() {
        let value = ParameterValue {
            kind: Kind::ByteArray as u8,
            byte_array_value: vec![1, 2],
            string_array_value: vec!["a".to_owned()],
            ..ParameterValue::default()
        };
        let bytes = encode(&value);
        // The header, type and bool, padding, an integer, a double, an empty text with its end,
        // padding, two bytes, padding, three empty sequences, and one text.
        let mut expected = vec![0, 1, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0];
        expected.extend([0; 16]);
        expected.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        expected.extend([2, 0, 0, 0, 1, 2, 0, 0]);
        expected.extend([0; 12]);
        expected.extend([1, 0, 0, 0, 2, 0, 0, 0, b'a', 0]);
        assert_eq!(bytes, expected);
    }

    fn value() -> impl Strategy<Value = ParameterValue> {
        let one = (0..=9_u8, any::<bool>(), any::<i64>(), -1e9..1e9, "[a-z]{0,9}");
        let texts = prop::collection::vec("[a-z]{0,5}", 0..4);
        let many =
            (any::<Vec<u8>>(), any::<Vec<bool>>(), any::<Vec<i64>>(), prop::collection::vec(-1.0..1.0, 0..5), texts);
        (one, many).prop_map(|((kind, bool_value, integer_value, double_value, string_value), many)| {
            let (byte_array_value, bool_array_value, integer_array_value, double_array_value, string_array_value) =
                many;
            ParameterValue {
                kind,
                bool_value,
                integer_value,
                double_value,
                string_value,
                byte_array_value,
                bool_array_value,
                integer_array_value,
                double_array_value,
                string_array_value,
            }
        })
    }

    proptest! {
        #[test]
        fn requests_come_back_as_they_were(values in prop::collection::vec(("[a-z.]{0,9}", value()), 0..4)) {
            let parameters = values.into_iter().map(|(name, value)| Parameter { name, value }).collect();
            let asked = Parameters { parameters };
            prop_assert_eq!(decode::<Parameters>(&encode(&asked)).unwrap(), asked);
        }

        /// Garbage, and requests that were truncated or changed, are refused and do nothing else.
        #[test]
        fn no_bytes_do_harm(bytes in any::<Vec<u8>>(), values in prop::collection::vec(value(), 0..3), at in 0..200_usize) {
            let parameters = values.into_iter().map(|value| Parameter { name: "Walk.gain".to_owned(), value });
            let mut changed = encode(&Parameters { parameters: parameters.collect() });
            let at = at % changed.len();
            changed[at] = changed[at].wrapping_add(bytes.first().copied().unwrap_or(1));
            for bytes in [&bytes[..], &changed, &changed[..at]] {
                _ = decode::<Parameters>(bytes);
                _ = decode::<Names>(bytes);
                _ = decode::<ListParameters>(bytes);
            }
        }
    }
}
