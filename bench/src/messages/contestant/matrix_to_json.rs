//! A topic of vectors, an executor that fills matrices with them, and one of lower priority that
//! serialises these. Matrices are not copied, but exchanged for those that have been serialised.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bench_contestant::messages::matrix_to_json::{
    CAPACITY, Gathered, Gathering, Matrix, Pipeline, Publisher, Serialiser, Vector, measure,
};
use hemiola_bench_contestant::messages::{Assignment, Patience};
use hemiola_bench_contestant::monotonic_ns;
use hemiola_bus::{self as bus, Bus, Executor, Message, Priority, RobotClock, RunningExecutor, Topic, WhenFull};
use hemiola_realtime::{Policy, ThreadSettings};

use crate::error::BenchError;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    if assignment.contestant() != "hemiola" {
        return Err(super::unknown(assignment));
    }
    let waits = assignment.number("rate-hz") == 0;
    let executors = Executors::start(assignment.number("producers") as usize, waits)?;
    measure(assignment, || executors);
    Ok(())
}

/// A vector with a default, as a topic needs it.
struct Row(Vector);

impl Default for Row {
    fn default() -> Self {
        Self([0.0; 100])
    }
}

struct Executors {
    rows: Topic<Row>,
    waits: bool,
    gathering: Arc<Mutex<Gathering>>,
    filling: RunningExecutor,
    serialising: RunningExecutor,
}

/// The number of full matrices that may wait.
const MATRICES: usize = 4;

impl Executors {
    fn start(producers: usize, waits: bool) -> Result<Self, BenchError> {
        let bus = Bus::new();
        let rows: Topic<Row> = bus.topic("rows")?;
        let matrices: Topic<Matrix> = bus.topic("matrices")?;
        let gathering = Arc::<Mutex<Gathering>>::default();

        let (gatherer, mut full) = (Arc::clone(&gathering), matrices.publisher());
        let fill = move |row: &Row| {
            let received = monotonic_ns();
            let mut gathering = gatherer.lock().expect("nobody panics");
            gathering.handle_and_exchange(&row.0, received, |matrix| {
                // At a rate, there always is room.
                Patience::until(|| full.wait_for_room(Duration::ZERO));
                let mut message = full.loan();
                std::mem::swap(&mut *message, matrix);
                message.publish();
            });
        };
        // All producers together have as much room as those of other contestants.
        let filling = subscribed("filling", &rows, (CAPACITY / producers).max(64), fill)?;
        let mut serialiser = Serialiser::default();
        let serialise = move |matrix: &Matrix| serialiser.serialise(matrix);
        let serialising = subscribed("serialising", &matrices, MATRICES, serialise)?;
        let settings = |name, priority| -> Result<ThreadSettings, BenchError> {
            let settings = ThreadSettings::new(name);
            // All threads share time where vectors are published as fast as there is room.
            Ok(if waits { settings } else { settings.policy(Policy::Fifo(hemiola_realtime::Priority::new(priority)?)) })
        };
        Ok(Self {
            rows,
            waits,
            gathering,
            filling: filling.spawn(settings("filling", 80)?)?,
            serialising: serialising.spawn(settings("serialising", 70)?)?,
        })
    }
}

fn subscribed<T: Message>(
    name: &str,
    topic: &Topic<T>,
    capacity: usize,
    callback: impl FnMut(&T) + Send + 'static,
) -> Result<Executor, BenchError> {
    let mut executor = Executor::new(name, &Arc::new(RobotClock::running(1.0)));
    executor.subscribe(topic, Priority(1), capacity, WhenFull::Wait, callback)?;
    Ok(executor)
}

struct Publishing {
    publisher: bus::Publisher<Row>,
    waits: bool,
}

impl Publisher for Publishing {
    fn publish(&mut self, mut fill: impl FnMut(&mut Vector)) -> bool {
        if self.waits {
            while !self.publisher.wait_for_room(Duration::from_secs(1)) {}
        }
        let mut row = self.publisher.loan();
        fill(&mut row.0);
        row.publish();
        true
    }
}

impl Pipeline for Executors {
    type Publisher = Publishing;

    fn publishers(&mut self, count: usize) -> Vec<Publishing> {
        (0..count).map(|_| Publishing { publisher: self.rows.publisher(), waits: self.waits }).collect()
    }

    fn finish(self) -> Gathered {
        let mut filling = self.filling.stop();
        filling.run_ready();
        drop(filling);
        self.serialising.stop().run_ready();
        let gathering = Arc::into_inner(self.gathering).expect("its executor is gone");
        let mut gathered = gathering.into_inner().expect("nobody panics").finish();
        gathered.lost = self.rows.report().dropped;
        gathered
    }
}
