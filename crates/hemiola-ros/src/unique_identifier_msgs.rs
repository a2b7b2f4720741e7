//! Identities: `unique_identifier_msgs`.

use hemiola::Representation;

/// A universally unique identifier of 16 bytes.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[data(name = "unique_identifier_msgs/UUID")]
pub struct UUID {
    /// The bytes.
    pub uuid: [u8; 16],
}

impl UUID {
    /// Creates an identifier from a number, for goals that are counted in one program.
    #[must_use]
    pub const fn numbered(number: u64) -> Self {
        let mut uuid = [0; 16];
        let bytes = number.to_be_bytes();
        let mut place = 0;
        while place < bytes.len() {
            uuid[8 + place] = bytes[place];
            place += 1;
        }
        Self { uuid }
    }
}
