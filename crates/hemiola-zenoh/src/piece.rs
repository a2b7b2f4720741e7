//! The content of a message of Zenoh: a piece of a conversation.
//!
//! | bytes | |
//! |---|---|
//! | 1 | the kind: 0 begin, 1 bytes, 2 room, 3 end |
//! | 8 | the number of the conversation: 1, 2, 3 … of the member that begins it |
//! | 8 | of bytes: the number of bytes that their sender has sent before; of room: the number of bytes that the other side may send, from the beginning on; else 0 |
//! | | the bytes of the conversation, of which only this kind has some |
//!
//! All numbers are little-endian.

/// A piece of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'p> {
    pub conversation: u64,
    pub content: Content<'p>,
}

/// The content of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'p> {
    /// A conversation begins.
    Begin,
    /// The conversation goes on, behind as many bytes as its sender has sent before.
    Bytes { position: u64, bytes: &'p [u8] },
    /// The other side may send as many bytes, from the beginning of the conversation on.
    Room(u64),
    /// The conversation has ended, or there is none of this number.
    End,
}

/// The number of bytes of a piece before those of the conversation.
pub const HEAD: usize = 17;
/// The most bytes of a conversation in one piece: it fits into one batch of Zenoh.
pub const MOST_BYTES: usize = 48 << 10;
/// The room that a side has for what the other one sends.
pub const FIRST_ROOM: u64 = 512 << 10;

impl<'p> Piece<'p> {
    /// Reads a piece; `None` if it is garbage.
    pub fn read(payload: &'p [u8]) -> Option<Self> {
        let (head, bytes) = payload.split_at_checked(HEAD)?;
        let (kind, numbers) = head.split_first()?;
        let (conversation, number) = numbers.split_first_chunk::<8>()?;
        let number = u64::from_le_bytes(number.try_into().ok()?);
        let content = match (kind, number, bytes.len()) {
            (0, 0, 0) => Content::Begin,
            (1, position, 1..=MOST_BYTES) => Content::Bytes { position, bytes },
            (2, room, 0) => Content::Room(room),
            (3, 0, 0) => Content::End,
            _ => return None,
        };
        Some(Self { conversation: u64::from_le_bytes(*conversation), content })
    }

    /// Returns the head of the piece, behind which its bytes follow.
    pub fn head(&self) -> [u8; HEAD] {
        let (kind, number) = match self.content {
            Content::Begin => (0, 0),
            Content::Bytes { position, .. } => (1, position),
            Content::Room(room) => (2, room),
            Content::End => (3, 0),
        };
        let mut head = [kind; HEAD];
        head[1..9].copy_from_slice(&self.conversation.to_le_bytes());
        head[9..].copy_from_slice(&number.to_le_bytes());
        head
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_read_as_they_were_written(
            conversation: u64, number: u64, bytes in prop::collection::vec(any::<u8>(), 1..100), kind in 0..4,
        ) {
            let content = match kind {
                0 => Content::Begin,
                1 => Content::Bytes { position: number, bytes: &bytes },
                2 => Content::Room(number),
                _ => Content::End,
            };
            let piece = Piece { conversation, content };
            let mut payload = piece.head().to_vec();
            if kind == 1 {
                payload.extend_from_slice(&bytes);
            }
            prop_assert_eq!(Piece::read(&payload), Some(piece));
        }

        #[test]
        fn what_is_read_is_what_would_be_written(payload in prop::collection::vec(0_u8..5, 0..40)) {
            if let Some(piece) = Piece::read(&payload) {
                let bytes = if let Content::Bytes { bytes, .. } = piece.content { bytes } else { &[] };
                prop_assert_eq!([&piece.head(), bytes].concat(), payload);
            }
        }
    }

    #[test]
    fn pieces_that_are_too_short_or_too_long_are_garbage() {
        let piece = |length| [&[1; HEAD][..], &vec![0; length]].concat();
        assert_eq!([0, MOST_BYTES + 1].map(|length| Piece::read(&piece(length)).is_some()), [false; 2]);
        assert!(Piece::read(&piece(MOST_BYTES)).is_some());
        assert_eq!(Piece::read(&[0; HEAD - 1]), None);
        assert_eq!(Piece::read(&[9; HEAD]), None);
    }
}
