//! Reads values from bytes.

use std::time::Duration;

use super::bytes::{Bytes, CopiedBytes};
use super::{HEADER, Seconds};
use crate::data::{ItemsMut, PlainSource, ReadError, Reader, SharedBytes, VariantContent, VariantHead};

/// Reads values from CDR. The bytes are not trusted: whatever they are, the result is a value or an
/// error.
///
/// ```
/// use hemiola_model::Data;
/// use hemiola_model::cdr::CdrReader;
///
/// let mut reader = CdrReader::new(&[0, 1, 0, 0, 7, 0, 0, 0])?;
/// assert_eq!(u32::read(&mut reader)?, 7);
/// let error = u32::read(&mut reader).unwrap_err();
/// assert_eq!(error.to_string(), "byte 8: the message ends here, 4 bytes too early");
/// # Ok::<(), hemiola_model::data::ReadError>(())
/// ```
#[derive(Debug)]
pub struct CdrReader<'b> {
    bytes: Bytes<'b>,
    /// The same bytes, if values may refer to parts of them.
    shared: Option<&'b SharedBytes>,
    position: usize,
    byte_order: ByteOrder,
    /// Set while a structure has begun and none of its fields has been read.
    structure_is_empty: bool,
    /// The number of variants with fields after each open variant.
    absent_after: Vec<usize>,
}

/// The least number of bytes that a value shares with its message instead of copying them.
pub(crate) const LEAST_SHARED: usize = 4 << 10;
/// The bytes of numbers that are copied at once before they are converted.
const PIECE: usize = 4 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

impl<'b> CdrReader<'b> {
    /// Creates a reader that starts after the header of a message.
    ///
    /// # Errors
    /// Fails if the bytes have no header of plain CDR.
    #[inline]
    pub fn new(bytes: &'b [u8]) -> Result<Self, ReadError> {
        Self::of(Bytes::Borrowed(bytes))
    }

    /// Creates a reader of bytes that somebody else may change while they are read: it looks at
    /// none of them twice.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::{CdrReader, CopiedBytes};
    ///
    /// /// Memory that another process writes.
    /// #[derive(Debug)]
    /// struct Foreign([u8; 6]);
    ///
    /// impl CopiedBytes for Foreign {
    ///     fn length(&self) -> usize {
    ///         self.0.len()
    ///     }
    ///
    ///     fn copy_to(&self, begin: usize, into: &mut [u8]) {
    ///         into.copy_from_slice(&self.0[begin..begin + into.len()]); // each byte by an atomic load
    ///     }
    /// }
    ///
    /// let foreign = Foreign([0, 1, 0, 0, 7, 0]);
    /// assert_eq!(u16::read(&mut CdrReader::copying(&foreign)?)?, 7);
    /// # Ok::<(), hemiola_model::data::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no header of plain CDR.
    pub fn copying(bytes: &'b dyn CopiedBytes) -> Result<Self, ReadError> {
        Self::of(Bytes::Copied(bytes))
    }

    /// Creates a reader of bytes that values may refer to: large fields of the type [`SharedBytes`]
    /// are parts of them, instead of copies.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::{CdrReader, encode};
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let message = SharedBytes::from(encode(&vec![1_u8; 614_400]));
    /// let pixels = SharedBytes::read(&mut CdrReader::sharing(&message)?)?;
    /// assert_eq!(pixels.as_ptr(), message[8..].as_ptr());
    /// # Ok::<(), hemiola_model::data::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no header of plain CDR.
    pub fn sharing(bytes: &'b SharedBytes) -> Result<Self, ReadError> {
        Ok(Self { shared: Some(bytes), ..Self::new(bytes)? })
    }

    #[inline]
    fn of(bytes: Bytes<'b>) -> Result<Self, ReadError> {
        let mut header = [0; HEADER.len()];
        if bytes.length() < header.len() {
            return Err(no_header());
        }
        bytes.copy_to(0, &mut header);
        let byte_order = match header {
            [0, 1, ..] => ByteOrder::Little,
            [0, 0, ..] => ByteOrder::Big,
            [a, b, ..] => return Err(other_header(a, b)),
        };
        let position = HEADER.len();
        Ok(Self { bytes, shared: None, position, byte_order, structure_is_empty: false, absent_after: Vec::new() })
    }

