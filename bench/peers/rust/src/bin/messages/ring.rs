//! Queues from one thread, or four, to another one.

use std::sync::Arc;

use crossbeam_queue::{ArrayQueue, SegQueue};
use disruptor::{
    BusySpin, EventPoller, MultiProducerBarrier, Producer, SingleProducerBarrier, build_multi_producer,
    build_single_producer,
};
use hemiola_bench_contestant::messages::ring::{CAPACITY, Receiver, Sender, measure};
use hemiola_bench_contestant::messages::{Assignment, Patience, Payload};

use super::safe_queue::SafeQueue;

pub fn run<T: Payload>(assignment: &Assignment) {
    let several = assignment.number("senders") > 1;
    match assignment.contestant() {
        "rtrb" if !several => measure::<T, _, _>(assignment, |_| {
            let (producer, consumer) = rtrb::RingBuffer::new(CAPACITY);
            (vec![sending(producer, push_rtrb::<T>)], receiving(consumer, |consumer| consumer.pop().ok()))
        }),
        "disruptor" if several => measure::<T, _, _>(assignment, |senders| {
            let (poller, builder) = build_multi_producer(CAPACITY, T::default, BusySpin).new_event_poller();
            (copies(senders, Disruptor(builder.build())), Poller(poller))
        }),
        "disruptor" => measure::<T, _, _>(assignment, |_| {
            let (poller, builder) = build_single_producer(CAPACITY, T::default, BusySpin).new_event_poller();
            (vec![Disruptor(builder.build())], Poller(poller))
        }),
        "array-queue" => measure::<T, _, _>(assignment, |senders| {
            let queue = Arc::new(ArrayQueue::new(CAPACITY));
            let receiver = receiving(Arc::clone(&queue), |queue| queue.pop());
            (copies(senders, sending(queue, push_array::<T>)), receiver)
        }),
        // This queue has no bound: no sender waits for room.
        "seg-queue" => measure::<T, _, _>(assignment, |senders| {
            let queue = Arc::new(SegQueue::new());
            let receiver = receiving(Arc::clone(&queue), |queue| queue.pop());
            (copies(senders, sending(queue, |queue, value| queue.push(value))), receiver)
        }),
        "single" => measure::<T, _, _>(assignment, |senders| {
            let queue = Arc::new(SafeQueue::new(CAPACITY));
            let receiver = receiving(Arc::clone(&queue), |queue| queue.pop());
            (copies(senders, sending(queue, |queue, value| queue.push(value))), receiver)
        }),
        "crossbeam-channel" => measure::<T, _, _>(assignment, |senders| {
            let (sender, receiver) = crossbeam_channel::bounded(CAPACITY);
            let sender = sending(sender, |sender, value| assert!(sender.send(value).is_ok()));
            (copies(senders, sender), receiving(receiver, |receiver| receiver.recv().ok()))
        }),
        "flume" => measure::<T, _, _>(assignment, |senders| {
            let (sender, receiver) = flume::bounded(CAPACITY);
            let sender = sending(sender, |sender, value| assert!(sender.send(value).is_ok()));
            (copies(senders, sender), receiving(receiver, |receiver| receiver.recv().ok()))
        }),
        "kanal" => measure::<T, _, _>(assignment, |senders| {
            let (sender, receiver) = kanal::bounded(CAPACITY);
            let sender = sending(sender, |sender, value| assert!(sender.send(value).is_ok()));
            (copies(senders, sender), receiving(receiver, |receiver| receiver.recv().ok()))
        }),
        "std-channel" => measure::<T, _, _>(assignment, |senders| {
            let (sender, receiver) = std::sync::mpsc::sync_channel(CAPACITY);
            let sender = sending(sender, |sender, value| assert!(sender.send(value).is_ok()));
            (copies(senders, sender), receiving(receiver, |receiver| receiver.recv().ok()))
        }),
        "tokio" => measure::<T, _, _>(assignment, |senders| {
            let (sender, receiver) = tokio::sync::mpsc::channel(CAPACITY);
            let sender = sending(sender, |sender, value| assert!(sender.blocking_send(value).is_ok()));
            (copies(senders, sender), receiving(receiver, |receiver| receiver.blocking_recv()))
        }),
        other => super::unknown("contestant for this many senders", other),
    }
}

fn push_rtrb<T>(producer: &mut rtrb::Producer<T>, value: T) {
    let mut refused = Some(value);
    Patience::until(|| match producer.push(refused.take().expect("it came back")) {
        Ok(()) => true,
        Err(rtrb::PushError::Full(value)) => {
            refused = Some(value);
            false
        }
    });
}

fn push_array<T>(queue: &mut Arc<ArrayQueue<T>>, value: T) {
    let mut refused = Some(value);
    Patience::until(|| match queue.push(refused.take().expect("it came back")) {
        Ok(()) => true,
        Err(value) => {
            refused = Some(value);
            false
        }
    });
}

/// A sending end, and a closure that sends a value through it, and waits if it must.
#[derive(Clone)]
struct Sending<E, F> {
    end: E,
    send: F,
}

fn sending<E, T, F: Fn(&mut E, T)>(end: E, send: F) -> Sending<E, F> {
    Sending { end, send }
}

impl<T: Payload, E: Send, F: Fn(&mut E, T) + Send> Sender<T> for Sending<E, F> {
    fn send(&mut self, fill: impl FnOnce(&mut T)) {
        let mut value = T::default();
        fill(&mut value);
        (self.send)(&mut self.end, value);
    }
}

/// A receiving end, and a closure that receives a value from it.
struct Receiving<E, F> {
    end: E,
    receive: F,
}

fn receiving<E, T, F: Fn(&mut E) -> Option<T>>(end: E, receive: F) -> Receiving<E, F> {
    Receiving { end, receive }
}

impl<T: Payload, E: Send, F: Fn(&mut E) -> Option<T> + Send> Receiver<T> for Receiving<E, F> {
    fn receive(&mut self, mut take: impl FnMut(&T)) -> usize {
        (self.receive)(&mut self.end).map(|value| take(&value)).is_some().into()
    }
}

#[derive(Clone)]
struct Disruptor<P>(P);

impl<T: Payload, P: Producer<T> + Send> Sender<T> for Disruptor<P> {
    fn send(&mut self, fill: impl FnOnce(&mut T)) {
        let mut fill = Some(fill);
        let mut fill = |place: &mut T| fill.take().expect("it is called once")(place);
        // The crate's `publish` spins, and would keep the core from the threads for which it waits.
        Patience::until(|| self.0.try_publish(&mut fill).is_ok());
    }
}

struct Poller<T, B>(EventPoller<T, B>);

/// Implements `Receiver` for pollers of both kinds of barrier, whose common trait cannot be named
/// outside of the crate.
macro_rules! receive_by_polling {
    ($barrier:ty) => {
        impl<T: Payload> Receiver<T> for Poller<T, $barrier> {
            fn receive(&mut self, mut take: impl FnMut(&T)) -> usize {
                let Ok(mut messages) = self.0.poll() else { return 0 };
                let count = (&mut messages).len();
                (&mut messages).for_each(&mut take);
                count
            }
        }
    };
}
receive_by_polling!(SingleProducerBarrier);
receive_by_polling!(MultiProducerBarrier);

fn copies<E: Clone>(count: usize, end: E) -> Vec<E> {
    std::iter::repeat_n(end, count).collect()
}
