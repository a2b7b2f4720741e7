//! The receiving end of a mailbox.
#![expect(unsafe_code, reason = "the receiver reads the lanes that are noted")]

use super::block::{Block, LaneIndex, Noted};
use super::{Mailbox, Sender};
use crate::exchange::Taken;
use crate::roster::RosterReader;
use crate::sync::{Arc, Ordering};
use hemiola_realtime::{MonotonicTime, Reason};

/// The receiving end of a mailbox, which visits the lanes in a fixed order.
pub(crate) struct Inbox<T: Send> {
    pub(super) mailbox: Arc<Mailbox<T>>,
    blocks: RosterReader<Block<T>>,
    next: Position,
}

/// The lane at which the next visit begins.
struct Position {
    block: usize,
    lane: LaneIndex,
}

/// The reason why a wait for messages, calls or events ended.
///
/// ```
/// use hemiola_bus::{Actor, Waited};
/// use std::time::Duration;
///
/// let (mut actor, mut handle) = Actor::new(0, 4);
/// assert_eq!(actor.wait(Duration::ZERO), Waited::TimedOut);
/// handle.send(|count| *count += 1).unwrap();
/// assert_eq!(actor.wait(Duration::ZERO), Waited::Ready);
/// actor.run(8);
/// drop(handle);
/// while actor.wait(Duration::from_secs(1)) == Waited::Ready {
///     actor.run(8);
/// }
/// assert_eq!(actor.wait(Duration::ZERO), Waited::Closed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waited {
    /// Something may be there to receive.
    Ready,
    /// The timeout expired, and nothing came.
    TimedOut,
    /// All senders are gone, and nothing that they sent is left.
    Closed,
}

impl<T: Send> Inbox<T> {
    pub(super) fn new(mailbox: Arc<Mailbox<T>>) -> Self {
        let mut blocks = mailbox.blocks.reader();
        blocks.refresh();
        Inbox { mailbox, blocks, next: Position { block: 0, lane: LaneIndex::FIRST } }
    }

    /// Creates another sender. Allocates.
    pub(crate) fn sender(&self) -> Sender<T> {
        Mailbox::join(&self.mailbox)
    }

    /// Returns how many values were refused because their sender's lane was full.
    pub(crate) fn refused(&self) -> u64 {
        self.mailbox.refused.load(Ordering::Relaxed)
    }

    /// Returns an object that ends the receiver's [`wait`](Self::wait) for good.
    pub(crate) fn stop(&self) -> impl Stop + use<T>
    where
        T: 'static,
    {
        Arc::clone(&self.mailbox)
    }

    /// Returns whether there may be something to receive.
    #[inline]
    pub(crate) fn is_noted(&mut self) -> bool {
        self.blocks.refresh();
        self.blocks.entries().iter().any(|block| !block.noted().is_empty())
    }

    /// Hands out values where they lie: lane after lane, until all lanes are empty or nothing is
    /// left of the budget. Begins with the lane after the one at which it ended last, so that a
    /// sender that always has something delays the others by one budget at most.
    ///
    /// If `receive` panics, the value counts as received, and the next call goes on behind it.
    #[inline]
    pub(crate) fn drain(&mut self, budget: &mut usize, mut receive: impl FnMut(Taken<'_, T>)) {
        self.blocks.refresh();
        if self.mailbox.signal.executor().is_some() {
            return self.drain_in_order(budget, receive);
        }
        let Self { blocks, next, .. } = self;
        while *budget > 0
            && let Some((block, noted, lane)) = first_noted(blocks.entries(), next)
        {
            while *budget > 0 {
                let counted = |value: Taken<'_, T>| {
                    *budget -= 1;
                    receive(value);
                };
                // SAFETY: the lane is noted, and this is the receiver.
                if unsafe { block.pop_with(lane, counted) }.is_none() {
                    block.strike_off(lane, noted);
                    break;
                }
            }
            next.lane = lane.following();
        }
    }

