//! A topic, an event loop, and the queue that carries small records within the runtime.

use hemiola_bench_contestant::messages::ring::{CAPACITY, Receiver, Sender, measure};
use hemiola_bench_contestant::messages::{Assignment, Patience, Payload};
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_bus::{Bus, Consumer, EventLoop, Producer, Publisher, Queue, Signal, WaitStrategy, WhenFull};
use std::time::Duration;

use crate::error::BenchError;

pub fn run<T: Payload>(assignment: &Assignment) -> Result<(), BenchError> {
    let several = assignment.number("senders") > 1;
    match assignment.contestant() {
        "hemiola" => measure::<T, _, _>(assignment, |senders| {
            let topic = Bus::new().topic("ring").expect("the first of its name");
            // The receiver polls instead of sleeping, as those of all other contestants do.
            let queue: Queue<T> = topic.queue_with_signal(CAPACITY, WhenFull::Wait, Signal::Nothing);
            ((0..senders).map(|_| Topic(topic.publisher())).collect(), Topic(queue))
        }),
        "hemiola-copies" => measure::<T, _, _>(assignment, |senders| {
            let topic = Bus::new().topic("ring").expect("the first of its name");
            let queue: Queue<T> = topic.queue_of_copies(CAPACITY, WhenFull::Wait, Signal::Nothing);
            ((0..senders).map(|_| Copies(topic.publisher())).collect(), Topic(queue))
        }),
        "hemiola-event-loop" if several => measure::<T, _, _>(assignment, |senders| {
            let mut events = EventLoop::<T>::new(CAPACITY);
            let consumer = events.consumer(WaitStrategy::Spin);
            let producer = events.producer();
            ((0..senders).map(|_| Events(producer.clone())).collect(), Events(consumer))
        }),
        "hemiola-event-loop" => measure::<T, _, _>(assignment, |_| {
            let mut events = EventLoop::<T>::for_one_producer(CAPACITY);
            let consumer = events.consumer(WaitStrategy::Spin);
            (vec![Events(events.producer())], Events(consumer))
        }),
        "hemiola-exchange" if !several => measure::<T, _, _>(assignment, |_| {
            let (writer, reader) = queue(CAPACITY);
            (vec![Exchange(writer)], Exchange(reader))
        }),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}

struct Topic<E>(E);

impl<T: Payload> Sender<T> for Topic<Publisher<T>> {
    #[inline]
    fn send(&mut self, fill: impl FnOnce(&mut T)) {
        Patience::until(|| self.0.wait_for_room(Duration::ZERO));
        let mut message = self.0.loan();
        fill(&mut message);
        message.publish();
    }
}

/// A publisher whose messages are copied from a register, and not from a slot.
struct Copies<T: Payload>(Publisher<T>);

impl<T: Payload> Sender<T> for Copies<T> {
    #[inline]
    fn send(&mut self, fill: impl FnOnce(&mut T)) {
        let mut message = T::default();
        fill(&mut message);
        Patience::until(|| self.0.wait_for_room(Duration::ZERO));
        self.0.publish(message);
    }
}

impl<T: Payload> Receiver<T> for Topic<Queue<T>> {
    #[inline]
    fn receive(&mut self, mut take: impl FnMut(&T)) -> usize {
        let batch = self.0.batch(CAPACITY);
        batch.iter().for_each(|message| take(&message));
        batch.len()
    }
}

struct Events<E>(E);

macro_rules! event_loop {
    ($claims:ty) => {
        impl<T: Payload> Sender<T> for Events<Producer<T, $claims>> {
            #[inline]
            fn send(&mut self, fill: impl FnOnce(&mut T)) {
                let mut fill = Some(fill);
                Patience::until(|| {
                    let Some(write) = fill.take() else { return true };
                    fill = self.0.publish(write).err().map(|error| error.into_inner());
                    fill.is_none()
                });
            }
        }

        impl<T: Payload> Receiver<T> for Events<Consumer<T, $claims>> {
            #[inline]
            fn receive(&mut self, take: impl FnMut(&T)) -> usize {
                self.0.poll(take)
            }
        }
    };
}
event_loop!(hemiola_bus::OneProducer);
event_loop!(hemiola_bus::ManyProducers);

struct Exchange<E>(E);

impl<T: Payload> Sender<T> for Exchange<QueueWriter<T>> {
    #[inline]
    fn send(&mut self, fill: impl FnOnce(&mut T)) {
        let mut value = T::default();
        fill(&mut value);
        let mut refused = Some(value);
        Patience::until(|| {
            refused = refused.take().and_then(|value| self.0.push(value).err());
            refused.is_none()
        });
    }
}

impl<T: Payload> Receiver<T> for Exchange<QueueReader<T>> {
    #[inline]
    fn receive(&mut self, mut take: impl FnMut(&T)) -> usize {
        self.0.pop().map(|value| take(&value)).is_some().into()
    }
}
