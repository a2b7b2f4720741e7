//! What comes in over a link, in pieces of any length, is frames or an error: those that are read
//! are written as the same bytes, how the stream was cut makes no difference, and no claim of a
//! length takes memory.
#![no_main]

use hemiola_link::wire::{Frame, Incoming, NoAnswer, Request, Response, VERSION, split};
use libfuzzer_sys::fuzz_target;

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
});

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
    if !matches!(frame, Frame::Hello { version, .. } if *version != VERSION) {
        let mut written = Vec::new();
        frame.write(&mut written);
        assert_eq!(written, bytes);
    }
}