    /// Ends the reading: nothing may follow the value.
    ///
    /// # Errors
    /// Fails if more follows than the padding of up to three bytes that some writers append.
    pub fn finish(self) -> Result<(), ReadError> {
        match self.left() {
            0..4 => Ok(()),
            rest => Err(self.error(format!("{rest} bytes follow, for which the schema has no place"))),
        }
    }

    /// Returns the position in the message of what is read next.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Moves to another position, which is within the message and not in its header.
    pub(crate) fn go_to(&mut self, position: usize) {
        self.position = position.clamp(HEADER.len(), self.bytes.length());
    }

    /// Begins the variant that follows. Returns its index in `variants`, and the number of variants
    /// with fields after it, the absence of which is to be read behind it.
    pub(crate) fn variant(&mut self, variants: &[VariantHead]) -> Result<(usize, usize), ReadError> {
        let [index] = self.array()?;
        let index = usize::from(index);
        let Some(chosen) = variants.get(index) else {
            return Err(self.error(format!("variant {index} does not exist; there are {}", variants.len())));
        };
        let with_fields = |variants: &[VariantHead]| {
            variants.iter().filter(|variant| variant.content == VariantContent::Fields).count()
        };
        self.absent_variants(with_fields(&variants[..index]))?;
        if chosen.content == VariantContent::Fields && !self.is_present()? {
            return Err(self.error(format!("the fields of `{}` are missing", chosen.name)));
        }
        Ok((index, with_fields(&variants[index + 1..])))
    }

    fn left(&self) -> usize {
        self.bytes.length() - self.position
    }

    /// Takes that many bytes, and returns where they begin.
    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<usize, ReadError> {
        let (begin, left) = (self.position, self.left());
        if count > left {
            return Err(ends_early(self.bytes.length(), count - left));
        }
        self.position += count;
        Ok(begin)
    }

    #[inline]
    fn array<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], ReadError> {
        let (begin, mut array) = (self.take(SIZE)?, [0; SIZE]);
        self.bytes.copy_to(begin, &mut array);
        Ok(array)
    }

    /// Skips padding. Alignment counts from after the header.
    #[inline]
    fn align<const SIZE: usize>(&mut self) -> Result<(), ReadError> {
        let aligned = (self.position - HEADER.len()).next_multiple_of(SIZE) + HEADER.len();
        self.take(aligned - self.position).map(|_| ())
    }

    /// Reads a number, and returns its bytes in little endian.
    #[inline]
    fn number<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], ReadError> {
        if let Some([number]) = self.plain().and_then(|mut source| source.numbers(1)) {
            return Ok(*number);
        }
        self.align::<SIZE>()?;
        let mut number = self.array::<SIZE>()?;
        if self.byte_order == ByteOrder::Big {
            number.reverse();
        }
        Ok(number)
    }

    fn numbers<T, const SIZE: usize>(
        &mut self,
        items: &mut [T],
        of_bytes: fn([u8; SIZE]) -> T,
    ) -> Result<(), ReadError> {
        if items.is_empty() {
            return Ok(());
        }
        self.align::<SIZE>()?;
        let begin = self.take(SIZE.saturating_mul(items.len()))?;
        match self.bytes {
            Bytes::Borrowed(bytes) => self.convert(items, &bytes[begin..self.position], of_bytes),
            Bytes::Copied(bytes) => {
                let mut piece = [0; PIECE];
                for (items, begin) in items.chunks_mut(PIECE / SIZE).zip((begin..).step_by(PIECE)) {
                    let piece = &mut piece[..SIZE * items.len()];
                    bytes.copy_to(begin, piece);
                    self.convert(items, piece, of_bytes);
                }
            }
        }
        Ok(())
    }

    fn convert<T, const SIZE: usize>(&self, items: &mut [T], bytes: &[u8], of_bytes: fn([u8; SIZE]) -> T) {
        for (item, &number) in items.iter_mut().zip(bytes.as_chunks::<SIZE>().0) {
            let mut number = number;
            if self.byte_order == ByteOrder::Big {
                number.reverse();
            }
            *item = of_bytes(number);
        }
    }

    pub(crate) fn length(&mut self) -> Result<usize, ReadError> {
        Ok(u32::from_le_bytes(self.number()?) as usize)
    }

    /// Reads the length of an optional value, or of the fields of a variant: zero or one.
    pub(crate) fn is_present(&mut self) -> Result<bool, ReadError> {
        match self.length()? {
            0 => Ok(false),
            1 => Ok(true),
            length => Err(self.error(format!("expected at most one item, found {length}"))),
        }
    }

    pub(crate) fn absent_variants(&mut self, count: usize) -> Result<(), ReadError> {
        for _ in 0..count {
            if self.is_present()? {
                return Err(self.error("the fields of another variant than the one that is chosen".to_owned()));
            }
        }
        Ok(())
    }

    fn seconds(&mut self) -> Result<Seconds, ReadError> {
        let seconds = i32::from_le_bytes(self.number()?);
        let nanoseconds = u32::from_le_bytes(self.number()?);
        let too_many = || self.error(format!("{nanoseconds} nanoseconds are a second or more"));
        Seconds::checked(seconds, nanoseconds).ok_or_else(too_many)
    }
}

