//! Writes values as bytes.

use std::time::Duration;

use super::room::{FixedRoom, Room, RoomAround};
use super::{HEADER, Seconds};
use crate::data::{FixedLength, Items, Plain, PlainWriter, SharedBytes, VariantContent, VariantHead, Writer};

/// Writes values as CDR into a buffer that can be reused: nothing is allocated any more once it has
/// grown.
///
/// ```
/// use hemiola_model::Data;
/// use hemiola_model::cdr::CdrWriter;
///
/// let mut writer = CdrWriter::default();
/// for value in [1_u16, 2, 3] {
///     value.write(&mut writer);
///     assert_eq!(writer.bytes(), [0, 1, 0, 0, value as u8, 0]);
///     writer.clear();
/// }
/// ```
#[derive(Debug)]
pub struct CdrWriter<R = Vec<u8>> {
    bytes: R,
    /// The offset at which the message begins.
    begin: usize,
    growth: Growth,
    is_exact: bool,
    /// Set while a structure has begun and none of its fields has been written.
    structure_is_empty: bool,
    /// The number of variants with fields after each open variant.
    absent_after: Vec<usize>,
}

/// The behaviour of a writer whose buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    Grows,
    /// Never allocates. Holds the number of bytes for which there was no room.
    Bounded(usize),
}

impl Growth {
    /// Makes room if that is allowed, or counts what has none.
    #[cold]
    fn make_room(self, bytes: &mut impl Room, count: usize) -> Self {
        match self {
            Self::Grows => {
                bytes.reserve(count);
                self
            }
            Self::Bounded(missing) => Self::Bounded(missing + count),
        }
    }
}

impl Default for CdrWriter {
    fn default() -> Self {
        Self::behind(Vec::new())
    }
}

/// The maximum depth of nested enums where nothing may be allocated.
const DEEPEST: usize = 64;

impl CdrWriter {
    /// Creates a writer that appends a message to `bytes`; [`finish`](Self::finish) returns both.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::CdrWriter;
    ///
    /// let mut writer = CdrWriter::behind(b"what comes first".to_vec());
    /// 7_u8.write(&mut writer);
    /// assert_eq!(writer.bytes(), [0, 1, 0, 0, 7]);
    /// assert_eq!(writer.finish(), b"what comes first\x00\x01\x00\x00\x07");
    /// ```
    pub fn behind(bytes: Vec<u8>) -> Self {
        Self::into_room(bytes, Growth::Grows)
    }

    /// Creates a writer for real-time threads, with room for `capacity` bytes: it never allocates.
    /// A value for which there is no room makes it [full](Self::is_full).
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::CdrWriter;
    ///
    /// let mut writer = CdrWriter::bounded(16);
    /// [1.0_f32, 2.0].write(&mut writer);
    /// assert!(!writer.is_full());
    /// [3.0_f32, 4.0].write(&mut writer);
    /// assert!(writer.is_full()); // with the header, more than 16
    /// ```
    pub fn bounded(capacity: usize) -> Self {
        let bytes = Vec::with_capacity(capacity.max(HEADER.len()));
        Self { absent_after: Vec::with_capacity(DEEPEST), ..Self::into_room(bytes, Growth::Bounded(0)) }
    }

    /// Returns the message, together with the bytes that it was appended to.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

impl<'m> CdrWriter<&'m mut Vec<u8>> {
    /// Creates a writer that appends a message to bytes that stay where they are.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::CdrWriter;
    ///
    /// let mut bytes = b"what comes first".to_vec();
    /// 7_u8.write(&mut CdrWriter::append_to(&mut bytes));
    /// assert_eq!(bytes, b"what comes first\x00\x01\x00\x00\x07");
    /// ```
    #[inline]
    pub fn append_to(bytes: &'m mut Vec<u8>) -> Self {
        Self::into_room(bytes, Growth::Grows)
    }
}

impl<'m> CdrWriter<FixedRoom<'m>> {
    /// Creates a writer to existing memory, such as memory that another process reads. A value for
    /// which there is no room makes it [full](Self::is_full).
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::CdrWriter;
    ///
    /// let mut memory = [0xff; 8];
    /// let mut writer = CdrWriter::within(&mut memory);
    /// 7_u16.write(&mut writer);
    /// assert_eq!((writer.bytes(), writer.is_full()), (&[0, 1, 0, 0, 7, 0][..], false));
    /// 8_u32.write(&mut writer);
    /// assert!(writer.is_full());
    /// ```
    pub fn within(memory: &'m mut [u8]) -> Self {
        let absent_after = Vec::with_capacity(DEEPEST);
        Self { absent_after, ..Self::into_room(FixedRoom::of(memory), Growth::Bounded(0)) }
    }
}

impl<'m> CdrWriter<RoomAround<'m>> {
    /// Creates a writer to existing memory that leaves out the first field of the type
    /// [`SharedBytes`] with 4 KiB or more, if there is one.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::{CdrWriter, encode};
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let pixels = SharedBytes::from(vec![1; 614_400]);
    /// let image = (7_u16, pixels.clone(), 8_u64);
    /// let mut memory = [0; 64];
    /// let mut writer = CdrWriter::around(&mut memory);
    /// image.write(&mut writer);
    /// let (before, left_out, behind) = writer.parts().expect("the pixels were left out");
    /// assert_eq!(left_out.as_ptr(), pixels.as_ptr());
    /// assert_eq!([before, left_out, behind].concat(), encode(&image));
    /// ```
    pub fn around(memory: &'m mut [u8]) -> Self {
        let absent_after = Vec::with_capacity(DEEPEST);
        Self { absent_after, ..Self::into_room(RoomAround::of(memory), Growth::Bounded(0)) }
    }

