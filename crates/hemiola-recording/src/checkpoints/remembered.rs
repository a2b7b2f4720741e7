//! Names for the types of modules' states.

use hemiola_model::data::DataType;

/// Returns the same type with the module's name before the names of its crate's types. They are
/// private, so two modules may have a `Track` each; readers of ROS 2's logs know only one type of a
/// name in a file.
pub fn of_module(module: &str, data_type: &DataType) -> DataType {
    let mut data_type = data_type.clone();
    if let DataType::Structure { name, fields } = &mut data_type {
        name.name = format!("{module}State");
        let package = name.package.clone();
        fields.iter_mut().for_each(|field| prefix(module, &package, &mut field.data_type));
    }
    data_type
}

fn prefix(module: &str, package: &str, data_type: &mut DataType) {
    match data_type {
        DataType::Optional(inner)
        | DataType::Array(inner, _)
        | DataType::Sequence(inner)
        | DataType::Bounded(inner, _) => {
            prefix(module, package, inner);
        }
        DataType::Structure { name, fields } => {
            if name.package == package {
                name.name.insert_str(0, module);
            }
            fields.iter_mut().for_each(|field| prefix(module, package, &mut field.data_type));
        }
        DataType::Enumeration { name, variants } => {
            if name.package == package {
                name.name.insert_str(0, module);
            }
            let fields = variants.iter_mut().flat_map(|variant| &mut variant.fields);
            fields.for_each(|field| prefix(module, package, &mut field.data_type));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use hemiola_model::cdr::MessageSchema;
    use hemiola_model::data::{Data, Field};

    use super::*;

    #[test]
    fn two_modules_may_have_a_type_of_the_same_name() {
        let track = || DataType::structure("nao/Track", vec![Field::new("id", u32::data_type(), "")]);
        let tracks = Field::new("tracks", DataType::Sequence(Box::new(track())), "");
        let point =
            Field::new("point", DataType::structure("glam/Vec2", vec![Field::new("x", f32::data_type(), "")]), "");
        let module = DataType::structure("nao/BallFilter", vec![tracks, point]);
        let schema = MessageSchema::of("BallFilter", &of_module("BallFilter", &module));
        assert_eq!(schema.name, "nao/msg/BallFilterState");
        assert!(schema.text.contains("nao/BallFilterTrack[] tracks\nglam/Vec2 point\n"), "{}", schema.text);
    }
}
