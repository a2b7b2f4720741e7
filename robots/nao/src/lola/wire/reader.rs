use rmp::Marker;
use rmp::decode::bytes::{Bytes, BytesReadError};
use rmp::decode::{
    DecodeStringError, NumValueReadError, ValueReadError, read_array_len, read_bool, read_f32, read_f64, read_int,
    read_map_len, read_marker, read_str_len,
};

use super::WireError;

/// The bytes of a frame that have not been read yet. After an error its position means nothing.
pub struct Reader<'b> {
    rest: &'b [u8],
}

/// The error of a primitive: bytes are missing, or they are something else.
enum Failure {
    Incomplete,
    Other,
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number of bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads a map, and calls `read` with each key to read its value.
    pub fn map(&mut self, mut read: impl FnMut(&str, &mut Self) -> Result<(), WireError>) -> Result<(), WireError> {
        let found = *self.rest.first().ok_or(WireError::Incomplete)?;
        let entries = self.take(read_map_len).map_err(|failure| failure.or(WireError::NotAMap { found }))?;
        for entry in 0..entries {
            let key = self.text().map_err(|failure| failure.or(WireError::Key { entry }))?;
            read(key, self)?;
        }
        Ok(())
    }

    /// Reads an array of finite numbers, however they are stored.
    pub fn numbers<const N: usize>(&mut self, key: &'static str, into: &mut [f32; N]) -> Result<(), WireError> {
        self.length(key, N)?;
        for (index, number) in into.iter_mut().enumerate() {
            *number = self.number().map_err(|failure| failure.or(WireError::Type { key, expected: "numbers" }))?;
            if !number.is_finite() {
                return Err(WireError::NotFinite { key, index });
            }
        }
        Ok(())
    }

    /// Reads an array of small whole numbers.
    pub fn whole_numbers<const N: usize>(&mut self, key: &'static str, into: &mut [i32; N]) -> Result<(), WireError> {
        self.length(key, N)?;
        for number in into {
            *number = self
                .take(read_int::<i32, _>)
                .map_err(|failure| failure.or(WireError::Type { key, expected: "whole numbers" }))?;
        }
        Ok(())
    }

    /// Reads an array of truth values.
    pub fn truth_values<const N: usize>(&mut self, key: &'static str, into: &mut [bool; N]) -> Result<(), WireError> {
        self.length(key, N)?;
        for value in into {
            *value = self
                .take(read_bool)
                .map_err(|failure| failure.or(WireError::Type { key, expected: "truth values" }))?;
        }
        Ok(())
    }

    /// Reads an array of texts, and keeps the buffers of `into`.
    pub fn texts<const N: usize>(&mut self, key: &'static str, into: [&mut String; N]) -> Result<(), WireError> {
        self.length(key, N)?;
        for text in into {
            let found = self.text().map_err(|failure| failure.or(WireError::Type { key, expected: "texts" }))?;
            text.clear();
            text.push_str(found);
        }
        Ok(())
    }

    /// Passes over a value of any kind. Its depth does not matter: what is left to be passed over
    /// is a number.
    pub fn skip(&mut self) -> Result<(), WireError> {
        let mut values: u64 = 1;
        while values > 0 {
            values -= 1;
            let marker = self.take(read_marker).map_err(|failure| failure.or(WireError::Unknown))?;
            values += self.skip_one(marker)?;
        }
        Ok(())
    }