    /// Returns what is before the bytes that were left out, these bytes, and what is behind them;
    /// `None` if none were left out.
    pub fn parts(&self) -> Option<(&[u8], &SharedBytes, &[u8])> {
        self.bytes.parts()
    }
}

impl<R: Room> CdrWriter<R> {
    /// Creates a writer when all that is in it is known: it need not be moved, which takes longer
    /// than to encode three numbers.
    #[inline]
    fn into_room(mut bytes: R, mut growth: Growth) -> Self {
        let begin = bytes.bytes().len();
        if HEADER.len() > bytes.capacity() - begin {
            growth = growth.make_room(&mut bytes, HEADER.len());
        }
        if bytes.capacity() - begin >= HEADER.len() {
            bytes.append(&HEADER);
        }
        Self { bytes, begin, growth, is_exact: true, structure_is_empty: false, absent_after: Vec::new() }
    }

    /// Returns the bytes written so far, header first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.bytes()[self.begin..]
    }

    /// Returns whether the bytes hold all of the value. They do not if it has a time beyond the 68
    /// years that ROS 2 counts in seconds in each direction (the last moment in range is written
    /// instead), or a sequence of more than 4,294,967,295 items, of which nothing can be read.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::CdrWriter;
    /// use std::time::Duration;
    ///
    /// let mut writer = CdrWriter::default();
    /// Duration::from_secs(60).write(&mut writer);
    /// assert!(writer.is_exact());
    /// Duration::MAX.write(&mut writer);
    /// assert!(!writer.is_exact());
    /// ```
    #[inline]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns how many bytes there is room for, including the header.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Returns whether there was no room for a part of the value: what was written cannot be read
    /// then.
    pub fn is_full(&self) -> bool {
        !matches!(self.growth, Growth::Grows | Growth::Bounded(0))
    }

    /// Returns a number of bytes, twice of which is enough room for everything that was written,
    /// including what found no room.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::CdrWriter;
    ///
    /// let mut writer = CdrWriter::bounded(16);
    /// [0.5_f64; 100].write(&mut writer);
    /// assert!(writer.is_full());
    /// let mut writer = CdrWriter::bounded(2 * writer.needed());
    /// [0.5_f64; 100].write(&mut writer);
    /// assert!(!writer.is_full());
    /// ```
    pub fn needed(&self) -> usize {
        // The padding before a value that found no room is not counted; it is less than the value
        // and what precedes it.
        let missing = if let Growth::Bounded(missing) = self.growth { missing } else { 0 };
        self.bytes().len() + missing
    }

    /// Begins a new message in the same buffer.
    pub fn clear(&mut self) {
        self.bytes.truncate(self.begin + HEADER.len());
        self.is_exact = true;
        if let Growth::Bounded(missing) = &mut self.growth {
            *missing = 0;
        }
        self.absent_after.clear();
    }

    /// Returns whether `count` bytes can be written; makes room for them if the writer may grow.
    #[inline]
    fn has_room(&mut self, count: usize) -> bool {
        if count <= self.bytes.capacity() - self.bytes.bytes().len() {
            return true;
        }
        self.growth = self.growth.make_room(&mut self.bytes, count);
        self.growth == Growth::Grows
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        if self.has_room(bytes.len()) {
            self.bytes.append(bytes);
        }
    }

    /// Writes padding. Alignment counts from after the header.
    #[inline]
    fn align<const SIZE: usize>(&mut self) {
        let body = self.begin + HEADER.len();
        let length = self.bytes.bytes().len();
        let padding = length.saturating_sub(body).next_multiple_of(SIZE) + body - length;
        if self.has_room(padding) {
            self.bytes.extend(padding);
        }
    }

    #[inline]
    fn number<const SIZE: usize>(&mut self, bytes: [u8; SIZE]) {
        self.align::<SIZE>();
        self.put(&bytes);
    }

    fn numbers<T: Copy, const SIZE: usize>(&mut self, items: &[T], to_bytes: fn(T) -> [u8; SIZE]) {
        // An empty run is not aligned: the next value aligns itself.
        if items.is_empty() {
            return;
        }
        self.align::<SIZE>();
        if !self.has_room(SIZE * items.len()) {
            return;
        }
        let places = self.bytes.extend(SIZE * items.len());
        for (place, &item) in places.as_chunks_mut::<SIZE>().0.iter_mut().zip(items) {
            *place = to_bytes(item);
        }
    }

