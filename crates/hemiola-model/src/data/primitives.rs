//! `Data` for numbers, texts, options and times.

use std::time::Duration;

use super::{Data, DataType, Items, ItemsMut, Plain, PlainReader, PlainWriter, ReadError, Reader, Writer};
use crate::Time;
use crate::cdr::Seconds;

macro_rules! numbers {
    ($($number:ty: $variant:ident, $data_type:expr, $write:expr, $read:expr;)*) => { $(
        impl Data for $number {
            const PLAIN: Option<Plain> = Plain::number(size_of::<$number>());
            #[inline]
            fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> { bytes.number().map(<$number>::from_le_bytes) }
            #[inline]
            fn write_plain(&self, bytes: &mut PlainWriter<'_>) { bytes.number(self.to_le_bytes()) }
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
                // What is known to be there is not filled with zeros first.
                let missing = length - items.len();
                if missing > 0 && let Some(numbers) = reader.plain().and_then(|mut source| source.numbers(missing)) {
                    items.extend(numbers.iter().map(|&number| <$number>::from_le_bytes(number)));
                    return Ok(());
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
    const PLAIN: Option<Plain> = Plain::restricted(size_of::<u64>());

    fn data_type() -> DataType {
        DataType::Unsigned(64)
    }

    #[inline]
    fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        u64::read_plain(bytes).and_then(|value| value.try_into().ok())
    }

    #[inline]
    fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
        (*self as u64).write_plain(bytes);
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
    const PLAIN: Option<Plain> = Plain::restricted(1);

    fn data_type() -> DataType {
        DataType::Boolean
    }

    #[inline]
    fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        match u8::read_plain(bytes) {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        }
    }

    #[inline]
    fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
        u8::from(*self).write_plain(bytes);
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
    const PLAIN: Option<Plain> = Seconds::PLAIN;

    fn data_type() -> DataType {
        DataType::Time
    }

    #[inline]
    fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        Seconds::read_plain(bytes).map(|seconds| Self::from_nanoseconds(seconds.nanoseconds()))
    }

    #[inline]
    fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
        Seconds::of_time(self.nanoseconds()).write_plain(bytes);
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
    const PLAIN: Option<Plain> = Seconds::PLAIN;

    fn data_type() -> DataType {
        DataType::Duration
    }

    #[inline]
    fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        Seconds::read_plain(bytes).and_then(Seconds::duration)
    }

    #[inline]
    fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
        Seconds::of_duration(*self).write_plain(bytes);
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
