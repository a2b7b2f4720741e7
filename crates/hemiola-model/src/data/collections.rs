//! `Data` for standard containers besides vectors: queues, boxes, ordered maps and sets. Hash maps
//! have no order, and so are not data.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Data, DataType, FixedLength, ReadError, Reader, Writer};

impl<T: Data> Data for VecDeque<T> {
    fn data_type() -> DataType {
        DataType::Sequence(Box::new(T::data_type()))
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        let (front, back) = self.as_slices();
        T::write_items(front, writer);
        T::write_items(back, writer);
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        Vec::read(reader).map(Self::from)
    }

    fn restore(&mut self, default: &Self) -> bool {
        let is_empty = default.is_empty();
        if is_empty {
            self.clear();
        }
        is_empty
    }

    fn replace(&mut self, fresh: Self) {
        if fresh.is_empty() {
            self.clear();
        } else {
            *self = fresh;
        }
    }
}

/// A box is written as its content.
impl<T: Data> Data for Box<T> {
    fn data_type() -> DataType {
        T::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        T::write(self, writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        T::read(reader).map(Self::new)
    }

    fn read_over(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        T::read_over(self, reader)
    }

    fn replace(&mut self, fresh: Self) {
        T::replace(self, *fresh);
    }

    fn restore(&mut self, default: &Self) -> bool {
        T::restore(self, default)
    }
}

/// A map is written as a sequence of pairs, in the order of the keys.
impl<K: Data + Ord, V: Data> Data for BTreeMap<K, V> {
    fn data_type() -> DataType {
        DataType::Sequence(Box::new(<(K, V)>::data_type()))
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        for (key, value) in self {
            writer.begin_structure("Pair");
            writer.field("0");
            key.write(writer);
            writer.field("1");
            value.write(writer);
            writer.end_structure();
        }
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        Vec::<(K, V)>::read(reader).map(Self::from_iter)
    }

    fn restore(&mut self, default: &Self) -> bool {
        let is_empty = default.is_empty();
        if is_empty {
            self.clear();
        }
        is_empty
    }
}

/// A set is written as a sequence, in order.
impl<T: Data + Ord> Data for BTreeSet<T> {
    fn data_type() -> DataType {
        DataType::Sequence(Box::new(T::data_type()))
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        self.iter().for_each(|item| item.write(writer));
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        Vec::read(reader).map(Self::from_iter)
    }

    fn restore(&mut self, default: &Self) -> bool {
        let is_empty = default.is_empty();
        if is_empty {
            self.clear();
        }
        is_empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdr;

    #[test]
    fn what_is_kept_comes_back_as_it_was() {
        fn comes_back<T: Data + PartialEq + std::fmt::Debug>(value: &T) {
            assert_eq!(cdr::decode::<T>(&cdr::encode(value)).as_ref(), Ok(value));
        }
        // The items of this queue are in two pieces.
        let mut queue = VecDeque::from([1.5_f32, 2.5, 3.5]);
        queue.rotate_left(1);
        queue.push_front(0.5);
        comes_back(&queue);
        assert_eq!(cdr::encode(&queue), cdr::encode(&Vec::from(queue.clone())));
        comes_back(&Box::new((7_u8, "seven".to_owned())));
        comes_back(&BTreeMap::from([(3_u16, vec![1.0_f64]), (1, vec![])]));
        comes_back(&BTreeSet::from(["b".to_owned(), "a".to_owned()]));
        let map = BTreeMap::from([(3_u16, true), (1, false)]);
        assert_eq!(cdr::encode(&map), cdr::encode(&vec![(1_u16, false), (3, true)]));
        assert_eq!(<BTreeMap<u16, bool>>::data_type(), <Vec<(u16, bool)>>::data_type());
    }

    #[test]
    fn a_value_that_is_read_over_another_is_the_one_that_was_written() {
        fn reads_over<T: Data + Clone + PartialEq + std::fmt::Debug>(values: &[T]) {
            for (old, new) in values.iter().flat_map(|old| values.iter().map(move |new| (old, new))) {
                let (mut value, cdr) = (old.clone(), cdr::encode(new));
                let mut reader = cdr::CdrReader::new(&cdr).unwrap();
                value.read_over(&mut reader).unwrap();
                reader.finish().unwrap();
                assert_eq!(&value, new, "over {old:?}");
                // Whatever is left after an error, a later value replaces it.
                let mut short = cdr::CdrReader::new(&cdr[..cdr.len() - 1]).unwrap();
                assert!(value.read_over(&mut short).is_err());
                value.read_over(&mut cdr::CdrReader::new(&cdr).unwrap()).unwrap();
                assert_eq!(&value, new);
            }
        }
        reads_over(&[vec![], vec![1_u16], vec![2, 3, 4]]);
        reads_over(&[vec![], vec![vec![1_u8, 2]], vec![vec![], vec![3], vec![4, 5, 6]]]);
        reads_over(&[Box::new(vec![0.5_f64, 1.5]), Box::new(vec![2.5])]);
        reads_over(&[vec!["a".to_owned()], vec!["b".to_owned(), "cd".to_owned()]]);
        let (mut image, cdr) = (vec![1_u8; 1000], cdr::encode(&vec![2_u8; 900]));
        let place = image.as_ptr();
        image.read_over(&mut cdr::CdrReader::new(&cdr).unwrap()).unwrap();
        assert_eq!((image.as_ptr(), image), (place, vec![2; 900]));
    }
}