    /// Writes a length, which has 32 bits; a longer sequence could not be read.
    fn length(&mut self, length: usize) {
        let written = u32::try_from(length);
        self.is_exact &= written.is_ok();
        self.number(written.unwrap_or(u32::MAX).to_le_bytes());
    }

    fn seconds(&mut self, Seconds { seconds, nanoseconds, is_exact }: Seconds) {
        self.is_exact &= is_exact;
        self.number(seconds.to_le_bytes());
        self.number(nanoseconds.to_le_bytes());
    }
}

impl<R: Room> Writer for CdrWriter<R> {
    fn boolean(&mut self, value: bool) {
        self.put(&[value.into()]);
    }

    fn signed(&mut self, value: i64, bits: u32) {
        self.unsigned(value as u64, bits);
    }

    fn unsigned(&mut self, value: u64, bits: u32) {
        match bits {
            8 => self.put(&[value as u8]),
            16 => self.number((value as u16).to_le_bytes()),
            32 => self.number((value as u32).to_le_bytes()),
            _ => self.number(value.to_le_bytes()),
        }
    }

    fn float32(&mut self, value: f32) {
        self.number(value.to_le_bytes());
    }

    fn float64(&mut self, value: f64) {
        self.number(value.to_le_bytes());
    }

    fn time(&mut self, nanoseconds: i64) {
        self.seconds(Seconds::of_time(nanoseconds));
    }

    fn duration(&mut self, value: Duration) {
        self.seconds(Seconds::of_duration(value));
    }

    fn items(&mut self, items: Items<'_>) {
        match items {
            Items::U8(items) => self.put(items),
            Items::I8(items) => self.numbers(items, i8::to_le_bytes),
            Items::U16(items) => self.numbers(items, u16::to_le_bytes),
            Items::I16(items) => self.numbers(items, i16::to_le_bytes),
            Items::U32(items) => self.numbers(items, u32::to_le_bytes),
            Items::I32(items) => self.numbers(items, i32::to_le_bytes),
            Items::U64(items) => self.numbers(items, u64::to_le_bytes),
            Items::I64(items) => self.numbers(items, i64::to_le_bytes),
            Items::F32(items) => self.numbers(items, f32::to_le_bytes),
            Items::F64(items) => self.numbers(items, f64::to_le_bytes),
        }
    }

    fn shared(&mut self, bytes: &SharedBytes) {
        if !self.bytes.refer_to(bytes) {
            self.put(bytes);
        }
    }

    fn message(&mut self, message: &[u8]) -> bool {
        // Behind other values it would be aligned in another way.
        let is_first = self.bytes().len() == HEADER.len();
        let fits = is_first && message.starts_with(&HEADER[..2]);
        if fits {
            self.put(&message[HEADER.len()..]);
        }
        fits
    }

    fn plain(&mut self, plain: &Plain) -> Option<PlainWriter<'_>> {
        let written = self.bytes.bytes().len();
        let offset = written.checked_sub(self.begin + HEADER.len())?;
        let count = plain.taken(offset);
        if count > self.bytes.capacity() - written {
            // What has no room is counted field by field.
            let Growth::Grows = self.growth else { return None };
            self.bytes.reserve(count);
        }
        Some(PlainWriter::new(self.bytes.extend(count), offset, &mut self.is_exact))
    }

    fn string(&mut self, value: &str) {
        self.length(value.len() + 1);
        self.put(value.as_bytes());
        self.put(&[0]);
    }

    fn begin_sequence(&mut self, length: usize, fixed: FixedLength) {
        if fixed == FixedLength::No {
            self.length(length);
        }
    }

    fn end_sequence(&mut self) {}

    fn begin_structure(&mut self, _: &str) {
        self.structure_is_empty = true;
    }

    fn field(&mut self, _: &str) {
        self.structure_is_empty = false;
    }

    fn end_structure(&mut self) {
        if std::mem::take(&mut self.structure_is_empty) {
            self.put(&[0]);
        }
    }

    fn none(&mut self) {
        self.length(0);
    }

    fn some(&mut self) {
        self.length(1);
    }

    fn begin_variant(&mut self, variants: &[VariantHead], index: usize) {
        // The derive allows at most 256 variants.
        self.put(&[index as u8]);
        let has_fields = |variant: &&VariantHead| variant.content == VariantContent::Fields;
        variants[..index].iter().filter(has_fields).for_each(|_| self.length(0));
        if has_fields(&&variants[index]) {
            self.length(1);
        }
        let absent_after = variants[index + 1..].iter().filter(has_fields).count();
        match &mut self.growth {
            Growth::Bounded(missing) if self.absent_after.len() == self.absent_after.capacity() => *missing += 1,
            _ => self.absent_after.push(absent_after),
        }
    }

    fn end_variant(&mut self) {
        (0..self.absent_after.pop().unwrap_or(0)).for_each(|_| self.length(0));
    }
}
