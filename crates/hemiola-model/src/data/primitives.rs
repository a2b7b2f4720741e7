//! `Data` for numbers, texts, options and times.

use std::time::Duration;

use super::{Data, DataType, ReadError, Reader, Writer};
use crate::Time;

macro_rules! integers {
    ($($integer:ty: $method:ident, $wide:ty, $variant:ident;)*) => { $(
        impl Data for $integer {
            fn data_type() -> DataType { DataType::$variant(<$integer>::BITS) }
            fn write(&self, writer: &mut dyn Writer) { writer.$method((*self).into(), <$integer>::BITS) }
            fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
                let value: $wide = reader.$method(<$integer>::BITS)?;
                Self::try_from(value).map_err(|_| reader.error(format!(concat!("{} does not fit ", stringify!($integer)), value)))
            }
        }
    )* };
}

integers! {
    i8: signed, i64, Signed; i16: signed, i64, Signed; i32: signed, i64, Signed; i64: signed, i64, Signed;
    u16: unsigned, u64, Unsigned; u32: unsigned, u64, Unsigned; u64: unsigned, u64, Unsigned;
}

impl Data for u8 {
    fn data_type() -> DataType {
        DataType::Unsigned(8)
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.unsigned((*self).into(), 8);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let value = reader.unsigned(8)?;
        Self::try_from(value).map_err(|_| reader.error(format!("{value} does not fit u8")))
    }

    fn write_items(items: &[Self], writer: &mut dyn Writer) {
        writer.bytes(items);
    }
}

/// As 64 bits, so that recordings do not depend on the machine.
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
}

impl Data for f32 {
    fn data_type() -> DataType {
        DataType::Float32
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.float32(*self);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.float32()
    }
}

impl Data for f64 {
    fn data_type() -> DataType {
        DataType::Float64
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.float64(*self);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.float64()
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
}

/// As nanoseconds on the framework's clock.
impl Data for Time {
    fn data_type() -> DataType {
        DataType::Signed(64)
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.signed(self.nanoseconds(), 64);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.signed(64).map(Self::from_nanoseconds)
    }
}

/// In seconds.
impl Data for Duration {
    fn data_type() -> DataType {
        DataType::Float64
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.float64(self.as_secs_f64());
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let seconds = reader.float64()?;
        Self::try_from_secs_f64(seconds).map_err(|_| reader.error(format!("{seconds} s is not a duration")))
    }
}
