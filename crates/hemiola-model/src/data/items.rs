//! Runs of plain numbers, which writers and readers may pass in one piece.

use super::{ReadError, Reader, Writer};

macro_rules! items {
    ($($variant:ident $number:ty: $one:ident $(($bits:literal $wide:ty))?;)*) => {
        /// Numbers that follow each other in a sequence.
        ///
        /// ```
        /// use hemiola_model::data::{FixedLength, Items, ValueWriter, Writer};
        ///
        /// let mut writer = ValueWriter::default();
        /// writer.begin_sequence(2, FixedLength::No);
        /// writer.items(Items::F32(&[0.5, 1.5]));
        /// writer.end_sequence();
        /// assert_eq!(writer.finish().to_string(), "[0.5, 1.5]");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is named after its type")]
        pub enum Items<'a> {
            $($variant(&'a [$number]),)*
        }

        /// Room for numbers that follow each other in a sequence.
        ///
        /// ```
        /// use hemiola_model::data::{ItemsMut, Reader, Value, ValueReader};
        ///
        /// let value = Value::List(vec![Value::Integer(3), Value::Integer(4)]);
        /// let (mut reader, mut numbers) = (ValueReader::new(&value), [0_u16; 2]);
        /// reader.begin_sequence()?;
        /// reader.items(ItemsMut::U16(&mut numbers))?;
        /// assert_eq!(numbers, [3, 4]);
        /// # Ok::<(), hemiola_model::data::ReadError>(())
        /// ```
        #[derive(Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is named after its type")]
        pub enum ItemsMut<'a> {
            $($variant(&'a mut [$number]),)*
        }

        impl Items<'_> {
            /// Writes each number by itself.
            pub(super) fn write_each(self, writer: &mut (impl Writer + ?Sized)) {
                match self {
                    $(Items::$variant(items) => for &item in items { writer.$one(item.into() $(, $bits)?); },)*
                }
            }
        }

        impl ItemsMut<'_> {
            /// Reads each number by itself.
            pub(super) fn read_each(self, reader: &mut (impl Reader + ?Sized)) -> Result<(), ReadError> {
                match self {
                    $(ItemsMut::$variant(items) => for item in items {
                        let value = reader.$one($($bits)?)?;
                        *item = items!(@narrow value, $number, reader $(, $wide)?);
                    },)*
                }
                Ok(())
            }
        }
    };
    (@narrow $value:ident, $number:ty, $reader:ident, $wide:ty) => {{
        let wide: $wide = $value;
        <$number>::try_from(wide).map_err(|_| $reader.error(format!(concat!("{} does not fit ", stringify!($number)), wide)))?
    }};
    (@narrow $value:ident, $number:ty, $reader:ident) => { $value };
}

items! {
    U8 u8: unsigned (8 u64); U16 u16: unsigned (16 u64); U32 u32: unsigned (32 u64); U64 u64: unsigned (64 u64);
    I8 i8: signed (8 i64); I16 i16: signed (16 i64); I32 i32: signed (32 i64); I64 i64: signed (64 i64);
    F32 f32: float32; F64 f64: float64;
}
