//! The bytes that are being written to a connection.

use crate::ends::Cdr;
use crate::wire;

/// The frames that are written to a connection next, in their form on the stream.
///
/// Small frames are copied into one buffer, so that one system call writes all that are waiting. A
/// large one is written from where it is.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    /// The bytes that are written after those in `bytes`.
    large: Option<Cdr>,
    /// The number of bytes of both that have been written.
    written: usize,
}

/// The number of bytes beyond which no more frames are added, because newer messages cannot replace
/// them any more.
const ENOUGH: usize = 16 << 10;
/// The most memory that is kept for frames.
const MOST_KEPT: usize = 4 * ENOUGH;
/// The largest message that is copied.
const SMALL: usize = 4 << 10;

impl Outbox {
    /// Returns whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.large.is_none()
    }

    /// Adds frames until there are enough, or no more. `next` appends the next frame up to its CDR,
    /// and returns the CDR.
    pub fn fill(&mut self, mut next: impl FnMut(&mut Vec<u8>) -> Option<Cdr>) {
        while self.large.is_none() && self.bytes.len() < ENOUGH {
            let begin = self.bytes.len();
            self.bytes.extend_from_slice(&[0; wire::LENGTH]);
            let Some(cdr) = next(&mut self.bytes) else {
                self.bytes.truncate(begin);
                return;
            };
            let head = begin + wire::LENGTH;
            let length = self.bytes.len() - head + cdr.len();
            self.bytes[begin..head].copy_from_slice(&wire::length_of(length));
            if cdr.len() <= SMALL {
                self.bytes.extend_from_slice(&cdr);
            } else {
                self.large = Some(cdr);
            }
        }
    }

    /// Adds a frame of a message that `append` appends, and returns what that returns: the length
    /// of its CDR. `Some(None)` if there is a message, but it makes no frame. Nothing may be added
    /// behind a large frame.
    pub fn add(&mut self, append: impl FnOnce(&mut Vec<u8>) -> Option<Option<usize>>) -> Option<Option<usize>> {
        debug_assert!(self.large.is_none(), "a large frame is the last one");
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(&[0; wire::LENGTH]);
        let appended = append(&mut self.bytes);
        let head = begin + wire::LENGTH;
        let length = self.bytes.len() - head;
        let cdr = appended.flatten().filter(|_| wire::fits_a_frame(length));
        match cdr {
            Some(_) => self.bytes[begin..head].copy_from_slice(&wire::length_of(length)),
            None => self.bytes.truncate(begin),
        }
        appended.map(|_| cdr)
    }

    /// Returns the bytes to write, in two parts.
    pub fn parts(&self) -> [&[u8]; 2] {
        let large = self.large.as_ref().map_or(&[][..], |large| large);
        [
            self.bytes.get(self.written..).unwrap_or_default(),
            large.get(self.written.saturating_sub(self.bytes.len())..).unwrap_or_default(),
        ]
    }

    /// Notes that this number of bytes has been written.
    pub fn advance(&mut self, written: usize) {
        self.written += written;
        if self.written >= self.bytes.len() + self.large.as_ref().map_or(0, |large| large.len()) {
            self.bytes.clear();
            self.bytes.shrink_to(MOST_KEPT);
            (self.large, self.written) = (None, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::{Frame, Message, split};

    proptest! {
        #[test]
        fn however_much_is_written_at_once_the_same_frames_come_out(
            lengths in prop::collection::vec(prop_oneof![0..100_usize, SMALL - 2..SMALL + 2, 0..100_000_usize], 0..30),
            pieces in prop::collection::vec(1..50_000_usize, 1..20),
        ) {
            let sent: Vec<Vec<u8>> = lengths.iter().map(|&length| (0..length).map(|byte| byte as u8).collect()).collect();
            let (mut outbox, mut stream, mut pieces) = (Outbox::default(), Vec::new(), pieces.iter().cycle());
            let mut waiting = sent.iter().zip(1..);
            loop {
                outbox.fill(|frame| {
                    let (cdr, sequence) = waiting.next()?;
                    Message { topic: 7, sequence, time: 0, stamp: None, cdr: &[] }.write_head(frame);
                    Some(Cdr::from(cdr.clone()))
                });
                if outbox.is_empty() {
                    break;
                }
                let mut left: Vec<u8> = outbox.parts().concat();
                left.truncate(*pieces.next().unwrap());
                outbox.advance(left.len());
                stream.extend(left);
            }
            let mut rest = &stream[..];
            for (cdr, number) in sent.iter().zip(1..) {
                let (frame, length) = split(rest).unwrap().unwrap();
                prop_assert_eq!(frame, Frame::Message(Message { topic: 7, sequence: number, time: 0, stamp: None, cdr }));
                rest = &rest[length..];
            }
            prop_assert!(rest.is_empty());
        }
    }

    #[test]
    fn what_makes_no_frame_leaves_nothing_behind() {
        let mut outbox = Outbox::default();
        let mut add = |length: usize, cdr| {
            outbox.add(|frame| {
                frame.resize(frame.len() + length, 7);
                cdr
            })
        };
        assert_eq!(add(10, Some(Some(3))), Some(Some(3)));
        assert_eq!((add(20, None), add(30, Some(None))), (None, Some(None)));
        assert_eq!(add(wire::LONGEST_FRAME + 1, Some(Some(4))), Some(None));
        assert_eq!(add(5, Some(Some(0))), Some(Some(0)));
        assert_eq!(outbox.parts()[0].len(), 2 * wire::LENGTH + 10 + 5);
        outbox.advance(2 * wire::LENGTH + 10 + 5);
        assert!(outbox.is_empty() && outbox.bytes.capacity() <= MOST_KEPT);
    }

    #[test]
    fn small_frames_are_written_together_and_a_large_one_is_not_copied() {
        let (mut outbox, large) = (Outbox::default(), Cdr::from(vec![1; SMALL + 1]));
        let mut waiting = [Cdr::from(vec![2; 10]), Cdr::from(vec![3; 10]), large.clone(), Cdr::default()].into_iter();
        outbox.fill(|frame| {
            frame.push(9);
            waiting.next()
        });
        let [together, alone] = outbox.parts();
        assert_eq!((together.len(), alone.as_ptr()), (3 * 5 + 2 * 10, large.as_ptr()));
        assert_eq!(waiting.len(), 1, "what comes behind it waits");
    }
}
