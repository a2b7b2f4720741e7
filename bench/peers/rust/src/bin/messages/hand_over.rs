//! From publishing to the callback, which is called through a pointer as it would be in an
//! executor.

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::hand_over::{Callback, Executor, Publisher, measure};

pub fn run(assignment: &Assignment) {
    match assignment.contestant() {
        "rtrb" => measure(assignment, |callback| {
            let (producer, consumer) = rtrb::RingBuffer::new(CAPACITY);
            (Ring(producer), Receiving { end: consumer, callback: boxed(callback) })
        }),
        "crossbeam-channel" => measure(assignment, |callback| {
            let (sender, receiver) = crossbeam_channel::bounded(CAPACITY);
            (Channel(sender), Receiving { end: receiver, callback: boxed(callback) })
        }),
        "std-channel" => measure(assignment, |callback| {
            let (sender, receiver) = std::sync::mpsc::sync_channel(CAPACITY);
            (StdChannel(sender), Receiving { end: receiver, callback: boxed(callback) })
        }),
        other => super::unknown("contestant", other),
    }
}

const CAPACITY: usize = 16;

type Boxed = Box<dyn FnMut(u64) + Send>;

fn boxed(callback: Callback) -> Boxed {
    Box::new(move |number| _ = callback.call(number))
}

struct Receiving<E> {
    end: E,
    callback: Boxed,
}

struct Ring(rtrb::Producer<u64>);

impl Publisher for Ring {
    fn publish(&mut self, number: u64) {
        self.0.push(number).expect("room");
    }
}

impl Executor for Receiving<rtrb::Consumer<u64>> {
    fn run(&mut self) {
        if let Ok(number) = self.end.pop() {
            (self.callback)(number);
        }
    }
}

struct Channel(crossbeam_channel::Sender<u64>);

impl Publisher for Channel {
    fn publish(&mut self, number: u64) {
        self.0.try_send(number).expect("room");
    }
}

impl Executor for Receiving<crossbeam_channel::Receiver<u64>> {
    fn run(&mut self) {
        if let Ok(number) = self.end.try_recv() {
            (self.callback)(number);
        }
    }

    fn run_until_last(&mut self, callback: &Callback) {
        while !callback.is_over() {
            (self.callback)(self.end.recv().expect("a sender"));
        }
    }
}

struct StdChannel(std::sync::mpsc::SyncSender<u64>);

impl Publisher for StdChannel {
    fn publish(&mut self, number: u64) {
        self.0.try_send(number).expect("room");
    }
}

impl Executor for Receiving<std::sync::mpsc::Receiver<u64>> {
    fn run(&mut self) {
        if let Ok(number) = self.end.try_recv() {
            (self.callback)(number);
        }
    }

    fn run_until_last(&mut self, callback: &Callback) {
        while !callback.is_over() {
            (self.callback)(self.end.recv().expect("a sender"));
        }
    }
}