    #[inline(never)]
    fn drain_in_order(&mut self, budget: &mut usize, mut receive: impl FnMut(Taken<'_, T>)) {
        while *budget > 0
            && let Some((_, block, lane)) = oldest(self.blocks.entries())
        {
            let counted = |value: Taken<'_, T>| {
                *budget -= 1;
                receive(value);
            };
            // SAFETY: the lane is noted, and this is the receiver.
            _ = unsafe { block.pop_with(lane, counted) };
        }
    }

    /// Returns when the next value arrived at the executor that receives it, if one does.
    pub(crate) fn next_arrival(&mut self) -> Option<u64> {
        self.mailbox.signal.executor()?;
        self.blocks.refresh();
        oldest(self.blocks.entries()).map(|(arrival, ..)| arrival)
    }

    /// Passes the arrival of the next value to the receiver's executor, if there is one.
    #[inline]
    pub(crate) fn note_next_arrival(&mut self) {
        if let Some(arrival) = self.next_arrival()
            && let Some(ready) = self.mailbox.signal.executor()
        {
            ready.note_oldest(arrival);
        }
    }

    /// Sleeps until there may be something, until all senders are gone or the wait is stopped, or
    /// until `deadline`.
    pub(crate) fn wait(&mut self, deadline: Option<MonotonicTime>) -> Waited {
        loop {
            let seen = self.mailbox.wakeup.generation();
            // This comes first: whoever sees that no sender is left sees all that they sent.
            let senders = self.mailbox.senders.load(Ordering::Acquire);
            if self.mailbox.stopped.load(Ordering::Acquire) {
                return Waited::Closed;
            }
            if self.is_noted() {
                return Waited::Ready;
            }
            if senders == 0 {
                return Waited::Closed;
            }
            if self.mailbox.wakeup.wait(seen, deadline) == Reason::TimedOut {
                return Waited::TimedOut;
            }
        }
    }
}

/// Ends a receiver's waiting from outside.
pub(crate) trait Stop: Send + Sync {
    fn stop(&self);
}

impl<T: Send> Stop for Arc<Mailbox<T>> {
    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.wakeup.notify_all();
    }
}

impl<T: Send> Drop for Inbox<T> {
    fn drop(&mut self) {
        self.mailbox.close();
    }
}

/// Returns when the oldest value arrived, and its lane. The notes of empty lanes are removed.
fn oldest<T>(blocks: &[Arc<Block<T>>]) -> Option<(u64, &Block<T>, LaneIndex)> {
    let mut oldest: Option<(u64, &Block<T>, LaneIndex)> = None;
    for block in blocks {
        let noted = block.noted();
        let mut next = LaneIndex::FIRST;
        while let Some(lane) = noted.first_from(next) {
            next = lane.following();
            // SAFETY: the lane is noted, and only the receiver comes here.
            match unsafe { block.next_arrival(lane) } {
                Some(arrival) if oldest.is_none_or(|(first, ..)| arrival < first) => {
                    oldest = Some((arrival, block, lane));
                }
                Some(_) => {}
                None => block.strike_off(lane, noted),
            }
        }
    }
    oldest
}

/// Returns the first lane that needs a visit, from `next` on and around; `next` moves to its block.
#[inline]
fn first_noted<'a, T>(blocks: &'a [Arc<Block<T>>], next: &mut Position) -> Option<(&'a Block<T>, Noted, LaneIndex)> {
    // One block is visited twice: the lanes before the first come last.
    for _ in 0..=blocks.len() {
        let block = &blocks[next.block];
        let noted = block.noted();
        if let Some(lane) = noted.first_from(next.lane) {
            return Some((block, noted, lane));
        }
        let following = next.block + 1;
        *next = Position { block: if following < blocks.len() { following } else { 0 }, lane: LaneIndex::FIRST };
    }
    None
}
