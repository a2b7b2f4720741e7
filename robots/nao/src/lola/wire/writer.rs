use std::io;

use rmp::encode::{ValueWriteError, write_array_len, write_bool, write_f32, write_map_len, write_sint, write_str};

use super::WireError;

/// Writes a frame into a buffer, as the body does: numbers in single precision.
pub struct Writer<'b> {
    rest: &'b mut [u8],
}

impl<'b> Writer<'b> {
    /// Begins a map of `entries` entries.
    pub fn map(buffer: &'b mut [u8], entries: u32) -> Result<Self, WireError> {
        let mut writer = Self { rest: buffer };
        write_map_len(&mut writer.rest, entries).map_err(full)?;
        Ok(writer)
    }

    /// Returns the number of bytes that are left in the buffer.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn numbers(&mut self, key: &str, numbers: &[f32]) -> Result<(), WireError> {
        self.array(key, numbers, |rest, number| write_f32(rest, *number))
    }

    pub fn whole_numbers(&mut self, key: &str, numbers: &[i32]) -> Result<(), WireError> {
        self.array(key, numbers, |rest, number| write_sint(rest, (*number).into()).map(|_| ()))
    }

    pub fn truth_values(&mut self, key: &str, values: &[bool]) -> Result<(), WireError> {
        self.array(key, values, |rest, value| write_bool(rest, *value).map_err(ValueWriteError::InvalidMarkerWrite))
    }

    pub fn texts(&mut self, key: &str, texts: &[&str]) -> Result<(), WireError> {
        self.array(key, texts, |rest, text| write_str(rest, text))
    }

    fn array<T>(
        &mut self,
        key: &str,
        items: &[T],
        write: impl Fn(&mut &'b mut [u8], &T) -> Result<(), ValueWriteError<io::Error>>,
    ) -> Result<(), WireError> {
        write_str(&mut self.rest, key).map_err(full)?;
        let length = u32::try_from(items.len()).map_err(|_| WireError::TooLarge)?;
        write_array_len(&mut self.rest, length).map_err(full)?;
        items.iter().try_for_each(|item| write(&mut self.rest, item).map_err(full))
    }
}

/// Writing into memory fails only where the buffer ends.
fn full(_: ValueWriteError<io::Error>) -> WireError {
    WireError::TooLarge
}
