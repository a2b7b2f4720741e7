//! A small robot for the tests.

use hemiola_config::{Catalog, Component};
use hemiola_model::data::{Data, DataType, Field, Variant};
use hemiola_model::{ParameterDescription, Range, Value};

/// Returns a catalog of two modules, another one that could find the ball, and two sources. The
/// representation that the legs are asked for is opaque, and a module asks somebody to save a map.
pub fn catalog() -> Catalog {
    let number = |name: &str, documentation: &str, unit: &str, default: f64, range| {
        let range = Option::map(range, |(minimum, maximum)| Range::new(minimum, maximum));
        ParameterDescription::new(name, f32::data_type(), documentation, unit, Value::Float(default), range)
    };
    let finder = vec![
        number("threshold", "Smallest score that counts as a ball.", "", 0.6, Some((0.0, 1.0))),
        number("radius", "Radius of the ball.", "m", 0.05, Some((0.01, 0.2))),
        parameter("gains", DataType::Array(Box::new(DataType::Float32), 3), Value::of(&[0.1_f32, 0.2, 0.3])),
        parameter("limit", DataType::Unsigned(8), Value::Integer(10)),
        parameter("names", <Vec<String>>::data_type(), Value::List(Vec::new())),
    ];
    let walk = vec![
        parameter("gait", gait_type(), table(&[("step", Value::Float(0.05)), ("height", Value::Float(0.02))])),
        parameter("offset", vector_type(), table(&[("x", Value::Float(0.0)), ("y", Value::Float(0.0))])),
        parameter("style", style_type(), Value::Text("Calm".into())),
        parameter("enabled", bool::data_type(), Value::Boolean(true)),
    ];
    let mut catalog = Catalog::new(
        [
            Component::new("BallFinder", "nao::cognition::ball").with_parameters(finder).providing(["BallPercept"]),
            Component::new("BallGuesser", "nao::cognition::ball").providing(["BallPercept"]),
            Component::new("Walk", "nao::motion::walk").with_parameters(walk).providing(["JointRequest"]),
        ],
        [
            Component::new("SimulatedBody", "nao::simulator")
                .with_parameters(vec![number("noise", "", "rad", 0.0, Some((0.0, 1.0)))])
                .providing(["JointAngles"]),
            Component::new("SimulatedCamera", "nao::simulator").providing(["UpperImage"]),
        ],
    )
    .with_schema("BallPercept", DataType::structure("BallPercept", numbers(&["x", "y", "radius"])))
    .with_schema("JointAngles", DataType::structure("JointAngles", numbers(&["hip", "knee"])))
    .with_schema("UpperImage", DataType::Sequence(Box::new(DataType::Unsigned(8))));
    catalog.services.insert("SaveMap".to_owned());
    catalog
}

fn parameter(name: &str, data_type: DataType, default: Value) -> ParameterDescription {
    ParameterDescription::new(name, data_type, "", "", default, None)
}

pub fn table(entries: &[(&str, Value)]) -> Value {
    Value::Table(entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn numbers(names: &[&str]) -> Vec<Field> {
    names.iter().map(|name| Field::new(name, DataType::Float32, "")).collect()
}

fn gait_type() -> DataType {
    DataType::structure("Gait", numbers(&["step", "height"]))
}

fn vector_type() -> DataType {
    DataType::structure("Vec2", numbers(&["x", "y"]))
}

fn style_type() -> DataType {
    DataType::enumeration(
        "Style",
        vec![
            Variant::new("Calm", Vec::new()),
            Variant::new("Fast", numbers(&["speed"])),
            Variant::new("Turn", numbers(&["0"])),
        ],
    )
}