#[cold]
fn no_header() -> ReadError {
    at(0, "the message is shorter than CDR's header of four bytes".to_owned())
}

#[cold]
fn other_header(a: u8, b: u8) -> ReadError {
    let found = format!("its header begins with {a:#04x} {b:#04x}, not with 0x00 0x01");
    at(0, format!("the message is not plain CDR: {found}"))
}

#[cold]
fn ends_early(byte: usize, missing: usize) -> ReadError {
    at(byte, format!("the message ends here, {missing} bytes too early"))
}

pub(crate) fn at(byte: usize, message: String) -> ReadError {
    ReadError { path: format!("byte {byte}"), message }
}

impl Reader for CdrReader<'_> {
    fn boolean(&mut self) -> Result<bool, ReadError> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(self.error(format!("{other} is no truth value"))),
        }
    }

    fn signed(&mut self, bits: u32) -> Result<i64, ReadError> {
        Ok(match bits {
            8 => i8::from_le_bytes(self.number()?).into(),
            16 => i16::from_le_bytes(self.number()?).into(),
            32 => i32::from_le_bytes(self.number()?).into(),
            _ => i64::from_le_bytes(self.number()?),
        })
    }

    fn unsigned(&mut self, bits: u32) -> Result<u64, ReadError> {
        Ok(match bits {
            8 => u8::from_le_bytes(self.number()?).into(),
            16 => u16::from_le_bytes(self.number()?).into(),
            32 => u32::from_le_bytes(self.number()?).into(),
            _ => u64::from_le_bytes(self.number()?),
        })
    }

    fn float32(&mut self) -> Result<f32, ReadError> {
        self.number().map(f32::from_le_bytes)
    }

    fn float64(&mut self) -> Result<f64, ReadError> {
        self.number().map(f64::from_le_bytes)
    }

    fn time(&mut self) -> Result<i64, ReadError> {
        self.seconds().map(Seconds::nanoseconds)
    }

    fn duration(&mut self) -> Result<Duration, ReadError> {
        let span = self.seconds()?;
        span.duration().ok_or_else(|| self.error(format!("{} s is not a duration", span.seconds)))
    }

    fn plain(&mut self) -> Option<PlainSource<'_>> {
        let (Bytes::Borrowed(bytes), ByteOrder::Little) = (self.bytes, self.byte_order) else { return None };
        self.structure_is_empty = false;
        Some(PlainSource::new(bytes, HEADER.len(), &mut self.position))
    }

    fn string(&mut self) -> Result<String, ReadError> {
        let length = self.length()?;
        let begin = self.take(length)?;
        let mut text = vec![0; length];
        self.bytes.copy_to(begin, &mut text);
        match text.pop() {
            // Some writers omit the zero of an empty text.
            None | Some(0) => String::from_utf8(text)
                .map_err(|error| at(begin + error.utf8_error().valid_up_to(), "the text is not UTF-8".to_owned())),
            Some(_) => Err(self.error("the text does not end with a zero".to_owned())),
        }
    }

    fn items(&mut self, items: ItemsMut<'_>) -> Result<(), ReadError> {
        match items {
            ItemsMut::U8(items) => {
                let begin = self.take(items.len())?;
                self.bytes.copy_to(begin, items);
                Ok(())
            }
            ItemsMut::I8(items) => self.numbers(items, i8::from_le_bytes),
            ItemsMut::U16(items) => self.numbers(items, u16::from_le_bytes),
            ItemsMut::I16(items) => self.numbers(items, i16::from_le_bytes),
            ItemsMut::U32(items) => self.numbers(items, u32::from_le_bytes),
            ItemsMut::I32(items) => self.numbers(items, i32::from_le_bytes),
            ItemsMut::U64(items) => self.numbers(items, u64::from_le_bytes),
            ItemsMut::I64(items) => self.numbers(items, i64::from_le_bytes),
            ItemsMut::F32(items) => self.numbers(items, f32::from_le_bytes),
            ItemsMut::F64(items) => self.numbers(items, f64::from_le_bytes),
        }
    }

    fn share(&mut self, length: usize) -> Option<SharedBytes> {
        let shared = self.shared.filter(|_| length >= LEAST_SHARED)?;
        let begin = self.take(length).ok()?;
        Some(shared.part(begin..self.position))
    }

    fn message(
        &mut self,
        message: &mut SharedBytes,
        end: fn(&[u8]) -> Result<usize, ReadError>,
    ) -> Result<bool, ReadError> {
        if self.position != HEADER.len() {
            return Ok(false);
        }
        let end = match (self.bytes, self.shared.filter(|shared| shared.len() >= LEAST_SHARED)) {
            (Bytes::Borrowed(bytes), Some(shared)) => {
                let end = end(bytes)?;
                *message = shared.part(0..end);
                end
            }
            (Bytes::Borrowed(bytes), None) => {
                let end = end(bytes)?;
                message.refill(|message| {
                    message.clear();
                    message.extend_from_slice(&bytes[..end]);
                });
                end
            }
            (Bytes::Copied(bytes), _) => {
                // Only the copy stays as it is while it is looked at.
                let mut copy = Vec::new();
                bytes.append_to(&mut copy);
                let end = end(&copy)?;
                copy.truncate(end);
                *message = copy.into();
                end
            }
        };
        self.position = end;
        self.structure_is_empty = false;
        Ok(true)
    }

    fn begin_sequence(&mut self) -> Result<usize, ReadError> {
        let length = self.length()?;
        // Every item takes at least one byte.
        match self.left() {
            rest if length > rest => {
                Err(self.error(format!("a sequence of {length} items, but only {rest} bytes are left")))
            }
            _ => Ok(length),
        }
    }

    /// Reads nothing: the length is known from the schema.
    fn begin_array(&mut self, _: usize) -> Result<(), ReadError> {
        Ok(())
    }

    fn end_sequence(&mut self) -> Result<(), ReadError> {
        Ok(())
    }

    fn begin_structure(&mut self, _: &str) -> Result<(), ReadError> {
        self.structure_is_empty = true;
        Ok(())
    }

    /// Returns `true`: every field of the schema is there.
    fn optional_field(&mut self, _: &str) -> Result<bool, ReadError> {
        self.structure_is_empty = false;
        Ok(true)
    }

    fn end_structure(&mut self) -> Result<(), ReadError> {
        if std::mem::take(&mut self.structure_is_empty) {
            self.take(1)?;
        }
        Ok(())
    }

    fn option(&mut self) -> Result<bool, ReadError> {
        self.is_present()
    }

    fn begin_variant(&mut self, variants: &[VariantHead]) -> Result<usize, ReadError> {
        let (index, absent_after) = self.variant(variants)?;
        self.absent_after.push(absent_after);
        Ok(index)
    }

    fn end_variant(&mut self) -> Result<(), ReadError> {
        let count = self.absent_after.pop().unwrap_or(0);
        self.absent_variants(count)
    }

    fn error(&self, message: String) -> ReadError {
        at(self.position, message)
    }
}
