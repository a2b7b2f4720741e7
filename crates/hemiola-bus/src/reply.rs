//! One answer on its way back: from the thread that works on it to the one that asked, which
//! sleeps, awaits, or has given up.
//!
//! # Protocol
//! A reply has two ends, [`Asker`] and [`Answerer`], and one word of bits that are only ever set,
//! except for WAKER.
//!
//! | who | step | effect |
//! |---|---|---|
//! | answerer | B1 | writes the answer; nobody else accesses it yet |
//! | | B2 | sets ANSWERED, and sees in the same instruction WAKER and ASKER_LEFT |
//! | | B3 | WAKER: takes the waker and uses it; else signals the wake-up. ASKER_LEFT: drops the answer, which is its own again |
//! | | B4 | sets ANSWERER_LEFT: its last step |
//! | asker | Q1 | sees ANSWERED: the answer is its own |
//! | | Q2 | to be woken: clears WAKER, which makes the waker its own unless ANSWERED was set; writes it; sets WAKER |
//! | | Q3 | leaves: drops the answer if ANSWERED, else sets ASKER_LEFT by compare and exchange so that ANSWERED cannot come between |
//! | pool | P | sees both LEFT: nobody else knows the reply; clears the word and opens it again |
//!
//! The answer belongs to the answerer until B2, then to the asker, unless ASKER_LEFT came first.
//! The waker belongs to the asker while WAKER is clear, and to nobody while it is set, until B2
//! finds it set: then to the answerer. All steps acquire and release.
//!
//! Dropping an answer and using a waker run foreign code: its panics end there, so that every step
//! is completed.
#![expect(unsafe_code, reason = "an answer and a waker are shared between threads as the protocol above says")]

use crate::error::AnswerError;
use crate::panics::{call_contained, drop_contained};
use crate::sync::{Arc, AtomicU32, CellAccess, Ordering, UnsafeCell};
use hemiola_realtime::{MonotonicTime, Reason, Wakeup};
use std::task::{Poll, Waker};

const ANSWERED: u32 = 1;
const WAKER: u32 = 2;
const ASKER_LEFT: u32 = 4;
const ANSWERER_LEFT: u32 = 8;

struct Reply<V> {
    word: AtomicU32,
    answer: UnsafeCell<Option<Result<V, AnswerError>>>,
    waker: UnsafeCell<Option<Waker>>,
    wakeup: Wakeup,
}

// SAFETY: answer and waker are touched by their one owner (see the protocol), so only sending V
// between threads is needed.
unsafe impl<V: Send> Sync for Reply<V> {}
// SAFETY: as above.
unsafe impl<V: Send> Send for Reply<V> {}

/// A pool of replies that are used again and again: about as many as were ever open at once.
pub(crate) struct Replies<V> {
    replies: Vec<Arc<Reply<V>>>,
    next: usize,
}

/// The end at which the answer arrives.
pub(crate) struct Asker<V>(Arc<Reply<V>>);

/// The end at which the answer is given. If it is dropped without one, the asker gets an error.
pub(crate) struct Answerer<V>(Option<Arc<Reply<V>>>);

impl<V> Replies<V> {
    pub(crate) fn new() -> Self {
        Replies { replies: Vec::new(), next: 0 }
    }

    /// Creates a pool of that many replies.
    pub(crate) fn prepared(count: usize) -> Self {
        Replies { replies: (0..count).map(|_| Arc::new(Reply::new())).collect(), next: 0 }
    }

    /// Opens a reply and returns both its ends. Allocates only if all are open.
    pub(crate) fn open(&mut self) -> (Asker<V>, Answerer<V>) {
        let index = self.free().unwrap_or_else(|| {
            // Two are added: the answerer may not have left the first one when the asker opens the
            // next.
            self.replies.extend([Arc::new(Reply::new()), Arc::new(Reply::new())]);
            self.replies.len() - 2
        });
        self.open_at(index)
    }

    /// Opens a reply and returns both its ends, unless all are open.
    pub(crate) fn open_prepared(&mut self) -> Option<(Asker<V>, Answerer<V>)> {
        let index = self.free()?;
        Some(self.open_at(index))
    }

