//! The part of the protocol buffers' wire format that writing a trace needs.

/// A message under construction: fields in the order in which they are added.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
}

impl Message {
    /// Adds an integer, boolean or enum field.
    pub(super) fn uint(&mut self, field: u32, value: u64) -> &mut Self {
        self.key(field, VARINT);
        self.varint(value);
        self
    }

    /// Adds a `fixed64` field.
    pub(super) fn fixed64(&mut self, field: u32, value: u64) -> &mut Self {
        self.key(field, FIXED64);
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds a `double` field.
    pub(super) fn double(&mut self, field: u32, value: f64) -> &mut Self {
        self.fixed64(field, value.to_bits())
    }

    /// Adds a string field.
    pub(super) fn text(&mut self, field: u32, value: &str) -> &mut Self {
        self.delimited(field, value.as_bytes())
    }

    /// Adds a field that is a message. It is written in place; its length, which precedes it, is
    /// set afterwards.
    pub(super) fn nested(&mut self, field: u32, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.key(field, DELIMITED);
        let start = self.bytes.len();
        // There is room for the length of a short message, which nearly all are.
        self.bytes.push(0);
        fill(self);
        let end = self.bytes.len();
        let length = end - start - 1;
        if length < 0x80 {
            self.bytes[start] = length as u8;
        } else {
            self.varint(length as u64);
            let digits = self.bytes.len() - end;
            self.bytes[start + 1..].rotate_right(digits);
            self.bytes.remove(start);
        }
        self
    }

    fn delimited(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.key(field, DELIMITED);
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    fn key(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const DELIMITED: u64 = 2;
