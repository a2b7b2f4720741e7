//! The newest value, from one thread to another.

use std::sync::{Arc, Mutex, RwLock};

use arc_swap::{ArcSwap, Cache};
use hemiola_bench_contestant::messages::latest_value::{Reader, Writer, measure};
use hemiola_bench_contestant::messages::{Assignment, Payload};

pub fn run<T: Payload>(assignment: &Assignment) {
    match assignment.contestant() {
        "triple_buffer" => measure::<T, _, _>(assignment, || {
            let (input, output) = triple_buffer::triple_buffer(&T::default());
            (Input(input), Output(output))
        }),
        "arc-swap" => measure::<T, _, _>(assignment, || {
            let value = Arc::new(ArcSwap::from_pointee(T::default()));
            (Swapping(Arc::clone(&value)), Loading(value))
        }),
        "arc-swap-cache" => measure::<T, _, _>(assignment, || {
            let value = Arc::new(ArcSwap::from_pointee(T::default()));
            (Swapping(Arc::clone(&value)), Cached(Cache::new(value)))
        }),
        "mutex" => measure::<T, _, _>(assignment, || {
            let value = Arc::new(Mutex::new(T::default()));
            (Locking(Arc::clone(&value)), Locking(value))
        }),
        "rw-lock" => measure::<T, _, _>(assignment, || {
            let value = Arc::new(RwLock::new(Arc::new(T::default())));
            (Shared(Arc::clone(&value)), Shared(value))
        }),
        other => super::unknown("contestant", other),
    }
}

struct Input<T: Send>(triple_buffer::Input<T>);

impl<T: Payload> Writer<T> for Input<T> {
    fn write(&mut self, fill: impl FnOnce(&mut T)) {
        fill(self.0.input_buffer_mut());
        self.0.publish();
    }
}

struct Output<T: Send>(triple_buffer::Output<T>);

impl<T: Payload> Reader<T> for Output<T> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        look(self.0.read());
    }
}

struct Swapping<T>(Arc<ArcSwap<T>>);

impl<T: Payload> Writer<T> for Swapping<T> {
    fn write(&mut self, fill: impl FnOnce(&mut T)) {
        let mut value = T::default();
        fill(&mut value);
        self.0.store(Arc::new(value));
    }
}

struct Loading<T>(Arc<ArcSwap<T>>);

impl<T: Payload> Reader<T> for Loading<T> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        look(&self.0.load());
    }
}

struct Cached<T>(Cache<Arc<ArcSwap<T>>, Arc<T>>);

impl<T: Payload> Reader<T> for Cached<T> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        look(self.0.load());
    }
}

struct Locking<T>(Arc<Mutex<T>>);

impl<T: Payload> Writer<T> for Locking<T> {
    fn write(&mut self, fill: impl FnOnce(&mut T)) {
        fill(&mut self.0.lock().expect("nobody panics"));
    }
}

impl<T: Payload> Reader<T> for Locking<T> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        let value = self.0.lock().expect("nobody panics").clone();
        look(&value);
    }
}

struct Shared<T>(Arc<RwLock<Arc<T>>>);

impl<T: Payload> Writer<T> for Shared<T> {
    fn write(&mut self, fill: impl FnOnce(&mut T)) {
        let mut value = T::default();
        fill(&mut value);
        *self.0.write().expect("nobody panics") = Arc::new(value);
    }
}

impl<T: Payload> Reader<T> for Shared<T> {
    fn read(&mut self, look: impl FnOnce(&T)) {
        let value = Arc::clone(&self.0.read().expect("nobody panics"));
        look(&value);
    }
}