    /// Returns how many replies are free, up to `most`.
    pub(crate) fn free_up_to(&self, most: usize) -> usize {
        let (before, from_next) = self.replies.split_at(self.next);
        from_next.iter().chain(before).filter(|reply| reply.is_free()).take(most).count()
    }

    fn free(&self) -> Option<usize> {
        let (before, from_next) = self.replies.split_at(self.next);
        let offset = from_next.iter().chain(before).position(|reply| reply.is_free())?;
        Some((self.next + offset) % self.replies.len())
    }

    /// Opens a reply that both ends have left (step P).
    fn open_at(&mut self, index: usize) -> (Asker<V>, Answerer<V>) {
        self.next = (index + 1) % self.replies.len();
        let reply = &self.replies[index];
        // Relaxed: the ends are handed over by something that synchronises.
        reply.word.store(0, Ordering::Relaxed);
        (Asker(reply.clone()), Answerer(Some(reply.clone())))
    }
}

impl<V> Reply<V> {
    fn new() -> Self {
        Reply {
            word: AtomicU32::new(ASKER_LEFT | ANSWERER_LEFT),
            answer: UnsafeCell::new(None),
            waker: UnsafeCell::new(None),
            wakeup: Wakeup::new(),
        }
    }

    fn is_free(&self) -> bool {
        const FREE: u32 = ASKER_LEFT | ANSWERER_LEFT;
        self.word.load(Ordering::Acquire) & FREE == FREE
    }

    /// # Safety
    /// The answer is the caller's.
    unsafe fn take_answer(&self) -> Option<Result<V, AnswerError>> {
        // SAFETY: as the caller says.
        self.answer.change(|answer| unsafe { (*answer).take() })
    }

    /// # Safety
    /// The waker is the caller's.
    unsafe fn replace_waker(&self, waker: Option<Waker>) -> Option<Waker> {
        // SAFETY: as the caller says.
        self.waker.change(|place| unsafe { std::mem::replace(&mut *place, waker) })
    }

    /// Gives the answer (steps B1 to B4).
    fn answer(&self, answer: Result<V, AnswerError>) {
        // SAFETY: it is the answerer's until it is given.
        self.answer.change(|place| unsafe { *place = Some(answer) });
        let before = self.word.fetch_or(ANSWERED, Ordering::AcqRel);
        if before & ASKER_LEFT != 0 {
            // SAFETY: nobody will ask for it any more.
            drop_contained(unsafe { self.take_answer() });
        } else if before & WAKER == 0 {
            self.wakeup.notify_one();
        }
        if before & WAKER != 0 {
            // SAFETY: WAKER was set when the answer was given.
            if let Some(waker) = unsafe { self.replace_waker(None) } {
                call_contained(|| waker.wake());
            }
        }
        self.word.fetch_or(ANSWERER_LEFT, Ordering::AcqRel);
    }
}

impl<V> Answerer<V> {
    /// Returns whether somebody still waits for the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|reply| reply.word.load(Ordering::Acquire) & ASKER_LEFT == 0)
    }

    pub(crate) fn answer(self, value: V) {
        self.give(Ok(value));
    }

    /// Gives the asker the reason why there is no answer.
    pub(crate) fn refuse(self, error: AnswerError) {
        self.give(Err(error));
    }

    fn give(mut self, answer: Result<V, AnswerError>) {
        if let Some(reply) = self.0.take() {
            reply.answer(answer);
        }
    }
}

impl<V> Drop for Answerer<V> {
    fn drop(&mut self) {
        if let Some(reply) = self.0.take() {
            reply.answer(Err(if std::thread::panicking() { AnswerError::Panicked } else { AnswerError::Ended }));
        }
    }
}

impl<V> Asker<V> {
    /// Sleeps until the answer is there, or until `deadline`. Must be called once only.
    pub(crate) fn wait(&mut self, deadline: Option<MonotonicTime>) -> Result<V, AnswerError> {
        loop {
            let seen = self.0.wakeup.generation();
            if let Some(answer) = self.take() {
                return answer;
            }
            if self.0.wakeup.wait(seen, deadline) == Reason::TimedOut {
                return self.take().unwrap_or(Err(AnswerError::TimedOut));
            }
        }
    }

