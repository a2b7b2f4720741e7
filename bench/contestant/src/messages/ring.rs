//! A queue of 1024 from one thread to another, or from four to one; numbers, or messages of 1 kB.
//!
//! The senders share a core, the receiver has another one, if there are two. The receiver checks
//! that everything of a sender comes, once, in its order. The time is from the first sender's begin
//! until the receiver has everything, per message.

use std::sync::Barrier;

use super::assignment::print;
use super::{Assignment, Patience, Payload};
use crate::{monotonic_ns, system};

/// The capacity of the queue.
pub const CAPACITY: usize = 1024;

/// A sending end.
pub trait Sender<T>: Send {
    /// Sends a message; waits while there is no room. `fill` is to be called as close to the place
    /// where the message will lie as the contestant allows.
    fn send(&mut self, fill: impl FnOnce(&mut T));
}

/// The receiving end.
pub trait Receiver<T>: Send {
    /// Hands on at least one message if there is any, and may hand on more, or wait; returns how
    /// many.
    fn receive(&mut self, take: impl FnMut(&T)) -> usize;
}

const SENDER_BITS: u32 = 8;

/// Measures a contestant, with a queue made anew for every repetition for that many senders.
///
/// # Panics
/// If a message is missing, doubled, torn, or comes out of order.
pub fn measure<T: Payload, S: Sender<T>, R: Receiver<T>>(
    assignment: &Assignment,
    mut make: impl FnMut(usize) -> (Vec<S>, R),
) {
    let count = assignment.number("senders") as usize;
    let messages = assignment.number("messages") / count as u64;
    let mut message_ps = Vec::new();
    for repetition in 0..=assignment.number("repetitions") {
        let (senders, mut receiver) = make(count);
        assert_eq!(senders.len(), count);
        let barrier = Barrier::new(count + 1);
        let elapsed = std::thread::scope(|scope| {
            let barrier = &barrier;
            let send = |index: usize, mut sender: S| {
                system::keep_to_core(0);
                barrier.wait();
                let begin = monotonic_ns();
                for sequence in 0..messages {
                    sender.send(|message| message.fill(sequence << SENDER_BITS | index as u64));
                }
                (begin, sender)
            };
            let senders: Vec<_> = (senders.into_iter().enumerate())
                .map(|(index, sender)| scope.spawn(move || send(index, sender)))
                .collect();
            let receiver = scope.spawn(move || {
                system::keep_to_core(1);
                barrier.wait();
                receive_all(&mut receiver, count, messages);
                (monotonic_ns(), receiver)
            });
            let (end, receiver) = receiver.join().expect("the receiver");
            let ended: Vec<(u64, S)> = senders.into_iter().map(|sender| sender.join().expect("a sender")).collect();
            let begin = ended.iter().map(|(begin, _)| *begin).min().unwrap_or_default();
            drop((ended, receiver));
            end - begin
        });
        if repetition > 0 {
            message_ps.push(elapsed * 1000 / (messages * count as u64));
        }
    }
    print("message_ps", message_ps);
}

fn receive_all<T: Payload>(receiver: &mut impl Receiver<T>, senders: usize, messages: u64) {
    let mut expected = [0; 1 << SENDER_BITS];
    (0..senders).for_each(|sender| expected[sender] = sender as u64);
    let mut differing = 0;
    let mut received = 0;
    let mut patience = Patience::default();
    while received < messages * senders as u64 {
        let count = receiver.receive(|message| {
            let tag = message.tag();
            let next = &mut expected[tag as usize % (1 << SENDER_BITS)];
            differing |= tag ^ *next;
            *next = next.wrapping_add(1 << SENDER_BITS);
        });
        received += count as u64;
        if count == 0 {
            patience.wait();
        } else {
            patience.reset();
        }
    }
    assert_eq!(differing, 0, "a message is missing, doubled, torn or out of order");
    for (sender, next) in expected.iter().take(senders).enumerate() {
        assert_eq!(*next, messages << SENDER_BITS | sender as u64, "messages of a sender");
    }
}
