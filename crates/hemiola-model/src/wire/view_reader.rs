//! Reads a message in place.

use std::str;

use super::{Array, InPlace, Sequence};
use crate::cdr::{CdrReader, at};
use crate::data::{Data, ReadError, Reader as _, VariantHead};

/// Reads a message in CDR whose bytes stay where they are, and refers to them. The bytes are not
/// trusted: whatever they are, the result is a value or an error. Nothing is allocated but errors.
///
/// See [`InPlace`].
#[derive(Debug)]
pub struct ViewReader<'w> {
    message: &'w [u8],
    reader: CdrReader<'w>,
}

/// A variant that has begun. See [`ViewReader::begin_variant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The index of the variant.
    pub index: usize,
    /// The number of variants with fields after it.
    absent_after: usize,
}

impl<'w> ViewReader<'w> {
    /// Creates a reader that starts after the header of a message.
    ///
    /// # Errors
    /// Fails if the bytes have no header of plain CDR.
    #[inline]
    pub fn new(message: &'w [u8]) -> Result<Self, ReadError> {
        Ok(Self { message, reader: CdrReader::new(message)? })
    }

    /// Reads a value as [`Data`] does: for types whose values refer to nothing.
    ///
    /// # Errors
    /// Fails if there is no such value.
    #[inline]
    pub fn value<T: Data>(&mut self) -> Result<T, ReadError> {
        T::read(&mut self.reader)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// Fails if there is none, or if it is not UTF-8.
    pub fn text(&mut self) -> Result<&'w str, ReadError> {
        let length = self.reader.length()?;
        let begin = self.reader.take(length)?;
        let text = match &self.message[begin..begin + length] {
            // Some writers omit the zero of an empty text.
            [] => &[],
            [text @ .., 0] => text,
            _ => return Err(self.error("the text does not end with a zero".to_owned())),
        };
        str::from_utf8(text).map_err(|error| at(begin + error.valid_up_to(), "the text is not UTF-8".to_owned()))
    }

    /// Reads a sequence.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn sequence<T: InPlace>(&mut self) -> Result<Sequence<'w, T>, ReadError> {
        let length = self.reader.begin_sequence()?;
        self.items(length)
    }

    /// Reads an array.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn array<T: InPlace, const N: usize>(&mut self) -> Result<Array<'w, T, N>, ReadError> {
        self.items(N).map(Array::of)
    }

    /// Reads so many items, and checks each, unless all bytes are items.
    fn items<T: InPlace>(&mut self, length: usize) -> Result<Sequence<'w, T>, ReadError> {
        let begin = self.position();
        let items = Sequence::new(self.message, begin, length);
        match T::PLAIN.filter(|plain| plain.is_any()) {
            Some(plain) => {
                let bytes = plain.taken_by(length, Sequence::<T>::offset(begin));
                self.reader.take(bytes.unwrap_or(usize::MAX))?;
            }
            None => (0..length).try_for_each(|_| T::view(self).map(|_| ()))?,
        }
        Ok(items)
    }

    /// Returns whether an optional value is present.
    ///
    /// # Errors
    /// Fails if that is not said.
    pub fn option(&mut self) -> Result<bool, ReadError> {
        self.reader.is_present()
    }

    /// Reads a structure without fields.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn nothing(&mut self) -> Result<(), ReadError> {
        self.value()
    }

    /// Begins the variant that follows, the fields of which are read next.
    ///
    /// # Errors
    /// Fails if it is none of these variants.
    pub fn begin_variant(&mut self, variants: &[VariantHead]) -> Result<Alternative, ReadError> {
        let (index, absent_after) = self.reader.variant(variants)?;
        Ok(Alternative { index, absent_after })
    }

    /// Ends a variant, behind its fields.
    ///
    /// # Errors
    /// Fails if there are fields of another variant.
    pub fn end_variant(&mut self, variant: Alternative) -> Result<(), ReadError> {
        self.reader.absent_variants(variant.absent_after)
    }

    /// Creates an error at the current place.
    pub fn error(&self, message: String) -> ReadError {
        self.reader.error(message)
    }

    /// Returns the position in the message of what is read next.
    pub(super) fn position(&self) -> usize {
        self.reader.position()
    }

    /// Moves to another position.
    pub(super) fn go_to(&mut self, position: usize) {
        self.reader.go_to(position);
    }

    /// Returns the underlying reader, to decode values.
    pub(super) fn decoder(&mut self) -> &mut CdrReader<'w> {
        &mut self.reader
    }

    /// Ends the reading: nothing may follow the value but padding.
    pub(super) fn finish(self) -> Result<(), ReadError> {
        self.reader.finish()
    }
}
