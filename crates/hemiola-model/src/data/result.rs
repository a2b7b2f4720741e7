//! `Data` for results, with which services that can fail answer, and for the unit type.

use super::{Data, DataType, Field, ReadError, Reader, TypeName, Variant, VariantContent, VariantHead, Writer};

const VARIANTS: &[VariantHead] = &[
    VariantHead { name: "Ok", content: VariantContent::Fields },
    VariantHead { name: "Err", content: VariantContent::Fields },
];

/// A result is written as an enum with the variants `Ok` and `Err`.
impl<T: Data, E: Data> Data for Result<T, E> {
    fn data_type() -> DataType {
        let (value, error) = (T::data_type(), E::data_type());
        let name = TypeName::new("", "Result").of(&value).of(&error);
        let variant = |name: &str, content| Variant::new(name, vec![Field::new("0", content, "")]);
        DataType::enumeration(name, vec![variant("Ok", value), variant("Err", error)])
    }

    fn write(&self, writer: &mut dyn Writer) {
        let begin = |index: usize, writer: &mut dyn Writer| {
            writer.begin_variant(VARIANTS, index);
            writer.begin_structure(VARIANTS[index].name);
            writer.field("0");
        };
        match self {
            Ok(value) => {
                begin(0, writer);
                value.write(writer);
            }
            Err(error) => {
                begin(1, writer);
                error.write(writer);
            }
        }
        writer.end_structure();
        writer.end_variant();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let index = reader.begin_variant(VARIANTS)?;
        reader.begin_structure(VARIANTS[index].name)?;
        reader.field("0")?;
        let result = match index {
            0 => Ok(T::read(reader)?),
            _ => Err(E::read(reader)?),
        };
        reader.end_structure()?;
        reader.end_variant()?;
        Ok(result)
    }

    fn restore(&mut self, default: &Self) -> bool {
        match (self, default) {
            (Ok(value), Ok(default)) => value.restore(default),
            (Err(error), Err(default)) => error.restore(default),
            _ => false,
        }
    }
}

/// The unit type is written as a structure without fields.
impl Data for () {
    fn data_type() -> DataType {
        DataType::structure("Nothing", Vec::new())
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_structure("Nothing");
        writer.end_structure();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.begin_structure("Nothing")?;
        reader.end_structure()
    }

    fn restore(&mut self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::cdr::{MessageSchema, decode, encode};

    type Saved = Result<u32, String>;

    fn comes_back<T: Data + PartialEq + std::fmt::Debug>(value: &T) {
        assert_eq!(decode::<T>(&encode(value)).as_ref(), Ok(value));
        assert_eq!(Value::of(value).read::<T>().as_ref(), Ok(value));
    }

    #[test]
    fn results_and_nothing_come_back_as_they_were() {
        comes_back(&Saved::Ok(7));
        comes_back(&Saved::Err("the disk is full".into()));
        comes_back(&Result::<(), String>::Ok(()));
        comes_back(&vec![Ok(Some(0.5)), Err(()), Ok(None)]);
        assert_eq!(Value::of(&Saved::Ok(7)).to_string(), "{Ok: {0: 7}}");
    }

    #[test]
    fn results_of_different_types_are_different_types() {
        let name = |data_type| MessageSchema::of("x", &data_type).name;
        assert_eq!(name(Saved::data_type()), "hemiola/msg/ResultUint32String");
        assert_ne!(name(Saved::data_type()), name(<Result<f64, String>>::data_type()));
    }

    #[test]
    fn what_is_restored_keeps_what_it_can() {
        let mut saved = Saved::Ok(7);
        assert!(saved.restore(&Ok(0)) && !saved.restore(&Err(String::new())));
        assert_eq!(saved, Ok(0));
    }
}
