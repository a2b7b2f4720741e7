//! A queue from many senders to one receiver: each sender has a lane, in blocks of 31 with one word
//! that shows which lanes need a visit.
//!
//! # Protocol
//! A lane is a [`queue`] whose writing end belongs to the sender. Its reading end lies in the
//! block, and belongs to the receiver from the first time that it sees the lane's bit in the
//! block's word until the lane is free again, otherwise to whoever holds `receiver`.
//!
//! | who | step | effect |
//! |---|---|---|
//! | joining | J | with `receiver` locked: takes a free lane, puts a new reading end there |
//! | sender | S1 | pushes into its lane |
//! | | S2 | sets the lane's READY bit; if it was clear, checks whether the receiver is GONE (then clears it), and signals |
//! | | S3 | leaves: sets READY and LEAVING in one step, its last |
//! | receiver | R1 | swaps the word for zero and notes the bits in `pending`, which only it uses |
//! | | R2 | visits noted lanes; one that it finds empty is struck off, and if it was LEAVING, it is free |
//! | | R3 | leaves: notes that under `receiver`, empties all noted lanes, and exchanges zero for GONE; if the word is not zero: again |
//!
//! *Nothing is lost.* A lane that is not empty is noted in the word or in `pending`, or its sender
//! is between S1 and S2.
//!
//! *Nothing is sent to nobody.* The changes of a word have an order. S2 before R3's exchange: the
//! exchange fails, and the receiver sees what was sent. S2 after it: the sender sees GONE, and that
//! the lane's reading end is left to it: it takes back what it has sent, which is everything in
//! there.
//!
//! *No lane has two owners.* S3 is the last step of a sender. As its bits come together, a receiver
//! that sees LEAVING has seen all that this sender ever set.
//!
//! S2 and S3 release and R1 acquires (they all are read-modify-writes, so a later one hides no
//! earlier one): the receiver sees the reading end and what is in the lane. R2 releases a free
//! lane, J acquires it. R3 releases, S2 acquires.
//!
//! Where an executor is the receiver, senders number what they send, across all lanes and all else
//! that the executor handles ([`ready`](crate::ready)): the lane with the lowest number is visited,
//! for one value.
//!
//! A sender that is preempted while it sends delays nobody, and one that sends nothing costs
//! nothing: the receiver reads one word per 31.

mod block;
mod inbox;
mod sender;

pub use inbox::Waited;
pub(crate) use inbox::{Inbox, Stop};
pub(crate) use sender::Sender;

use crate::circle::Circle;
use crate::exchange::queue;
use crate::roster::Roster;
use crate::signal::Signal;
use crate::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering};
use block::{Block, Reading};
use hemiola_realtime::Wakeup;
use std::sync::PoisonError;

/// The state that all senders and the receiver share.
pub(crate) struct Mailbox<T> {
    blocks: Roster<Block<T>>,
    wakeup: Wakeup,
    signal: Signal,
    senders: AtomicUsize,
    stopped: AtomicBool,
    refused: AtomicU64,
    capacity: usize,
    receiver: Mutex<Receiver>,
}

/// The arrivals of a lane's values at the receiver's executor, by the numbers of the values.
type Arrivals = Arc<Circle<AtomicU64>>;

#[derive(Clone, Copy, PartialEq)]
enum Receiver {
    Present,
    Gone,
}

/// Creates a mailbox and returns its receiving end, which sleeps on it or is notified by `signal`.
/// Of each sender, `capacity` values may wait.
pub(crate) fn mailbox<T: Send>(capacity: usize, signal: Signal) -> Inbox<T> {
    assert!(capacity > 0, "a lane has room for at least one value");
    let blocks = Roster::new();
    blocks.change(|blocks| blocks.push(Arc::new(Block::new(Receiver::Present))));
    Inbox::new(Arc::new(Mailbox {
        blocks,
        wakeup: Wakeup::new(),
        signal,
        senders: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        refused: AtomicU64::new(0),
        capacity,
        receiver: Mutex::new(Receiver::Present),
    }))
}

impl<T: Send> Mailbox<T> {
    /// Adds a sender (step J).
    fn join(mailbox: &Arc<Self>) -> Sender<T> {
        let (writer, reader) = queue(mailbox.capacity);
        // The ring has one place more than values may wait, for a value may be numbered and then
        // refused.
        let arrivals =
            mailbox.signal.executor().map(|_| Arc::new(Circle::new(mailbox.capacity + 1, AtomicU64::default)));
        let mut reading = Some(Reading { reader, arrivals: arrivals.clone() });
        let mut receiver = mailbox.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = |block: &Arc<Block<T>>| Some((block.clone(), block.open(&mut reading, &mut receiver)?));
        let opened = mailbox.blocks.look(|blocks| blocks.iter().find_map(&mut open));
        let (block, lane) = opened.unwrap_or_else(|| {
            let block = Arc::new(Block::new(*receiver));
            mailbox.blocks.change(|blocks| blocks.push(block.clone()));
            let lane = block.open(&mut reading, &mut receiver);
            (block, lane.expect("all lanes of a new block are free, and the lock is held"))
        });
        // Relaxed: whoever sees what a sender has sent has seen it join.
        mailbox.senders.fetch_add(1, Ordering::Relaxed);
        drop(receiver);
        Sender::new(mailbox.clone(), block, lane, writer, arrivals)
    }

    /// Notifies the receiver that there is something.
    fn signal(&self) {
        self.wakeup.notify_one();
        self.signal.tell();
    }

    /// Removes the receiver (step R3).
    fn close(&self) {
        *self.receiver.lock().unwrap_or_else(PoisonError::into_inner) = Receiver::Gone;
        // Blocks that are added from here on are closed from the start. No lock is held while what
        // was sent is dropped.
        let blocks = self.blocks.look(<[_]>::to_vec);
        blocks.iter().for_each(|block| block.close());
    }
}

#[cfg(test)]
mod tests;
