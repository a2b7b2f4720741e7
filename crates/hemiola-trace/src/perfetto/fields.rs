//! The part of the protocol buffers' wire format that reading a trace needs. Reading terminates for
//! any bytes.

/// The fields of a message, one by one, up to the end of the bytes or the first invalid field.
#[derive(Clone)]
pub(super) struct Fields<'b> {
    bytes: &'b [u8],
    /// The position in the file at which `bytes` ends.
    end: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Field<'b> {
    pub(super) number: u64,
    value: Value<'b>,
    /// The position in the file at which the field ends.
    pub(super) end: usize,
}

#[derive(Clone, Copy)]
enum Value<'b> {
    Integer(u64),
    Bytes(&'b [u8]),
}

impl<'b> Fields<'b> {
    /// Returns the fields of a file.
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        Self { bytes, end: bytes.len() }
    }

    /// Returns the position in the file at which the next field begins.
    pub(super) fn offset(&self) -> usize {
        self.end - self.bytes.len()
    }

    /// Returns the first field with a number.
    pub(super) fn field(&self, number: u64) -> Option<Field<'b>> {
        self.clone().find(|field| field.number == number)
    }

    /// Returns the first field with a number, if it is an integer.
    pub(super) fn integer(&self, number: u64) -> Option<u64> {
        self.field(number)?.integer()
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Field<'b>;

    fn next(&mut self) -> Option<Field<'b>> {
        let mut rest = self.bytes;
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            0 => Value::Integer(varint(&mut rest)?),
            1 => {
                let (head, tail) = rest.split_first_chunk::<8>()?;
                rest = tail;
                Value::Integer(u64::from_le_bytes(*head))
            }
            2 => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                let (head, tail) = rest.split_at_checked(length)?;
                rest = tail;
                Value::Bytes(head)
            }
            5 => {
                let (head, tail) = rest.split_first_chunk::<4>()?;
                rest = tail;
                Value::Integer(u32::from_le_bytes(*head).into())
            }
            _ => return None,
        };
        self.bytes = rest;
        Some(Field { number: key >> 3, value, end: self.offset() })
    }
}

impl<'b> Field<'b> {
    pub(super) fn integer(self) -> Option<u64> {
        match self.value {
            Value::Integer(value) => Some(value),
            Value::Bytes(_) => None,
        }
    }

    pub(super) fn message(self) -> Option<Fields<'b>> {
        match self.value {
            Value::Bytes(bytes) => Some(Fields { bytes, end: self.end }),
            Value::Integer(_) => None,
        }
    }

    pub(super) fn text(self) -> Option<&'b str> {
        match self.value {
            Value::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Value::Integer(_) => None,
        }
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
