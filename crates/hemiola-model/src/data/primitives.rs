//! `Data` for numbers, texts, options and times.

use std::time::Duration;

use super::{Data, DataType, Items, ItemsMut, ReadError, Reader, Writer};
use crate::Time;

macro_rules! numbers {
    ($($number:ty: $variant:ident, $data_type:expr, $write:expr, $read:expr;)*) => { $(
        impl Data for $number {
            fn data_type() -> DataType { $data_type }
            fn write(&self, writer: &mut dyn Writer) { $write(writer, *self) }
            fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { $read(reader) }
            fn restore(&mut self, default: &Self) -> bool { *self = *default; true }
            fn restore_items(items: &mut [Self], defaults: &[Self]) -> bool {
                let fits = items.len() == defaults.len();
                if fits { items.copy_from_slice(defaults); }
                fits
            }
            fn write_items(items: &[Self], writer: &mut dyn Writer) { writer.items(Items::$variant(items)) }
            fn read_items(length: usize, reader: &mut dyn Reader) -> Result<Vec<Self>, ReadError> {
                let mut items = Vec::new();
                Self::read_items_over(&mut items, length, reader)?;
                Ok(items)
            }
            fn read_items_over(items: &mut Vec<Self>, length: usize, reader: &mut dyn Reader) -> Result<(), ReadError> {
                items.truncate(length);
                if !items.is_empty() {
                    reader.items(ItemsMut::$variant(items))?;
                }
                // The length is a claim of the data's writer: memory grows with the items that are
                // really there.
                while items.len() < length {
                    let known = items.len();
                    items.resize(length.min(known + PIECE), <$number>::default());
                    reader.items(ItemsMut::$variant(&mut items[known..]))?;
                }
                Ok(())
            }
        }
    )* };
}

/// The number of items that are read at once.
const PIECE: usize = 1 << 20;

macro_rules! integers {
    ($($integer:ident: $variant:ident $method:ident $kind:ident;)*) => {
        numbers! { $(
            $integer: $variant, DataType::$kind(<$integer>::BITS),
            |writer: &mut dyn Writer, value: $integer| writer.$method(value.into(), <$integer>::BITS),
            |reader: &mut dyn Reader| {
                let value = reader.$method(<$integer>::BITS)?;
                <$integer>::try_from(value).map_err(|_| reader.error(format!(concat!("{} does not fit ", stringify!($integer)), value)))
            };
        )* }
    };
}

integers! {
    i8: I8 signed Signed; i16: I16 signed Signed; i32: I32 signed Signed; i64: I64 signed Signed;
    u8: U8 unsigned Unsigned; u16: U16 unsigned Unsigned; u32: U32 unsigned Unsigned; u64: U64 unsigned Unsigned;
}

numbers! {
    f32: F32, DataType::Float32, |writer: &mut dyn Writer, value| writer.float32(value), |reader: &mut dyn Reader| reader.float32();
    f64: F64, DataType::Float64, |writer: &mut dyn Writer, value| writer.float64(value), |reader: &mut dyn Reader| reader.float64();
}

/// `usize` is written with 64 bits, so that recordings do not depend on the machine.
impl Data for usize {
    fn data_type() -> DataType {
        DataType::Unsigned(64)
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.unsigned(*self as u64, 64);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let value = reader.unsigned(64)?;
        Self::try_from(value).map_err(|_| reader.error(format!("{value} does not fit usize")))
    }

    fn restore(&mut self, default: &Self) -> bool {
        *self = *default;
        true
    }
}

impl Data for bool {
    fn data_type() -> DataType {
        DataType::Boolean
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.boolean(*self);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.boolean()
    }

    fn restore(&mut self, default: &Self) -> bool {
        *self = *default;
        true
    }
}

impl Data for String {
    fn data_type() -> DataType {
        DataType::Text
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.string(self);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.string()
    }

    fn replace(&mut self, fresh: Self) {
        if fresh.is_empty() {
            self.clear();
        } else {
            *self = fresh;
        }
    }

    fn restore(&mut self, default: &Self) -> bool {
        self.clear();
        self.push_str(default);
        true
    }
}

impl<T: Data> Data for Option<T> {
    fn data_type() -> DataType {
        DataType::Optional(Box::new(T::data_type()))
    }

    fn write(&self, writer: &mut dyn Writer) {
        match self {
            Some(value) => {
                writer.some();
                value.write(writer);
            }
            None => writer.none(),
        }
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        if reader.option()? { T::read(reader).map(Some) } else { Ok(None) }
    }

    fn restore(&mut self, default: &Self) -> bool {
        match (self, default) {
            (value, None) => {
                *value = None;
                true
            }
            (Some(value), Some(default)) => value.restore(default),
            (None, Some(_)) => false,
        }
    }
}

/// A time is written as nanoseconds on the framework's clock; in CDR as
/// `builtin_interfaces/msg/Time`.
impl Data for Time {
    fn data_type() -> DataType {
        DataType::Time
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.time(self.nanoseconds());
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.time().map(Self::from_nanoseconds)
    }

    fn restore(&mut self, default: &Self) -> bool {
        *self = *default;
        true
    }
}

/// A duration is written in seconds; in CDR as `builtin_interfaces/msg/Duration`.
impl Data for Duration {
    fn data_type() -> DataType {
        DataType::Duration
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.duration(*self);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.duration()
    }

    fn restore(&mut self, default: &Self) -> bool {
        *self = *default;
        true
    }
}
