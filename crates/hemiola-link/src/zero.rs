//! The default value of a type whose fields differ between both sides of a service: zero, false,
//! empty, the first variant.

use std::time::Duration;

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::{DataType, Field, FixedLength, VariantContent, VariantHead, Writer};

/// Returns this value in CDR.
pub fn zero(data_type: &DataType) -> Vec<u8> {
    let mut writer = CdrWriter::default();
    write(data_type, &mut writer);
    writer.finish()
}

fn write(data_type: &DataType, writer: &mut dyn Writer) {
    match data_type {
        DataType::Boolean => writer.boolean(false),
        DataType::Signed(bits) => writer.signed(0, *bits),
        DataType::Unsigned(bits) => writer.unsigned(0, *bits),
        DataType::Float32 => writer.float32(0.0),
        DataType::Float64 => writer.float64(0.0),
        DataType::Text => writer.string(""),
        DataType::Time => writer.time(0),
        DataType::Duration => writer.duration(Duration::ZERO),
        DataType::Optional(_) => writer.none(),
        DataType::Array(item, length) => {
            writer.begin_sequence(*length, FixedLength::Yes);
            (0..*length).for_each(|_| write(item, writer));
            writer.end_sequence();
        }
        DataType::Sequence(_) | DataType::Bounded(..) => {
            writer.begin_sequence(0, FixedLength::No);
            writer.end_sequence();
        }
        DataType::Structure { name, fields } => write_structure(&name.name, fields, writer),
        DataType::Enumeration { variants, .. } => {
            let content = |is_empty| if is_empty { VariantContent::Empty } else { VariantContent::Fields };
            // CDR contains the numbers of variants, not their names.
            let heads = variants.iter().map(|it| VariantHead { name: "", content: content(it.fields.is_empty()) });
            let heads: Vec<_> = heads.collect();
            writer.begin_variant(&heads, 0);
            if let Some(first) = variants.first().filter(|first| !first.fields.is_empty()) {
                write_structure(&first.name, &first.fields, writer);
            }
            writer.end_variant();
        }
    }
}

fn write_structure(name: &str, fields: &[Field], writer: &mut dyn Writer) {
    writer.begin_structure(name);
    for field in fields {
        writer.field(&field.name);
        write(&field.data_type, writer);
    }
    writer.end_structure();
}

#[cfg(test)]
mod tests {
    use hemiola::prelude::*;
    use hemiola_model::Data as _;
    use hemiola_model::cdr::{decode, encode};

    use super::*;

    #[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
    enum Gait {
        #[default]
        Calm,
        Fast {
            speed: f32,
        },
    }

    #[derive(Data, Clone, Debug, Default, PartialEq)]
    enum Way {
        #[default]
        Home,
        Through(Vec<f64>),
    }

    #[derive(Data, Clone, Debug, Default, PartialEq)]
    struct Order {
        name: String,
        gait: Gait,
        at: Option<Time>,
        corners: [[i16; 2]; 3],
        way: Vec<Way>,
        within: Duration,
        is_urgent: bool,
    }

    #[test]
    fn of_types_whose_default_is_zero_it_is_the_default() {
        assert_eq!(zero(&Order::data_type()), encode(&Order::default()));
        assert_eq!(decode::<Way>(&zero(&Way::data_type())).unwrap(), Way::Home);
        assert_eq!(zero(&<(u8, bool, f64)>::data_type()), encode(&(0_u8, false, 0.0)));
        assert_eq!(decode(&zero(&<Result<(), String>>::data_type())), Ok(Result::<(), String>::Ok(())));
    }

    #[test]
    fn a_first_variant_with_fields_has_zeros_in_them() {
        #[derive(Data, Debug, PartialEq)]
        enum Aim {
            At { x: f64, y: f64 },
            Nothing,
        }
        assert_eq!(decode::<Aim>(&zero(&Aim::data_type())).unwrap(), Aim::At { x: 0.0, y: 0.0 });
        assert_ne!(zero(&Aim::data_type()), encode(&Aim::Nothing));
    }
}
