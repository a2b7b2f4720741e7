//! Checks that definitions of ROS 2's own files have the hashes of ROS 2, whatever they contain.

#[path = "../../../tests/foreign/programs.rs"]
mod foreign;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;

use hemiola_model::Data;
use hemiola_model::cdr::MessageSchema;
use hemiola_ros::{sensor_msgs, visualization_msgs};
use hemiola_ros2::{Definition, Ros2Error, TypeName};
use hiroz_schema::{
    FieldDescription, FieldTypeDescription, TypeDescription, TypeDescriptionMsg, TypeId, calculate_hash,
};
use proptest::prelude::*;

const LINE: &str = "================================================================================\n";

fn name(text: &str) -> TypeName {
    text.parse().expect("it is a name")
}

fn message(of: &str, text: &str) -> Result<String, Ros2Error> {
    Definition::message(&name(of), text).map(|definition| definition.hash().to_string())
}

/// The hashes of the services that every node of ROS 2 has. Their values may be of type `byte[]`,
/// to which no Rust type corresponds.
#[test]
fn the_services_for_parameters_have_the_hashes_of_ros_2() {
    let value = format!(
        "{LINE}MSG: rcl_interfaces/ParameterValue\nuint8 type\nbool bool_value\nint64 integer_value\nfloat64 double_value\n\
         string string_value\nbyte[] byte_array_value\nbool[] bool_array_value\nint64[] integer_array_value\n\
         float64[] double_array_value\nstring[] string_array_value\n"
    );
    let set = format!(
        "{LINE}MSG: rcl_interfaces/Parameter\nstring name\nParameterValue value\n{LINE}MSG: rcl_interfaces/SetParametersResult\n\
         bool successful\nstring reason\n{value}"
    );
    let listed = format!("{LINE}MSG: rcl_interfaces/ListParametersResult\nstring[] names\nstring[] prefixes\n");
    for (service, text, expected) in [
        (
            "GetParameters",
            format!("string[] names\n---\nParameterValue[] values\n{value}"),
            "bf9803d5c74cf989a5de3e0c2e99444599a627c7ff75f97b8c05b01003675cbc",
        ),
        (
            "SetParameters",
            format!("Parameter[] parameters\n---\nSetParametersResult[] results\n{set}"),
            "56eed9a67e169f9cb6c1f987bc88f868c14a8fc9f743a263bc734c154015d7e0",
        ),
        (
            "SetParametersAtomically",
            format!("Parameter[] parameters\n---\nSetParametersResult result\n{set}"),
            "0e192ef259c07fc3c07a13191d27002222e65e00ccec653ca05e856f79285fcd",
        ),
        (
            "ListParameters",
            format!(
                "uint64 DEPTH_RECURSIVE=0\nstring[] prefixes\nuint64 depth\n---\nListParametersResult result\n{listed}"
            ),
            "3e6062bfbb27bfb8730d4cef2558221f51a11646d78e7bb30a1e83afac3aad9d",
        ),
        (
            "GetParameterTypes",
            "string[] names\n---\nuint8[] types\n".to_owned(),
            "da199c878688b3e530bdfe3ca8f74cb9fa0c303101e980a9e8f260e25e1c80ca",
        ),
    ] {
        let service = format!("rcl_interfaces/srv/{service}");
        let definition = Definition::service(&name(&service), &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(definition.hash().to_string(), format!("RIHS01_{expected}"), "{service}");
        assert_eq!(definition.interface().name.to_string(), service);
    }
}

#[test]
fn bounds_bytes_and_wide_texts_are_part_of_the_hash() {
    let field = |name: &str, type_id, capacity, string_capacity| FieldDescription {
        name: name.to_owned(),
        field_type: FieldTypeDescription { type_id, capacity, string_capacity, nested_type_name: String::new() },
        default_value: String::new(),
    };
    let fields = vec![
        field("a", TypeId::BYTE, 0, 0),
        field("b", TypeId::UINT8 + 48, 4, 0),
        field("c", TypeId::BOUNDED_STRING, 0, 10),
        field("d", TypeId::BOUNDED_STRING + 96, 5, 10),
        field("e", TypeId::WSTRING + 144, 0, 0),
        field("f", TypeId::BOUNDED_WSTRING, 0, 7),
        field("g", TypeId::STRING, 0, 0),
    ];
    let type_description = TypeDescription { type_name: "demo/msg/All".to_owned(), fields };
    let foreign = TypeDescriptionMsg { type_description, referenced_type_descriptions: Vec::new() };
    let text = "# All that a Rust type has not.\nbyte a\nchar[4] b\nstring<=10   c 'yes'\nstring<=10[<=5] d\nwstring[] e\n\
                wstring<=7 f\nstring A=x\nstring B = 'a # b'\nstring g \"a=b\"  # not a constant\n";
    assert_eq!(message("demo/msg/All", text), Ok(calculate_hash(&foreign).to_rihs_string()));
}

#[test]
fn definitions_of_our_types_have_the_hashes_of_our_types() {
    for (name, data_type) in
        [("Imu", sensor_msgs::Imu::data_type()), ("Marker", visualization_msgs::Marker::data_type())]
    {
        let schema = MessageSchema::of(name, &data_type);
        assert_eq!(message(&schema.name, &schema.text), Ok(schema.type_hash));
    }
}

#[test]
fn every_definition_of_ros_2_has_its_hash() {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(std::path::PathBuf::from);
    let mut pythons = named.into_iter().chain(foreign::installed().map(|folder| folder.join("bin/python")));
    let has_rosbags = |python: &std::path::PathBuf| {
        Command::new(python).args(["-c", "import rosbags"]).output().is_ok_and(|output| output.status.success())
    };
    let Some(python) = pythons.find(has_rosbags) else {
        _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no Python with the package `rosbags`; install tests/foreign/requirements.txt into target/foreign or \
             set HEMIOLA_PYTHON"
        );
        return;
    };
    let output = Command::new(python).arg(foreign::script("definitions.py")).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("it is text");
    let (mut wrong, mut checked) = (BTreeMap::new(), 0);
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        let [name, text, hash] = ["name", "text", "hash"].map(|key| line[key].as_str().expect("it is a text"));
        let ours = message(name, text);
        // rosbags 0.11.9 takes `char` for a type of its own, ROS 2 for `uint8`. The test above
        // checks that hashes of services, which all contain a `char[16]`, are those of ROS 2.
        if text.lines().any(|line| line.starts_with("char")) {
            assert!(ours.is_ok(), "{name}");
            continue;
        }
        checked += 1;
        if ours.as_deref() != Ok(hash) {
            wrong.insert(name.to_owned(), format!("{ours:?} instead of {hash}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 150, "{checked} of {lines}");
    println!("{checked} definitions have the hashes that rosbags has");
}

#[test]
fn what_cannot_be_read_is_an_error_with_the_line() {
    for (text, why) in [
        ("float64\n", "line 1, `float64`: expected a type and a name"),
        ("# a\nfloat64[ x\n", "line 2, `float64[ x`: a `]` is missing"),
        ("float64[three] x\n", "`three` is not a number"),
        ("float64<=3 x\n", "`float64` cannot have a bound: only strings can"),
        ("float64 x!\n", "`x!` is not a field name"),
        ("Point x\n", "`x` of `demo/msg/A` is a `demo/msg/Point`, whose definition is not there"),
        ("geometry_msgs/Point x\n", "is a `geometry_msgs/msg/Point`, whose definition is not there"),
        (
            "float64 x\n==========\nfloat64 y\n",
            "a line of `=` is followed by `float64 y` instead of `MSG: package/Name`",
        ),
    ] {
        let error = message("demo/msg/A", text).expect_err(text).to_string();
        assert!(error.starts_with("the definition of `demo/msg/A` cannot be read: ") && error.contains(why), "{error}");
    }
    let error = Definition::service(&name("demo/srv/A"), "bool a\n").expect_err("there is no `---`").to_string();
    assert!(error.contains("it has no line `---` between requests and responses"), "{error}");
    // ROS 2 does not permit a type that contains itself, but it must not make the parser hang.
    let circle = format!("B b\n{LINE}MSG: demo/B\nA a\n");
    assert!(message("demo/msg/A", &circle).is_ok());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        words in prop::collection::vec(
            prop_oneof![
                Just("\n"), Just(" "), Just("[<=3]"), Just("[]"), Just("="), Just("#"), Just("---"), Just("=========="),
                Just("MSG: demo/A"), Just("string<=10"), Just("byte"), Just("demo/A"), Just("x"), Just("'"), Just("ö"),
            ],
            0..30,
        ),
    ) {
        let text = words.concat();
        for read in [Definition::message(&name("demo/msg/A"), &text), Definition::service(&name("demo/srv/A"), &text)] {
            match read {
                Ok(definition) => prop_assert_eq!(definition.hash(), definition.clone().hash()),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
