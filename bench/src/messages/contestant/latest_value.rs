use hemiola_bench_contestant::messages::latest_value::{Reader, Writer, measure};
use hemiola_bench_contestant::messages::{Assignment, Payload};
use hemiola_bus::exchange::{LatestReader, LatestWriter, latest};

use crate::error::BenchError;

pub fn run<T: Payload>(assignment: &Assignment) -> Result<(), BenchError> {
    match assignment.contestant() {
        "hemiola-exchange" => measure::<T, _, _>(assignment, || {
            let (writer, reader) = latest(T::default);
            (Exchange(writer), Exchange(reader))
        }),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}

/// The exchange that carries representations between cycles: one writer, one reader.
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
