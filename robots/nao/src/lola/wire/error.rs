use thiserror::Error;

use super::LARGEST_FRAME;

/// The reason why bytes are not a frame.
///
/// ```
/// use nao::lola::wire::{ActuatorFrame, WireError};
///
/// let error = ActuatorFrame::default().decode(b"\x93\x01\x02\x03").unwrap_err();
/// assert_eq!(error, WireError::NotAMap { found: 0x93 });
/// assert!(error.to_string().starts_with("a frame begins with a map, not with the byte 0x93"));
/// ```
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum WireError {
    /// The frame is not complete yet: more bytes have to follow.
    #[error("the frame is not complete; the rest has to follow")]
    Incomplete,
    /// The frame is larger than any that there is.
    #[error("the frame has more than {LARGEST_FRAME} bytes; is another program at the socket?")]
    TooLarge,
    /// The first byte does not begin a map.
    #[error("a frame begins with a map, not with the byte {found:#04x}; is another program at the socket?")]
    NotAMap {
        /// The first byte.
        found: u8,
    },
    /// A key of the map is not a text.
    #[error("entry {entry} of the frame has a key that is not a text")]
    Key {
        /// The number of the entry, from 0.
        entry: u32,
    },
    /// A key occurs twice.
    #[error("the frame has `{key}` twice")]
    Repeated {
        /// The key.
        key: &'static str,
    },
    /// A key that must be there is not.
    #[error("the frame has no `{key}`; LoLA of the NAO V6 sends it")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A value is not what its key promises.
    #[error("`{key}` is not {expected}")]
    Type {
        /// The key.
        key: &'static str,
        /// The expected kind of value.
        expected: &'static str,
    },
    /// An array has another length.
    #[error("`{key}` has {found} values instead of {expected}")]
    Length {
        /// The key.
        key: &'static str,
        /// The length of the array.
        expected: usize,
        /// The length that it has.
        found: u32,
    },
    /// A number is infinite or none at all.
    #[error("value {index} of `{key}` is not finite")]
    NotFinite {
        /// The key.
        key: &'static str,
        /// The index in the array.
        index: usize,
    },
    /// A value under an unknown key is not MessagePack.
    #[error("the value of an unknown key is not MessagePack")]
    Unknown,
}
