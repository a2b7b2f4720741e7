//! The types that can be read in place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::time::Duration;

use super::{Alternative, Array, Sequence, ViewReader};
use crate::Time;
use crate::data::{Data, ReadError, SharedBytes, VariantContent, VariantHead};

/// Data that can be read in place, from a message in CDR. Derive it.
///
/// | type | its view |
/// |---|---|
/// | numbers, `bool`, [`Time`], `Duration`, types of glam, enums without data | the value |
/// | `String` | `&str` |
/// | `Vec<T>`, `VecDeque<T>`, `ArrayVec<T, N>`, sets, maps (of pairs) | [`Sequence<T>`](Sequence); that of `u8` is a slice |
/// | `[T; N]` | [`Array<T, N>`](Array), whose `values` are an array |
/// | `SharedBytes` | `&[u8]` |
/// | `Option<T>`, results, pairs | the same of views |
/// | a structure `Pose` | a structure `PoseView`, whose fields have the names of those of `Pose` |
/// | an enum `Action` with data | an enum `ActionView` with the same variants |
///
/// ```
/// use hemiola_model::wire::{InPlace, ViewReader};
/// # use hemiola_model::{Data, data::{DataType, ReadError, Reader, Writer}};
///
/// /// A type that is outside of the process what a `String` is.
/// struct FrameId(String);
/// # impl Data for FrameId {
/// #     fn data_type() -> DataType { String::data_type() }
/// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
/// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { String::read(reader).map(Self) }
/// # }
///
/// impl InPlace for FrameId {
///     type View<'w> = &'w str;
///
///     fn view<'w>(reader: &mut ViewReader<'w>) -> Result<&'w str, ReadError> {
///         reader.text()
///     }
/// }
///
/// let wire = hemiola_model::Wire::encode(&FrameId("map".to_owned()));
/// assert_eq!(wire.view(), "map");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read in place",
    label = "no view is known for this type",
    note = "add `#[derive(InPlace)]` to `{Self}`, beside `Data` or `Representation`; enums without data need `Clone`, `Copy` and `Debug` as well"
)]
pub trait InPlace: Data {
    /// A value in place. It refers to the bytes of the message.
    type View<'w>: Copy + fmt::Debug;

    /// Reads a value in place, and checks all of its bytes: exactly those that [`Data::read`]
    /// reads, with an error where that has one.
    ///
    /// # Errors
    /// Fails if what follows in the message is no such value.
    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self::View<'w>, ReadError>;
}

macro_rules! values {
    ($($value:ty),*) => { $(
        impl InPlace for $value {
            type View<'w> = Self;

            #[inline]
            fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self, ReadError> {
                reader.value()
            }
        }
    )* };
}

values!(bool, i8, i16, i32, i64, u8, u16, u32, u64, usize, f32, f64, Time, Duration, ());

#[cfg(feature = "glam")]
values!(
    glam::Vec2,
    glam::Vec3,
    glam::Vec4,
    glam::Quat,
    glam::DVec2,
    glam::DVec3,
    glam::DVec4,
    glam::DQuat,
    glam::DMat2,
    glam::DMat3,
    glam::DMat4,
    glam::Mat2,
    glam::Mat3,
    glam::Mat4
);

impl InPlace for String {
    type View<'w> = &'w str;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<&'w str, ReadError> {
        reader.text()
    }
}

impl InPlace for SharedBytes {
    type View<'w> = &'w [u8];

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<&'w [u8], ReadError> {
        reader.sequence::<u8>().map(Sequence::bytes)
    }
}

macro_rules! sequences {
    ($(<$item:ident $(: $bound:ident)?> $sequence:ty;)*) => { $(
        impl<$item: InPlace $(+ $bound)?> InPlace for $sequence {
            type View<'w> = Sequence<'w, $item>;

            fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Sequence<'w, $item>, ReadError> {
                reader.sequence()
            }
        }
    )* };
}

sequences! {
    <T> Vec<T>;
    <T> VecDeque<T>;
    <T: Ord> BTreeSet<T>;
}

impl<K: InPlace + Ord, V: InPlace> InPlace for BTreeMap<K, V> {
    type View<'w> = Sequence<'w, (K, V)>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Sequence<'w, (K, V)>, ReadError> {
        reader.sequence()
    }
}

#[cfg(feature = "arrayvec")]
impl<T: InPlace, const LIMIT: usize> InPlace for arrayvec::ArrayVec<T, LIMIT> {
    type View<'w> = Sequence<'w, T>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Sequence<'w, T>, ReadError> {
        let items = reader.sequence::<T>()?;
        match items.len() {
            length if length > LIMIT => Err(reader.error(format!("{length} items, where {LIMIT} have room"))),
            _ => Ok(items),
        }
    }
}

impl<T: InPlace, const N: usize> InPlace for [T; N] {
    type View<'w> = Array<'w, T, N>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Array<'w, T, N>, ReadError> {
        reader.array()
    }
}

impl<T: InPlace> InPlace for Box<T> {
    type View<'w> = T::View<'w>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<T::View<'w>, ReadError> {
        T::view(reader)
    }
}

impl<T: InPlace> InPlace for Option<T> {
    type View<'w> = Option<T::View<'w>>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self::View<'w>, ReadError> {
        if reader.option()? { T::view(reader).map(Some) } else { Ok(None) }
    }
}

impl<T: InPlace, E: InPlace> InPlace for Result<T, E> {
    type View<'w> = Result<T::View<'w>, E::View<'w>>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self::View<'w>, ReadError> {
        const VARIANTS: &[VariantHead] = &[
            VariantHead { name: "Ok", content: VariantContent::Fields },
            VariantHead { name: "Err", content: VariantContent::Fields },
        ];
        let variant @ Alternative { index, .. } = reader.begin_variant(VARIANTS)?;
        let view = if index == 0 { Ok(T::view(reader)?) } else { Err(E::view(reader)?) };
        reader.end_variant(variant)?;
        Ok(view)
    }
}

impl<A: InPlace, B: InPlace> InPlace for (A, B) {
    type View<'w> = (A::View<'w>, B::View<'w>);

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self::View<'w>, ReadError> {
        Ok((A::view(reader)?, B::view(reader)?))
    }
}

impl<A: InPlace, B: InPlace, C: InPlace> InPlace for (A, B, C) {
    type View<'w> = (A::View<'w>, B::View<'w>, C::View<'w>);

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self::View<'w>, ReadError> {
        Ok((A::view(reader)?, B::view(reader)?, C::view(reader)?))
    }
}
