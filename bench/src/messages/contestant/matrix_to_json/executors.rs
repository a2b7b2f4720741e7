//! A topic of vectors, an executor that fills matrices with them, and one of lower priority that
//! serialises these. Matrices are not copied, but exchanged for those that have been serialised.
//!
//! The first executor spins by itself, or a thread has it do what is there to be done once per
//! millisecond: what ROS calls an asynchronous spinner, and `spinOnce`.

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hemiola_bench_contestant::messages::Patience;
use hemiola_bench_contestant::messages::matrix_to_json::{
    CAPACITY, Gathered, Gathering, Matrix, Pipeline, Publisher, Serialiser, Vector,
};
use hemiola_bench_contestant::monotonic_ns;
use hemiola_bus::{self as bus, Bus, Executor, Message, Priority, RobotClock, RunningExecutor, Topic, WhenFull};
use hemiola_realtime::{Policy, ThreadSettings};

use crate::error::BenchError;
use crate::sync::{AtomicBool, Ordering};

/// A vector with a default, as a topic needs it.
pub struct Row(pub Vector);

impl Default for Row {
    fn default() -> Self {
        Self([0.0; 100])
    }
}

/// The way in which the executor that fills matrices is run.
pub enum Spinning {
    /// On a thread that sleeps until there is a vector.
    Asynchronous,
    /// On a thread that looks once per millisecond.
    Once,
}

pub struct Executors {
    rows: Topic<Row>,
    waits: bool,
    gathering: Arc<Mutex<Gathering>>,
    filling: Filling,
    serialising: RunningExecutor,
}

enum Filling {
    Spins(Box<RunningExecutor>),
    Looks { is_over: Arc<AtomicBool>, thread: JoinHandle<Executor> },
}

/// The number of full matrices that may wait.
const MATRICES: usize = 4;

impl Executors {
    pub fn start(producers: usize, waits: bool, spinning: Spinning) -> Result<Self, BenchError> {
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
        let filling = match spinning {
            Spinning::Asynchronous => Filling::Spins(Box::new(filling.spawn(settings("filling", 80)?)?)),
            Spinning::Once => Filling::look_each_millisecond(filling, settings("filling", 80)?)?,
        };
        Ok(Self { rows, waits, gathering, filling, serialising: serialising.spawn(settings("serialising", 70)?)? })
    }
}

impl Filling {
    fn look_each_millisecond(mut executor: Executor, settings: ThreadSettings) -> Result<Self, BenchError> {
        let is_over = Arc::<AtomicBool>::default();
        let ends = is_over.clone();
        let look = move || {
            let mut next = Instant::now();
            while !ends.load(Ordering::Acquire) {
                executor.run_ready();
                next += Duration::from_millis(1);
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
            executor
        };
        Ok(Self::Looks { is_over, thread: hemiola_realtime::spawn(settings, look)?.thread })
    }

    /// Ends the thread, and returns the executor.
    fn end(self) -> Executor {
        match self {
            Self::Spins(executor) => executor.stop(),
            Self::Looks { is_over, thread } => {
                is_over.store(true, Ordering::Release);
                thread.join().expect("nobody panics")
            }
        }
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

pub struct Publishing {
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
        let mut filling = self.filling.end();
        filling.run_ready();
        drop(filling);
        self.serialising.stop().run_ready();
        let gathering = Arc::into_inner(self.gathering).expect("its executor is gone");
        let mut gathered = gathering.into_inner().expect("nobody panics").finish();
        gathered.lost = self.rows.report().dropped;
        gathered
    }
}
