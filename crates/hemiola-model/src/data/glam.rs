//! `Data` for glam's vectors, matrices and quaternions: structures with the fields that glam's
//! users know.

use super::{
    Data, DataType, Field, Plain, PlainReader, PlainWriter, ReadError, Reader, Writer, read_plain, write_plain,
};

macro_rules! structures {
    ($($name:ident { $($field:ident),* } $number:ty, $make:expr;)*) => { $(
        impl Data for glam::$name {
            const PLAIN: Option<Plain> = Plain::structure(&[$({ stringify!($field); <$number>::PLAIN }),*]);

            fn data_type() -> DataType {
                DataType::structure(concat!("glam/", stringify!($name)), vec![$(Field::new(stringify!($field), <$number>::data_type(), "")),*])
            }

            fn write(&self, writer: &mut dyn Writer) {
                if write_plain(self, writer) {
                    return;
                }
                writer.begin_structure(stringify!($name));
                $( writer.field(stringify!($field)); self.$field.write(writer); )*
                writer.end_structure();
            }

            fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
                if let Some(value) = read_plain(reader) {
                    return Ok(value);
                }
                reader.begin_structure(stringify!($name))?;
                $( reader.field(stringify!($field))?; let $field: $number = Data::read(reader)?; )*
                reader.end_structure()?;
                #[allow(clippy::redundant_closure_call, reason = "the macro's only way to pass a constructor")]
                Ok(($make)($($field),*))
            }

            #[inline]
            fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
                $( let $field = <$number>::read_plain(bytes)?; )*
                #[allow(clippy::redundant_closure_call, reason = "the macro's only way to pass a constructor")]
                Some(($make)($($field),*))
            }

            #[inline]
            fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
                $( self.$field.write_plain(bytes); )*
            }

            fn restore(&mut self, default: &Self) -> bool {
                *self = *default;
                true
            }
        }
    )* };
}

structures! {
    Vec2 { x, y } f32, glam::Vec2::new;
    Vec3 { x, y, z } f32, glam::Vec3::new;
    Vec4 { x, y, z, w } f32, glam::Vec4::new;
    Quat { x, y, z, w } f32, glam::Quat::from_xyzw;
    DVec2 { x, y } f64, glam::DVec2::new;
    DVec3 { x, y, z } f64, glam::DVec3::new;
    DVec4 { x, y, z, w } f64, glam::DVec4::new;
    DQuat { x, y, z, w } f64, glam::DQuat::from_xyzw;
    DMat2 { x_axis, y_axis } glam::DVec2, glam::DMat2::from_cols;
    DMat3 { x_axis, y_axis, z_axis } glam::DVec3, glam::DMat3::from_cols;
    DMat4 { x_axis, y_axis, z_axis, w_axis } glam::DVec4, glam::DMat4::from_cols;
    Mat2 { x_axis, y_axis } glam::Vec2, glam::Mat2::from_cols;
    Mat3 { x_axis, y_axis, z_axis } glam::Vec3, glam::Mat3::from_cols;
    Mat4 { x_axis, y_axis, z_axis, w_axis } glam::Vec4, glam::Mat4::from_cols;
}
