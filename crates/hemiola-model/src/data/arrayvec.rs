//! `Data` for arrayvec's vectors: sequences with a bound, which keep their items in place and never
//! allocate.

use arrayvec::ArrayVec;

use super::{Data, DataType, FixedLength, ReadError, Reader, Writer};

impl<T: Data, const LIMIT: usize> Data for ArrayVec<T, LIMIT> {
    fn data_type() -> DataType {
        DataType::Bounded(Box::new(T::data_type()), LIMIT)
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        T::write_items(self, writer);
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let length = reader.begin_sequence()?;
        if length > LIMIT {
            return Err(reader.error(format!("{length} items, where {LIMIT} have room")));
        }
        let items = T::read_items(length, reader)?;
        reader.end_sequence()?;
        Ok(items.into_iter().collect())
    }

    fn restore(&mut self, default: &Self) -> bool {
        if default.is_empty() {
            self.clear();
        }
        T::restore_items(self, default)
    }
}

#[cfg(test)]
mod tests {
    use arrayvec::ArrayVec;

    use crate::cdr::{self, MessageSchema};
    use crate::data::{Data, DataType, Field, Value};

    type Corners = ArrayVec<[f32; 2], 4>;

    #[test]
    fn a_bounded_sequence_is_one_of_ros_2_and_comes_back() {
        let corners: Corners = [[0.0, 1.0], [2.0, 3.0]].into_iter().collect();
        let bytes = cdr::encode(&corners);
        assert_eq!(bytes, cdr::encode(&vec![[0.0_f32, 1.0], [2.0, 3.0]]));
        assert_eq!(cdr::decode::<Corners>(&bytes), Ok(corners.clone()));
        assert_eq!(Value::of(&corners).read::<Corners>(), Ok(corners));
        let hits = DataType::structure("soccer/Hits", vec![Field::new("counts", ArrayVec::<u16, 8>::data_type(), "")]);
        assert_eq!(MessageSchema::of("Hits", &hits).text, "uint16[<=8] counts\n");
        assert_eq!(Corners::data_type().to_string(), "[float32; 2][<=4]");
    }

    #[test]
    fn more_items_than_the_bound_are_refused() {
        let bytes = cdr::encode(&vec![1_u8; 9]);
        assert!(cdr::decode::<ArrayVec<u8, 9>>(&bytes).is_ok());
        let error = cdr::decode::<ArrayVec<u8, 8>>(&bytes).unwrap_err();
        assert!(error.to_string().contains("9 items, where 8 have room"), "{error}");
    }
}
