//! What comes in over Zenoh for a link is a piece of a conversation or garbage: what is read is
//! written as the same bytes, and what is written is read as the same, whatever its numbers are.
#![no_main]

// The crate `hemiola-zenoh` shows nobody its pieces.
#[path = "../../crates/hemiola-zenoh/src/piece.rs"]
mod piece;

use libfuzzer_sys::fuzz_target;
use piece::{Content, FIRST_ROOM, HEAD, MOST_BYTES, Piece};

fuzz_target!(|input: &[u8]| {
    if let Some(read) = Piece::read(input) {
        assert_eq!(written(&read), input);
        let length = input.len() - HEAD;
        match read.content {
            Content::Bytes { bytes, .. } => assert!((1..=MOST_BYTES).contains(&length) && bytes == &input[HEAD..]),
            _ => assert_eq!(length, 0),
        }
    }
    // The first bytes choose a piece, which comes whole, and then with each of its last bytes
    // missing, or with more of them than it may have.
    let Some((head, bytes)) = input.split_at_checked(HEAD) else { return };
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
    let (conversation, number) = (number(1), number(9));
    let content = match head[0] % 4 {
        0 => Content::Begin,
        1 => Content::Bytes { position: number, bytes },
        2 => Content::Room(number % (2 * FIRST_ROOM)),
        _ => Content::End,
    };
    let piece = Piece { conversation, content };
    let payload = written(&piece);
    let is_whole = |content: &Content<'_>| !matches!(content, Content::Bytes { bytes, .. } if !(1..=MOST_BYTES).contains(&bytes.len()));
    assert_eq!(Piece::read(&payload), is_whole(&content).then_some(piece));
    assert_eq!(Piece::read(&payload[..HEAD - 1]), None);
    if !matches!(content, Content::Bytes { .. }) {
        assert_eq!(Piece::read(&[&payload[..], &[0]].concat()), None);
    }
});

fn written(piece: &Piece<'_>) -> Vec<u8> {
    let bytes = if let Content::Bytes { bytes, .. } = piece.content { bytes } else { &[] };
    [&piece.head(), bytes].concat()
}
