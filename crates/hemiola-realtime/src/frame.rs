//! The state of a block's frame: whether it may be written, and whether it can be read.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | the first one | claims the frame | none: it reads nothing that others have written |
//! | the same | writes it, and says how long it is | release |
//! | others | find it complete, and read it | acquire |
//!
//! Whoever finds that somebody is writing it goes without. Nobody waits.

use crate::sync::{AtomicU32, Ordering};

/// The state of a frame, which begins without one.
pub(crate) struct FrameState(AtomicU32);

/// The answer of [`FrameState::claim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// There is no frame: the caller alone may write it, and then [completes](FrameState::complete)
    /// it.
    Granted,
    /// The frame is complete, with the lengths of its two parts. Nobody writes it any more.
    Complete(u16, u16),
    /// Somebody is writing it.
    Refused,
}

const NONE: u32 = 0;
const WRITING: u32 = 1;
/// The state of a complete frame of no bytes; its lengths are added.
const COMPLETE: u32 = 2;
/// The factor of the first of the lengths.
const FIRST: u32 = 1 << 12;

impl FrameState {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(NONE))
    }

    pub(crate) fn claim(&self) -> Claim {
        match self.0.compare_exchange(NONE, WRITING, Ordering::Relaxed, Ordering::Acquire) {
            Ok(_) => Claim::Granted,
            Err(WRITING) => Claim::Refused,
            Err(state) => Claim::Complete(((state - COMPLETE) / FIRST) as u16, ((state - COMPLETE) % FIRST) as u16),
        }
    }

    /// Completes the frame that the caller was granted. The lengths are at most 2048 each.
    pub(crate) fn complete(&self, first: u16, second: u16) {
        debug_assert!(first.max(second) <= 2048, "{first} and {second} bytes");
        self.0.store(COMPLETE + FIRST * u32::from(first) + u32::from(second), Ordering::Release);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    use super::*;

    /// Three threads frame the same bytes at once: one writes, and whoever finds the frame complete
    /// reads what was written.
    #[test]
    fn one_writes_the_frame_and_others_read_it_when_it_is_complete() {
        loom::model(|| {
            let shared = Arc::new((UnsafeCell::new(()), FrameState::new()));
            let framing = |number: u16| {
                let shared = shared.clone();
                move || {
                    let (frame, state) = &*shared;
                    match state.claim() {
                        // Accesses, which loom reports if another one races with them.
                        Claim::Granted => {
                            frame.with_mut(|_| ());
                            state.complete(number, 2048);
                            1
                        }
                        Claim::Complete(first, second) => {
                            frame.with(|_| ());
                            assert!([1, 2, 2048].contains(&first) && second == 2048);
                            0
                        }
                        Claim::Refused => 0,
                    }
                }
            };
            let others = [1, 2].map(|number| loom::thread::spawn(framing(number)));
            let own = framing(2048)();
            let written = others.map(|other| other.join().unwrap()).iter().sum::<u16>() + own;
            assert_eq!(written, 1);
        });
    }
}
