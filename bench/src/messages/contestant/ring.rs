use hemiola_bench_contestant::messages::ring::{CAPACITY, Receiver, Sender, measure};
use hemiola_bench_contestant::messages::{Assignment, Patience, Payload};
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};

use crate::error::BenchError;

pub fn run<T: Payload>(assignment: &Assignment) -> Result<(), BenchError> {
    match assignment.contestant() {
        "hemiola-exchange" => measure::<T, _, _>(assignment, |_| {
            let (writer, reader) = queue(CAPACITY);
            (vec![Exchange(writer)], Exchange(reader))
        }),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}

/// The queue that carries small records between threads of the runtime.
struct Exchange<E>(E);

impl<T: Payload> Sender<T> for Exchange<QueueWriter<T>> {
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
    fn receive(&mut self, mut take: impl FnMut(&T)) -> usize {
        self.0.pop().map(|value| take(&value)).is_some().into()
    }
}
