//! Messages of which only some fields are given, as people type them.

use hemiola_link::ends::contained;
use hemiola_model::data::{DataType, ValueWriter};
use hemiola_model::{RepresentationDescriptor, Value};

/// Returns a message whose missing fields are those of the type's default value, at any depth.
/// Lists and variants with data are as they were given.
///
/// # Errors
/// Returns an error with the reason if the type's default value panics.
pub fn completed(descriptor: &'static RepresentationDescriptor, given: &Value) -> Result<Value, String> {
    let Some(data_type) = descriptor.data_type() else { return Ok(given.clone()) };
    let default = contained(|| {
        let mut writer = ValueWriter::default();
        descriptor.create().write(&mut writer);
        writer.finish()
    });
    Ok(filled(&data_type, &default?, given))
}

fn filled(data_type: &DataType, default: &Value, given: &Value) -> Value {
    let (DataType::Structure { fields, .. }, Value::Table(default), Value::Table(given)) = (data_type, default, given)
    else {
        return given.clone();
    };
    let mut whole = given.clone();
    for field in fields {
        // An option that is nothing by default is not in the table.
        let Some(default) = default.get(&field.name) else { continue };
        let value = match given.get(&field.name) {
            Some(given) => filled(&field.data_type, default, given),
            None => default.clone(),
        };
        whole.insert(field.name.clone(), value);
    }
    Value::Table(whole)
}

#[cfg(test)]
mod tests {
    use hemiola_macros::Data;
    use hemiola_model::data::{Data, ValueReader};

    use super::*;

    #[derive(Data, Clone, Debug, PartialEq)]
    struct Place {
        x: f64,
        y: f64,
    }

    #[derive(Data, Clone, Debug, Default, PartialEq)]
    enum Shape {
        #[default]
        Point,
        Disc {
            radius: f64,
        },
        Box {
            width: f64,
        },
    }

    #[derive(Data, Clone, Debug, PartialEq)]
    struct Goal {
        place: Place,
        shape: Shape,
        way: Vec<Place>,
        limit: Option<f64>,
    }

    impl Default for Goal {
        fn default() -> Self {
            let place = Place { x: 1.0, y: 2.0 };
            Self { way: vec![place.clone()], place, shape: Shape::Disc { radius: 0.5 }, limit: None }
        }
    }

    fn goal(typed: &str) -> Result<Goal, String> {
        let given = serde_json::from_str(typed).unwrap();
        let mut default = ValueWriter::default();
        Goal::default().write(&mut default);
        let whole = filled(&Goal::data_type(), &default.finish(), &given);
        Goal::read(&mut ValueReader::new(&whole)).map_err(|error| error.to_string())
    }

    #[test]
    fn missing_fields_are_those_of_the_default_value() {
        assert_eq!(goal("{}"), Ok(Goal::default()));
        let moved = Goal { place: Place { x: 5.0, y: 2.0 }, ..Goal::default() };
        assert_eq!(goal(r#"{"place": {"x": 5.0}}"#), Ok(moved));
        let boxed = Goal { shape: Shape::Box { width: 2.0 }, limit: Some(3.0), ..Goal::default() };
        assert_eq!(goal(r#"{"shape": {"Box": {"width": 2.0}}, "limit": 3.0}"#), Ok(boxed));
    }

    #[test]
    fn what_is_no_message_is_an_error_as_before() {
        for wrong in
            [r#"{"plaice": {}}"#, r#"{"place": 3}"#, r#"{"place": {"z": 1.0}}"#, r#"{"way": [{"x": 1.0}]}"#, "5"]
        {
            assert!(goal(wrong).is_err(), "{wrong}");
        }
    }
}