    /// Returns the answer, if it is there; otherwise `waker` will be used when it is.
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Result<V, AnswerError>> {
        if let Some(answer) = self.take() {
            return Poll::Ready(answer);
        }
        // This is step Q2.
        if self.0.word.fetch_and(!WAKER, Ordering::AcqRel) & ANSWERED == 0 {
            // SAFETY: WAKER was cleared before there was an answer.
            drop(unsafe { self.0.replace_waker(Some(waker.clone())) });
            if self.0.word.fetch_or(WAKER, Ordering::AcqRel) & ANSWERED == 0 {
                return Poll::Pending;
            }
            // SAFETY: WAKER was clear when the answer was given.
            drop(unsafe { self.0.replace_waker(None) });
        }
        Poll::Ready(self.take().unwrap_or(Err(AnswerError::Ended)))
    }

    /// Takes the answer, if it is there (step Q1).
    pub(crate) fn take(&mut self) -> Option<Result<V, AnswerError>> {
        if self.0.word.load(Ordering::Acquire) & ANSWERED == 0 {
            return None;
        }
        // SAFETY: it was given, and the asker is here. A future that is polled again after it was
        // ready finds none.
        Some(unsafe { self.0.take_answer() }.unwrap_or(Err(AnswerError::Ended)))
    }
}

impl<V> Drop for Asker<V> {
    fn drop(&mut self) {
        // This is step Q3.
        let leave = |word| (word & ANSWERED == 0).then_some(word | ASKER_LEFT);
        if self.0.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, leave).is_err() {
            // SAFETY: it was given, and the asker is here.
            drop_contained(unsafe { self.0.take_answer() });
            self.0.word.fetch_or(ASKER_LEFT, Ordering::AcqRel);
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::sync::AtomicUsize;
    use crate::sync::model;
    use loom::thread;

    /// Whoever sleeps for an answer gets it, or learns that there is none.
    #[test]
    fn loom_reply_wakes_who_waits() {
        for answered in [true, false] {
            model(3, move || {
                let (mut asker, answerer) = Replies::new().open();
                let thread = thread::spawn(move || {
                    if answered {
                        answerer.answer(7)
                    }
                });
                assert_eq!(asker.wait(None), if answered { Ok(7) } else { Err(AnswerError::Ended) });
                thread.join().unwrap();
            });
        }
    }

    /// An asker gives up, an answer comes late, and the reply is opened again: the answer is
    /// dropped once, and never seen by the next asker.
    #[test]
    fn loom_reply_is_free_when_both_left() {
        model(3, || {
            let token = Arc::new(());
            let late = token.clone();
            let mut replies = Replies::new();
            let (asker, answerer) = replies.open();
            let thread = thread::spawn(move || answerer.answer(late));
            drop(asker);
            for _ in 0..2 {
                let (mut asker, answerer) = replies.open();
                assert!(asker.take().is_none());
                drop(answerer);
                assert!(asker.take().is_some_and(|answer| answer.is_err()));
            }
            thread.join().unwrap();
            drop(replies);
            assert_eq!(Arc::strong_count(&token), 1);
        });
    }

    struct Counter(AtomicUsize);

    impl std::task::Wake for Counter {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A future sees its answer, or its last waker was used.
    #[test]
    fn loom_reply_uses_the_last_waker() {
        model(3, || {
            let (mut asker, answerer) = Replies::new().open();
            let thread = thread::spawn(move || answerer.answer(7));
            let wakes = [(); 2].map(|()| std::sync::Arc::new(Counter(AtomicUsize::new(0))));
            let mut answer = Poll::Pending;
            for counter in &wakes {
                if answer.is_pending() {
                    answer = asker.poll(&counter.clone().into());
                }
            }
            thread.join().unwrap();
            if answer.is_pending() {
                assert_eq!(wakes[1].0.load(Ordering::Relaxed), 1);
                answer = asker.poll(Waker::noop());
            }
            assert_eq!(answer, Poll::Ready(Ok(7)));
            drop(asker);
            assert!(wakes.iter().all(|counter| std::sync::Arc::strong_count(counter) == 1), "no waker is kept");
        });
    }
}
