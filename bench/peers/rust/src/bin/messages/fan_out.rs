//! A vector of boxed closures and a message that is allocated for each send: the usual code without
//! a framework.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::fan_out::{Message, Module, Topic, measure};

type Listener = Box<dyn FnMut(&Arc<Message>)>;

#[derive(Default)]
struct Vector(Vec<Listener>);

impl Topic for Vector {
    fn subscribe(&mut self, module: &'static Module) {
        self.0.push(Box::new(|message| module.take(message)));
    }

    fn publish(&mut self, message: Message) {
        let message = Arc::new(message);
        self.0.iter_mut().for_each(|listener| listener(&message));
    }

    fn synchronise(&mut self) {}
}

pub fn run(assignment: &Assignment) {
    match assignment.contestant() {
        "vector" => measure(assignment, Vector::default),
        other => super::unknown("contestant", other),
    }
}
