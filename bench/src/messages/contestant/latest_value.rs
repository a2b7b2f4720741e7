//! A topic's latest message, and the exchange that carries representations between cycles.

use hemiola_bench_contestant::messages::latest_value::{Reader, Writer, measure};
use hemiola_bench_contestant::messages::{Assignment, Payload};
use hemiola_bus::exchange::{LatestReader, LatestWriter, latest};
use hemiola_bus::{Bus, Latest, Publisher};

use crate::error::BenchError;

pub fn run<T: Payload>(assignment: &Assignment) -> Result<(), BenchError> {
    match assignment.contestant() {
        "hemiola" => measure::<T, _, _>(assignment, || {
            let topic = Bus::new().topic("value").expect("the first of its name");
            let mut publisher: Publisher<T> = topic.publisher();
            let latest = topic.latest();
            // The value before the first write.
            publisher.publish(T::default());
            (Topic(publisher), Topic(latest))
        }),
        "hemiola-exchange" => measure::<T, _, _>(assignment, || {
            let (writer, reader) = latest(T::default);
            (Exchange(writer), Exchange(reader))
        }),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}

struct Topic<E>(E);

impl<T: Payload> Writer<T> for Topic<Publisher<T>> {
    fn write(&mut self, fill: impl FnOnce(&mut T)) {
        let mut message = self.0.loan();
        fill(&mut message);
        message.publish();
    }
}

impl<T: Payload> Reader<T> for Topic<Latest<T>> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        look(&self.0.get().expect("something was published"));
    }
}

/// The exchange between one writer and one reader.
struct Exchange<E>(E);

impl<T: Payload> Writer<T> for Exchange<LatestWriter<T>> {
    fn write(&mut self, fill: impl FnOnce(&mut T)) {
        fill(self.0.back());
        self.0.publish();
    }
}

impl<T: Payload> Reader<T> for Exchange<LatestReader<T>> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        self.0.take();
        look(self.0.front());
    }
}
