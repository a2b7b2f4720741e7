//! The attachment: the bytes that accompany each message, request and response.

use std::fmt;

use crate::error::Ros2Error;

/// The identity of an endpoint: XXH3-128 of its token.
///
/// ```
/// use hemiola_ros2::Gid;
///
/// assert_eq!(Gid::of("").to_string(), "7f498d4624c30160d8984701d306aa99");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gid(pub [u8; 16]);

/// The attachment of a message: who sent it, when, and with which sequence number. A response
/// carries the number and the sender of its request.
///
/// ```
/// use hemiola_ros2::{Attachment, Gid};
///
/// let attachment = Attachment { sequence: 1, time_ns: 1_700_000_000_000_000_000, gid: Gid([7; 16]) };
/// let bytes = attachment.to_bytes();
/// assert_eq!((bytes.len(), Attachment::from_bytes(&bytes)), (33, Ok(attachment)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The sequence number of the message; the first one of an endpoint has number 1.
    pub sequence: i64,
    /// The time at which the message was sent, in nanoseconds since 1970.
    pub time_ns: i64,
    /// The endpoint that sent the message.
    pub gid: Gid,
}

/// The length of a GID, as Zenoh's serialization writes it before the bytes.
const GID_LENGTH: u8 = 16;

impl Attachment {
    /// The length of an attachment in bytes.
    pub const LENGTH: usize = 33;

    /// Returns the serialized attachment.
    pub fn to_bytes(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.time_ns.to_le_bytes());
        bytes[16] = GID_LENGTH;
        bytes[17..].copy_from_slice(&self.gid.0);
        bytes
    }

    /// Parses bytes, which may come from anybody.
    ///
    /// # Errors
    /// Returns an error if there are not exactly 33 bytes, or they do not hold a GID of 16 bytes.
    /// Versions of `rmw_zenoh` from 2024 wrote a name before each value, and are not supported.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Ros2Error> {
        let wrong = |why| {
            let begin = bytes.iter().take(20).copied().collect();
            Err(Ros2Error::Attachment { length: bytes.len(), begin, why })
        };
        let Ok(bytes) = <&[u8; Self::LENGTH]>::try_from(bytes) else {
            return wrong("rmw_zenoh writes 33 (is the other side a version of 2024 or earlier, or no ROS 2?)");
        };
        if bytes[16] != GID_LENGTH {
            return wrong("the length of the sender's GID is not 16");
        }
        let (numbers, gid) = bytes.split_at(17);
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&numbers[at..at + 8]);
            i64::from_le_bytes(number)
        };
        let mut of_sender = [0; 16];
        of_sender.copy_from_slice(gid);
        Ok(Self { sequence: number(0), time_ns: number(8), gid: Gid(of_sender) })
    }
}

impl Gid {
    /// Returns the GID of the endpoint with this token.
    pub fn of(token: &str) -> Self {
        // The low half comes first, each in little endian: the whole number in little endian.
        Self(xxhash_rust::xxh3::xxh3_128(token.as_bytes()).to_le_bytes())
    }
}

impl fmt::Display for Gid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Gid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
