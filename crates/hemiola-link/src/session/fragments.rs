//! Messages that leave in fragments.

use std::time::{Duration, Instant};

use crate::ends::Cdr;
use crate::wire::{Fragment, PIECE};

/// A message that is being sent, one fragment after another.
#[derive(Debug)]
pub struct Fragments {
    /// The number of its topic or representation.
    pub topic: usize,
    sequence: u64,
    /// The frame of the message up to its CDR.
    head: Vec<u8>,
    cdr: Cdr,
    /// The number of the next fragment.
    next: u32,
}

/// The pace at which fragments leave, so that a long message does not overrun the buffer of a
/// receiver that takes a moment to wake up. A network that is slower holds them up by itself.
#[derive(Debug, Default)]
pub struct Pace {
    /// The time at which all that has left would have left at an even rate.
    even: Option<Instant>,
}

/// The bytes that leave in a second.
const RATE: u64 = 64 << 20;
/// The time by which fragments may be ahead of the even rate: some leave at once, and a sender that
/// wakes up late makes up for it.
const AHEAD: Duration = Duration::from_millis(2);

impl Fragments {
    /// Begins to send a message, of which `head` comes before the CDR.
    pub fn new(topic: usize, sequence: u64, head: Vec<u8>, cdr: Cdr) -> Self {
        Self { topic, sequence, head, cdr, next: 0 }
    }

    /// Appends the next fragment. Returns whether others follow.
    pub fn write_next(&mut self, frame: &mut Vec<u8>) -> bool {
        let length = self.head.len() + self.cdr.len();
        let begin = self.next as usize * PIECE;
        let end = (begin + PIECE).min(length);
        let (topic, index) = (self.topic as u32, self.next);
        // No message is longer than 64 MiB.
        Fragment { topic, sequence: self.sequence, length: length as u32, index, bytes: &[] }.write(frame);
        let head = self.head.len();
        frame.extend_from_slice(&self.head[begin.min(head)..end.min(head)]);
        frame.extend_from_slice(&self.cdr[begin.saturating_sub(head)..end.saturating_sub(head)]);
        self.next += 1;
        end < length
    }
}

impl Pace {
    /// Returns whether a fragment may leave now.
    pub fn is_due(&self, now: Instant) -> bool {
        self.due().is_none_or(|due| due <= now)
    }

    /// Returns when the next fragment may leave; `None`: at once.
    pub fn due(&self) -> Option<Instant> {
        self.even.and_then(|even| even.checked_sub(AHEAD))
    }

    /// Notes that so many bytes leave now.
    pub fn note(&mut self, now: Instant, bytes: usize) {
        let time = Duration::from_nanos(bytes as u64 * 1_000_000_000 / RATE);
        self.even = Some(self.even.map_or(now, |even| even.max(now)) + time);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::Frame;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_fragments_of_a_message_are_its_frame(head in 1..40_usize, cdr in 0..4 * PIECE) {
            let frame: Vec<u8> = (0..head + cdr).map(|byte| (byte % 251) as u8).collect();
            let mut fragments = Fragments::new(7, 9, frame[..head].to_vec(), frame[head..].to_vec().into());
            let mut whole = Vec::new();
            for number in 0.. {
                let mut bytes = Vec::new();
                let follow = fragments.write_next(&mut bytes);
                let Ok(Frame::Fragment(fragment)) = Frame::read(&bytes) else { panic!("it is a fragment") };
                prop_assert_eq!((fragment.topic, fragment.sequence, fragment.index), (7, 9, number));
                prop_assert_eq!(fragment.length as usize, frame.len());
                whole.extend_from_slice(fragment.bytes);
                if !follow {
                    break;
                }
            }
            prop_assert_eq!(whole, frame);
        }
    }

    #[test]
    fn some_leave_at_once_and_then_they_keep_the_rate() {
        let (mut pace, begin) = (Pace::default(), Instant::now());
        let mut leave = |milliseconds: u64| {
            let now = begin + Duration::from_millis(milliseconds);
            let mut count = 0;
            while pace.is_due(now) {
                pace.note(now, PIECE);
                count += 1;
            }
            count
        };
        // Each takes half a millisecond.
        assert_eq!([0, 1, 2, 10, 11, 1000, 1001].map(&mut leave), [5, 2, 2, 5, 2, 5, 2]);
    }
}