    /// Passes over what follows a marker, and returns how many values it holds.
    fn skip_one(&mut self, marker: Marker) -> Result<u64, WireError> {
        // The width of the length, what comes on top of it, and the values for each of it.
        let (width, more, values) = match marker {
            Marker::FixPos(_) | Marker::FixNeg(_) | Marker::Null | Marker::True | Marker::False => (0, 0, 0),
            Marker::U8 | Marker::I8 => (0, 1, 0),
            Marker::U16 | Marker::I16 | Marker::FixExt1 => (0, 2, 0),
            Marker::FixExt2 => (0, 3, 0),
            Marker::U32 | Marker::I32 | Marker::F32 => (0, 4, 0),
            Marker::FixExt4 => (0, 5, 0),
            Marker::U64 | Marker::I64 | Marker::F64 => (0, 8, 0),
            Marker::FixExt8 => (0, 9, 0),
            Marker::FixExt16 => (0, 17, 0),
            Marker::FixStr(length) => (0, u64::from(length), 0),
            Marker::FixArray(length) => return Ok(length.into()),
            Marker::FixMap(length) => return Ok(2 * u64::from(length)),
            Marker::Str8 | Marker::Bin8 => (1, 0, 0),
            Marker::Str16 | Marker::Bin16 => (2, 0, 0),
            Marker::Str32 | Marker::Bin32 => (4, 0, 0),
            Marker::Ext8 => (1, 1, 0),
            Marker::Ext16 => (2, 1, 0),
            Marker::Ext32 => (4, 1, 0),
            Marker::Array16 => (2, 0, 1),
            Marker::Array32 => (4, 0, 1),
            Marker::Map16 => (2, 0, 2),
            Marker::Map32 => (4, 0, 2),
            Marker::Reserved => return Err(WireError::Unknown),
        };
        let length = self.bytes(width)?.iter().fold(0, |length, byte| (length << 8) | u64::from(*byte));
        if values > 0 {
            return Ok(values * length);
        }
        self.bytes(length + more)?;
        Ok(0)
    }

    fn length(&mut self, key: &'static str, expected: usize) -> Result<(), WireError> {
        let array = WireError::Type { key, expected: "an array" };
        let found = self.take(read_array_len).map_err(|failure| failure.or(array))?;
        if u32::try_from(expected) == Ok(found) { Ok(()) } else { Err(WireError::Length { key, expected, found }) }
    }

    fn number(&mut self) -> Result<f32, Failure> {
        match self.rest.first().map(|byte| Marker::from_u8(*byte)) {
            None => Err(Failure::Incomplete),
            Some(Marker::F32) => self.take(read_f32),
            Some(Marker::F64) => Ok(self.take(read_f64)? as f32),
            Some(_) => Ok(self.take(read_int::<i64, _>)? as f32),
        }
    }

    fn text(&mut self) -> Result<&'b str, Failure> {
        let length = self.take(read_str_len)?;
        let bytes = self.bytes(length.into()).map_err(|_| Failure::Incomplete)?;
        std::str::from_utf8(bytes).map_err(|_| Failure::Other)
    }

    fn bytes(&mut self, length: u64) -> Result<&'b [u8], WireError> {
        let length = usize::try_from(length).map_err(|_| WireError::Incomplete)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(WireError::Incomplete)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Reads a primitive.
    fn take<T, E: Into<Failure>>(&mut self, read: impl FnOnce(&mut Bytes<'b>) -> Result<T, E>) -> Result<T, Failure> {
        let mut bytes = Bytes::new(self.rest);
        let value = read(&mut bytes).map_err(Into::into)?;
        self.rest = bytes.remaining_slice();
        Ok(value)
    }
}

impl Failure {
    /// Returns the error, which is `other` if the bytes are something else.
    fn or(self, other: WireError) -> WireError {
        match self {
            Self::Incomplete => WireError::Incomplete,
            Self::Other => other,
        }
    }
}

impl From<rmp::decode::MarkerReadError<BytesReadError>> for Failure {
    fn from(_: rmp::decode::MarkerReadError<BytesReadError>) -> Self {
        Self::Incomplete
    }
}

impl From<ValueReadError<BytesReadError>> for Failure {
    fn from(error: ValueReadError<BytesReadError>) -> Self {
        match error {
            ValueReadError::InvalidMarkerRead(_) | ValueReadError::InvalidDataRead(_) => Self::Incomplete,
            ValueReadError::TypeMismatch(_) => Self::Other,
        }
    }
}

impl From<NumValueReadError<BytesReadError>> for Failure {
    fn from(error: NumValueReadError<BytesReadError>) -> Self {
        match error {
            NumValueReadError::InvalidMarkerRead(_) | NumValueReadError::InvalidDataRead(_) => Self::Incomplete,
            NumValueReadError::TypeMismatch(_) | NumValueReadError::OutOfRange => Self::Other,
        }
    }
}

impl From<DecodeStringError<'_, BytesReadError>> for Failure {
    fn from(error: DecodeStringError<'_, BytesReadError>) -> Self {
        match error {
            DecodeStringError::InvalidMarkerRead(_) | DecodeStringError::InvalidDataRead(_) => Self::Incomplete,
            _ => Self::Other,
        }
    }
}
