//! A vector of boxed closures with the numbers by which they are removed.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::come_and_go::{Topic, measure};
use hemiola_bench_contestant::messages::fan_out::{Message, Module};

type Listener = Box<dyn FnMut(&Arc<Message>)>;

#[derive(Default)]
struct Vector {
    listeners: Vec<(u64, Listener)>,
    last: u64,
}

impl Topic for Vector {
    type Place = u64;

    fn subscribe(&mut self, module: &'static Module) -> u64 {
        self.last += 1;
        self.listeners.push((self.last, Box::new(|message| module.take(message))));
        self.last
    }

    fn unsubscribe(&mut self, place: u64) {
        self.listeners.retain(|(number, _)| *number != place);
    }

    fn publish(&mut self, message: Message) {
        let message = Arc::new(message);
        self.listeners.iter_mut().for_each(|(_, listener)| listener(&message));
    }

    fn synchronise(&mut self) {}
}

pub fn run(assignment: &Assignment) {
    match assignment.contestant() {
        "vector" => measure(assignment, Vector::default()),
        other => super::unknown("contestant", other),
    }
}
