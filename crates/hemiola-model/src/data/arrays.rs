//! `Data` for arrays, vectors and pairs.

use super::{
    Data, DataType, Field, FixedLength, Plain, PlainReader, PlainWriter, ReadError, Reader, Writer, read_plain,
    write_plain,
};

impl<T: Data, const N: usize> Data for [T; N] {
    const PLAIN: Option<Plain> = Plain::array(T::PLAIN, N);

    fn data_type() -> DataType {
        const { assert!(N > 0, "an array without items says nothing, and has no schema") };
        DataType::Array(Box::new(T::data_type()), N)
    }

    fn write(&self, writer: &mut dyn Writer) {
        if write_plain(self, writer) {
            return;
        }
        writer.begin_sequence(N, FixedLength::Yes);
        T::write_items(self, writer);
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        if let Some(items) = read_plain(reader) {
            return Ok(items);
        }
        reader.begin_array(N)?;
        let items = T::read_items(N, reader)?;
        reader.end_sequence()?;
        items.try_into().map_err(|_| reader.error(format!("expected {N} items")))
    }

    #[inline]
    fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        let items = [(); N].map(|()| T::read_plain(bytes));
        if items.iter().any(Option::is_none) {
            return None;
        }
        Some(items.map(|item| item.expect("all are there")))
    }

    #[inline]
    fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
        self.iter().for_each(|item| item.write_plain(bytes));
    }

    fn replace(&mut self, fresh: Self) {
        for (item, fresh) in self.iter_mut().zip(fresh) {
            item.replace(fresh);
        }
    }

    fn restore(&mut self, default: &Self) -> bool {
        T::restore_items(self, default)
    }
}

impl<T: Data> Data for Vec<T> {
    fn data_type() -> DataType {
        DataType::Sequence(Box::new(T::data_type()))
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        T::write_items(self, writer);
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let length = reader.begin_sequence()?;
        let items = T::read_items(length, reader)?;
        reader.end_sequence()?;
        Ok(items)
    }

    fn read_over(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        let length = reader.begin_sequence()?;
        T::read_items_over(self, length, reader)?;
        reader.end_sequence()
    }

    fn replace(&mut self, fresh: Self) {
        if fresh.is_empty() {
            self.clear();
        } else {
            *self = fresh;
        }
    }

    fn restore(&mut self, default: &Self) -> bool {
        if default.is_empty() {
            self.clear();
        }
        T::restore_items(self, default)
    }
}

macro_rules! pairs {
    ($name:literal: $($item:ident $index:tt),*) => {
        impl<$($item: Data),*> Data for ($($item,)*) {
            const PLAIN: Option<Plain> = Plain::structure(&[$($item::PLAIN),*]);

            fn data_type() -> DataType {
                let parts = [$($item::data_type()),*];
                // Pairs of different types are different types.
                let name = parts.iter().fold($name.to_owned(), |name, part| name + &part.label());
                DataType::structure(name.as_str(), vec![$(Field::new(stringify!($index), parts[$index].clone(), "")),*])
            }

            fn write(&self, writer: &mut dyn Writer) {
                if write_plain(self, writer) {
                    return;
                }
                writer.begin_structure($name);
                $( writer.field(stringify!($index)); self.$index.write(writer); )*
                writer.end_structure();
            }

            fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
                if let Some(value) = read_plain(reader) {
                    return Ok(value);
                }
                reader.begin_structure($name)?;
                let value = ($({ reader.field(stringify!($index))?; $item::read(reader)? },)*);
                reader.end_structure()?;
                Ok(value)
            }

            #[inline]
            fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
                Some(($($item::read_plain(bytes)?,)*))
            }

            #[inline]
            fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
                $( self.$index.write_plain(bytes); )*
            }

            fn restore(&mut self, default: &Self) -> bool {
                true $( && self.$index.restore(&default.$index) )*
            }
        }
    };
}

pairs!("Pair": A 0, B 1);
pairs!("Triple": A 0, B 1, C 2);
