//! What comes in over a link, in pieces of any length, is frames or an error: those that are read
//! are written as the same bytes, how the stream was cut makes no difference, and no claim of a
//! length takes memory. Fragments that come in any order, twice or never make up the message, or
//! nothing.
#![no_main]

use std::sync::LazyLock;

use hemiola_link::wire::{
    Assembly, Fragment, Frame, Incoming, NoAnswer, PIECE, Request, Response, VERSION, VERSION_WITH_ACKNOWLEDGEMENTS,
    split,
};
use libfuzzer_sys::fuzz_target;

/// Messages of one piece, of two, and of four.
static MESSAGES: LazyLock<[Vec<u8>; 4]> = LazyLock::new(|| {
    [1, PIECE, PIECE + 1, 4 * PIECE - 7].map(|length| (0..length).map(|place| (place % 251) as u8).collect())
});

fuzz_target!(|input: &[u8]| {
    let Some((cut, stream)) = input.split_first() else { return };
    // A datagram is a frame by itself.
    if let Ok(frame) = Frame::read(stream) {
        comes_back(&frame, stream);
        is_answered(&frame);
    }
    let whole = heard(stream, stream.len().max(1), false);
    assert_eq!(heard(stream, usize::from(*cut).max(1), false), whole);
    assert_eq!(heard(stream, usize::from(*cut).max(1), true), whole);
    assert_eq!(split_off(stream), whole);
    make_up_messages(stream);
    make_up_anything(&whole.0);
});

/// Each byte is a fragment that arrives: of which message, and which piece of it.
fn make_up_messages(arrivals: &[u8]) {
    let mut assembly = Assembly::default();
    for arrival in arrivals {
        let number = usize::from(arrival & 3);
        let message = &MESSAGES[number];
        let index = usize::from(arrival >> 2) % message.len().div_ceil(PIECE);
        let bytes = message.chunks(PIECE).nth(index).unwrap_or_default();
        let (topic, sequence, length) = (number as u32 & 1, number as u64, message.len() as u32);
        let whole = assembly.add(&Fragment { topic, sequence, length, index: index as u32, bytes });
        assert!(whole.is_none_or(|whole| whole == *message));
    }
}

/// Fragments that somebody has made up are as long as they say when they are together.
fn make_up_anything(frames: &[Vec<u8>]) {
    let mut assembly = Assembly::default();
    for frame in frames {
        if let Ok(Frame::Fragment(fragment)) = Frame::read(frame) {
            let whole = assembly.add(&fragment);
            assert!(whole.is_none_or(|whole| whole.len() == fragment.length as usize));
            assembly.forget(fragment.topic ^ 1, fragment.sequence);
        }
    }
}

/// The frames at the beginning of a stream that has come as a whole, and whether it ends with an
/// error.
fn split_off(mut stream: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let mut frames = Vec::new();
    loop {
        match split(stream) {
            Ok(Some((frame, length))) => {
                let mut bytes = Vec::new();
                frame.write(&mut bytes);
                frames.push(bytes);
                stream = &stream[length..];
            }
            Ok(None) => return (frames, false),
            Err(_) => return (frames, true),
        }
    }
}

/// The frames in a stream that comes in pieces, as bytes, and whether it ends with an error. Pieces
/// are copied, or read to where they stay.
fn heard(stream: &[u8], piece: usize, is_in_place: bool) -> (Vec<Vec<u8>>, bool) {
    let (mut incoming, mut frames, mut rest) = (Incoming::default(), Vec::new(), stream);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece.min(rest.len()));
        match is_in_place {
            true => incoming.fill(|bytes| bytes.extend_from_slice(piece)),
            false => incoming.push(piece),
        }
        loop {
            match incoming.next() {
                Ok(Some(frame)) => {
                    let mut bytes = Vec::new();
                    frame.write(&mut bytes);
                    frames.push(bytes);
                }
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return (frames, true);
                }
            }
        }
        rest = after;
    }
    (frames, false)
}

/// Whoever reads a request can answer and refuse it: the number of the call comes back as it was.
fn is_answered(frame: &Frame<'_>) {
    let Frame::Request(Request { call, cdr, .. }) = *frame else { return };
    for answer in [Frame::Response(Response { call, cdr }), Frame::Refusal { call, why: NoAnswer::Refused, reason: "" }]
    {
        let mut written = Vec::new();
        answer.write(&mut written);
        assert_eq!(Frame::read(&written), Ok(answer));
    }
}

fn comes_back(frame: &Frame<'_>, bytes: &[u8]) {
    // Of another version's hello only the version is known.
    let is_known = |version: &u32| (VERSION..=VERSION_WITH_ACKNOWLEDGEMENTS).contains(version);
    if !matches!(frame, Frame::Hello { version, .. } if !is_known(version)) {
        let mut written = Vec::new();
        frame.write(&mut written);
        assert_eq!(written, bytes);
    }
}
