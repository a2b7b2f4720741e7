use hemiola_model::Range;
use hemiola_model::data::Data;
use proptest::prelude::*;

use super::*;

fn table() -> ParameterTable {
    let near = Some(Range::new(0.0, 2.5));
    let mode = DataType::enumeration("Mode", vec![Variant::new("Slow", vec![]), Variant::new("Fast", vec![])]);
    let place = DataType::structure("Place", vec![]);
    let described =
        |name, of_type, unit, default, range| ParameterDescription::new(name, of_type, "Doc.", unit, default, range);
    let walk = [
        described("gain", f32::data_type(), "m", Value::Float(0.5), near),
        described("steps", i32::data_type(), "", Value::Integer(3), near),
        described("mode", mode, "", Value::Text("Slow".to_owned()), None),
        described("limit", Option::<u8>::data_type(), "", Value::Nothing, None),
        described("bytes", Vec::<u8>::data_type(), "", Value::List(vec![Value::Integer(255)]), None),
        described(
            "corners",
            <[f64; 2]>::data_type(),
            "",
            Value::List(vec![Value::Float(1.0), Value::Integer(2)]),
            None,
        ),
        described("place", place, "", Value::Nothing, None),
        described("walls", Vec::<[f32; 4]>::data_type(), "", Value::List(vec![]), None),
    ];
    let mut table = ParameterTable::default();
    table.add("Walk", &walk, Some(&BTreeMap::from([("gain".to_owned(), Value::Float(0.75))])), Origin::Module);
    table.add("Lidar", &[described("range", f32::data_type(), "m", Value::Float(8.0), None)], None, Origin::Source);
    table
}

#[test]
fn parameters_have_the_types_and_values_that_ros_2_can_have() {
    let table = table();
    let kinds: Vec<(&str, Kind)> = table.entries.iter().map(|(name, entry)| (name.as_str(), entry.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("Lidar.range", Kind::Double),
            ("Walk.bytes", Kind::ByteArray),
            ("Walk.corners", Kind::DoubleArray),
            ("Walk.gain", Kind::Double),
            ("Walk.limit", Kind::Integer),
            ("Walk.mode", Kind::String),
            ("Walk.steps", Kind::Integer),
        ]
    );
    assert_eq!(table.value("Walk.gain").double_value, 0.75); // from robot.toml
    assert_eq!(table.value("Walk.bytes").byte_array_value, [255]);
    assert_eq!(table.value("Walk.corners").double_array_value, [1.0, 2.0]);
    assert_eq!(table.value("Walk.mode").string_value, "Slow");
    assert_eq!(table.value("Walk.limit").kind, Kind::NotSet as u8);
    assert_eq!(table.value("Walk.gone"), ParameterValue::default());
}

#[test]
fn a_descriptor_says_documentation_unit_range_and_names() {
    let table = table();
    let gain = table.describe("Walk.gain");
    assert_eq!((gain.kind, gain.description.as_str(), gain.read_only), (Kind::Double as u8, "Doc.", false));
    assert_eq!(gain.additional_constraints, "unit: m");
    assert_eq!(gain.floating_point_range, [FloatingPointRange { from_value: 0.0, to_value: 2.5, step: 0.0 }]);
    // 2.5 is not an integer: the range ends before it.
    let steps = table.describe("Walk.steps").integer_range;
    assert_eq!(steps, [IntegerRange { from_value: 0, to_value: 2, step: 1 }]);
    assert_eq!(table.describe("Walk.mode").additional_constraints, "one of: Slow, Fast");
    assert!(table.describe("Lidar.range").read_only);
    assert_eq!(table.describe("Walk.gone").kind, Kind::NotSet as u8);
}

#[test]
fn names_are_listed_below_prefixes_and_to_a_depth() {
    let table = table();
    let list = |prefixes: &[&str], depth| {
        table.list(&ListParameters { prefixes: prefixes.iter().map(|&it| it.to_owned()).collect(), depth })
    };
    assert_eq!(list(&[], 0).names.len(), 7);
    assert_eq!(list(&[], 0).prefixes, ["Lidar", "Walk"]);
    assert!(list(&[], 1).names.is_empty());
    assert_eq!(list(&["Lidar"], 0), list(&["Lidar"], 1));
    assert_eq!(list(&["Lidar"], 1).names, ["Lidar.range"]);
    assert_eq!(list(&["Walk.gain"], 1).names, ["Walk.gain"]);
    // A prefix consists of whole parts.
    assert!(list(&["Wal"], 0).names.is_empty());
}

#[test]
fn a_parameter_that_cannot_be_set_says_why() {
    let table = table();
    let refused = |name: &str| {
        let value = ParameterValue { kind: Kind::Double as u8, double_value: 1.0, ..ParameterValue::default() };
        table.accept(&Parameter { name: name.to_owned(), value }).map(drop).unwrap_err()
    };
    assert!(refused("Walk.gone").contains("there is no parameter `Walk.gone`"));
    assert!(refused("Lidar.range").contains("[source.Lidar.parameters]"));
}

proptest! {
    /// A value that is converted to ROS 2 and back is the same value.
    #[test]
    fn values_come_back(
        (truth, whole, bytes) in (any::<bool>(), any::<i64>(), any::<Vec<u8>>()),
        number in -1e12..1e12,
        texts in prop::collection::vec("[a-zA-Z0-9 ]{0,6}", 0..5),
    ) {
        let list = |items: Vec<Value>| Value::List(items);
        let cases = [
            (Kind::Bool, Value::Boolean(truth)),
            (Kind::Integer, Value::Integer(whole)),
            (Kind::Double, Value::Float(number)),
            (Kind::String, Value::Text(texts.concat())),
            (Kind::ByteArray, list(bytes.iter().map(|&byte| Value::Integer(byte.into())).collect())),
            (Kind::BoolArray, list(vec![Value::Boolean(truth), Value::Boolean(!truth)])),
            (Kind::IntegerArray, list(vec![Value::Integer(whole); 3])),
            (Kind::DoubleArray, list(vec![Value::Float(number); 2])),
            (Kind::StringArray, list(texts.into_iter().map(Value::Text).collect())),
            (Kind::Integer, Value::Nothing),
        ];
        for (kind, value) in cases {
            prop_assert_eq!(ParameterValue::of(kind, &value).to_value(), Ok(value));
        }
    }

    /// Whatever others send as a value is either a value or refused.
    #[test]
    fn any_kind_is_a_value_or_refused(kind in any::<u8>(), double_value in any::<f64>()) {
        let value = ParameterValue { kind, double_value, ..ParameterValue::default() }.to_value();
        prop_assert_eq!(value.is_ok(), kind <= 9 && (kind != 3 || double_value.is_finite()));
    }
}
