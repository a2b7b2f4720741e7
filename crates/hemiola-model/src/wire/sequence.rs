//! Sequences and arrays in place.

use std::array;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::{InPlace, ViewReader, viewed};
use crate::cdr::HEADER;

/// A sequence in place: of a message, the bytes of a `Vec<T>`.
///
/// Its items are views, made one at a time. Those of a type all of whose values take as many bytes
/// (numbers, structures of them) are found at once; before others all earlier items are read.
///
/// ```
/// use hemiola_model::Wire;
///
/// let scan = Wire::encode(&vec![1.5_f32, 2.5, 0.5]);
/// let ranges = scan.view();
/// assert_eq!((ranges.len(), ranges.get(1), ranges.get(3)), (3, Some(2.5), None));
/// assert_eq!(ranges.iter().fold(f32::INFINITY, f32::min), 0.5);
///
/// let image = Wire::encode(&vec![7_u8; 640 * 480]);
/// assert_eq!(image.view()[640..642], [7, 7]); // bytes are a slice
/// ```
pub struct Sequence<'w, T> {
    message: &'w [u8],
    /// The position behind the length of the sequence.
    begin: usize,
    length: usize,
    items: PhantomData<fn() -> T>,
}

/// An array in place: a [`Sequence`] whose length is part of its type.
///
/// ```
/// use hemiola_model::Wire;
///
/// let position = Wire::encode(&[1.0_f64, 2.0, 3.0]);
/// let [x, y, z] = position.view().values();
/// assert_eq!((x, y, z), (1.0, 2.0, 3.0));
/// assert_eq!(position.view().get(1), Some(2.0));
/// ```
pub struct Array<'w, T, const N: usize>(Sequence<'w, T>);

/// An iterator over the items of a [`Sequence`].
///
/// ```
/// let names = hemiola_model::Wire::encode(&vec!["left".to_owned(), "right".to_owned()]);
/// let mut iterator = names.view().iter();
/// assert_eq!((iterator.len(), iterator.next(), iterator.len()), (2, Some("left"), 1));
/// ```
#[derive(Debug)]
pub struct SequenceIter<'w, T> {
    /// At the next item.
    reader: ViewReader<'w>,
    left: usize,
    items: PhantomData<fn() -> T>,
}

impl<'w, T: InPlace> Sequence<'w, T> {
    /// Creates a sequence of items that are at that position, as their views have found.
    pub(super) fn new(message: &'w [u8], begin: usize, length: usize) -> Self {
        Self { message, begin, length, items: PhantomData }
    }

    /// Returns the distance of a position from the header of its message, which alignment counts
    /// from.
    pub(super) fn offset(position: usize) -> usize {
        position - HEADER.len()
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns an item; `None` if there are not so many.
    pub fn get(&self, index: usize) -> Option<T::View<'w>> {
        if index >= self.length {
            return None;
        }
        let Some(plain) = T::PLAIN else { return self.iter().nth(index) };
        let mut reader = self.reader();
        reader.go_to(self.begin + plain.taken_by(index, Self::offset(self.begin))?);
        Some(viewed(T::view(&mut reader)))
    }

    /// Returns an iterator over the items.
    pub fn iter(&self) -> SequenceIter<'w, T> {
        SequenceIter { reader: self.reader(), left: self.length, items: PhantomData }
    }

    /// Decodes the items, as one piece if they are numbers. Allocates.
    ///
    /// ```
    /// let scan = hemiola_model::Wire::encode(&vec![1.5_f32, 2.5]);
    /// assert_eq!(scan.view().to_vec(), [1.5, 2.5]);
    /// ```
    pub fn to_vec(&self) -> Vec<T> {
        viewed(T::read_items(self.length, self.reader().decoder()))
    }

    fn reader(&self) -> ViewReader<'w> {
        let mut reader = viewed(ViewReader::new(self.message));
        reader.go_to(self.begin);
        reader
    }
}

impl<'w> Sequence<'w, u8> {
    /// Returns the bytes, where they are.
    pub fn bytes(self) -> &'w [u8] {
        &self.message[self.begin..self.begin + self.length]
    }
}

impl Deref for Sequence<'_, u8> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}

impl<'w, T: InPlace, const N: usize> Array<'w, T, N> {
    /// Creates an array of as many items as the sequence has.
    pub(super) fn of(items: Sequence<'w, T>) -> Self {
        Self(items)
    }

    /// Returns the items.
    pub fn values(&self) -> [T::View<'w>; N] {
        let mut reader = self.0.reader();
        array::from_fn(|_| viewed(T::view(&mut reader)))
    }
}

impl<'w, T, const N: usize> Deref for Array<'w, T, N> {
    type Target = Sequence<'w, T>;

    fn deref(&self) -> &Sequence<'w, T> {
        &self.0
    }
}

impl<'w, T: InPlace> Iterator for SequenceIter<'w, T> {
    type Item = T::View<'w>;

    #[inline]
    fn next(&mut self) -> Option<T::View<'w>> {
        self.left = self.left.checked_sub(1)?;
        Some(viewed(T::view(&mut self.reader)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: InPlace> ExactSizeIterator for SequenceIter<'_, T> {}

impl<'w, T: InPlace> IntoIterator for Sequence<'w, T> {
    type Item = T::View<'w>;
    type IntoIter = SequenceIter<'w, T>;

    fn into_iter(self) -> SequenceIter<'w, T> {
        self.iter()
    }
}

impl<'w, T: InPlace> IntoIterator for &Sequence<'w, T> {
    type Item = T::View<'w>;
    type IntoIter = SequenceIter<'w, T>;

    fn into_iter(self) -> SequenceIter<'w, T> {
        self.iter()
    }
}

impl<T> Clone for Sequence<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Sequence<'_, T> {}

impl<T, const N: usize> Clone for Array<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Array<'_, T, N> {}

impl<T: InPlace> fmt::Debug for Sequence<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self).finish()
    }
}

impl<T: InPlace, const N: usize> fmt::Debug for Array<'_, T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}
