use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::Reservation;
use hemiola_bench_contestant::{Usage, compute_for};
use hemiola_bus::{Bus, Executor, Order, Priority, Publisher, RobotClock, RunningExecutor, Topic, WhenFull};
use hemiola_realtime::{Affinity, MonotonicTime, Policy, ThreadSettings, monotonic_now};
use hemiola_schedulability::simulation::{Dispatch, Model, Source};

use super::application::{Application, Cause};
use super::sentinels::LEAST;
use crate::contest::host;
use crate::error::BenchError;
use crate::sync::{AtomicU64, Ordering};

/// The figures of a run, beside what the application measured.
pub struct Executed {
    /// The time at which the run's clock showed zero.
    pub zero: MonotonicTime,
    pub length: Duration,
    /// The processor time of the process, in cores.
    pub cores_used: f64,
    /// The number of messages that found no room.
    pub dropped: u64,
    /// The number of expiries of timers for which it was too late.
    pub skipped: u64,
    /// The processor time that the host took, of all processors together.
    pub stolen: Duration,
    /// The times by which calls took longer than they computed, on executors that no other thread
    /// of the bench can preempt: the kernel or the host interrupted them.
    pub interruptions: Interruptions,
    /// The settings that the system refused to the threads.
    pub denials: Vec<String>,
}

/// The time that the machine took from calls.
#[derive(Debug, Default)]
pub struct Interruptions {
    longest_ns: AtomicU64,
    /// The end of a call, and how long it did not compute before; only if that was long.
    long: Mutex<Vec<(TimeSpan, TimeSpan)>>,
}

impl Interruptions {
    fn note(&self, end: TimeSpan, length: TimeSpan) {
        self.longest_ns.fetch_max(length.as_nanoseconds(), Ordering::Relaxed);
        if length >= LEAST {
            self.long.lock().unwrap_or_else(PoisonError::into_inner).push((end, length));
        }
    }

    pub fn longest(&self) -> TimeSpan {
        TimeSpan::nanoseconds(self.longest_ns.load(Ordering::Relaxed))
    }

    /// Returns the interruptions as spans, as if each was at the end of its call.
    pub fn spans(&self) -> Vec<(TimeSpan, TimeSpan)> {
        let long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
        long.iter().map(|&(end, length)| (end - length, end)).collect()
    }
}

/// The time in which everything is made, while the clock shows zero, so that timers begin at once.
const PREPARATION: Duration = Duration::from_millis(500);

/// Runs an application on the bus's executors, one thread for each of the model's, with its
/// priority and on its core. Callbacks use a processor for as long as they take at most in the
/// model. Timers expire first after one period, as those of the bus do.
pub fn execute<A: Application>(model: &Model, length: Duration, application: &Arc<A>) -> Result<Executed, BenchError> {
    let clock = Arc::new(RobotClock::running(1.0));
    clock.restart(PREPARATION);
    let zero = monotonic_now() + PREPARATION;
    let bus = Bus::new();
    let topics: Vec<Topic<A::Message>> = (0..model.callbacks.len())
        .map(|callback| bus.topic(&format!("from callback {callback}")))
        .collect::<Result<_, _>>()?;
    let interruptions = Arc::new(Interruptions::default());
    let running = spawn(model, wire(model, &topics, &clock, application, &interruptions)?)?;
    let denials = running.iter().flat_map(|executor| executor.report().denials().map(ToString::to_string)).collect();
    std::thread::sleep(PREPARATION);

    let before = Usage::now();
    let ((), stolen) = host::watch(|| std::thread::sleep(length));
    let used = Usage::now().since(&before);

    let mut skipped = 0;
    for executor in running {
        skipped += executor.stop().handle().callbacks().iter().map(|callback| callback.missed).sum::<u64>();
    }
    Ok(Executed {
        zero,
        length,
        cores_used: used.cpu_ns as f64 / length.as_nanos() as f64,
        dropped: topics.iter().map(|topic| topic.report().dropped).sum(),
        skipped,
        stolen,
        // The executors have ended, and with them all other owners.
        interruptions: Arc::into_inner(interruptions).unwrap_or_default(),
        denials,
    })
}

/// Makes the executors with their callbacks, connected as the model says.
fn wire<A: Application>(
    model: &Model,
    topics: &[Topic<A::Message>],
    clock: &Arc<RobotClock>,
    application: &Arc<A>,
    interruptions: &Arc<Interruptions>,
) -> Result<Vec<Executor>, BenchError> {
    let mut executors: Vec<Executor> = Vec::new();
    for (number, executor) in model.executors.iter().enumerate() {
        executors.push(Executor::new(format!("executor {number}"), clock).order(match executor.dispatch {
            Dispatch::Priority => Order::Priority,
            Dispatch::WaitSet => Order::Ros2,
            Dispatch::TimersAlways => Order::Ros2Crystal,
        }));
    }
    for (number, callback) in model.callbacks.iter().enumerate() {
        let own = &model.executors[callback.executor];
        let above = model.executors.iter().any(|other| other.core == own.core && other.priority > own.priority);
        let mut call = Call {
            number,
            takes: callback.takes.longest.into(),
            application: application.clone(),
            publisher: topics[first_of_join(model, number)].publisher(),
            clock: clock.clone(),
            interruptions: if above { None } else { Some(interruptions.clone()) },
        };
        let executor = &mut executors[callback.executor];
        let priority = Priority(callback.priority as u16);
        match callback.source {
            Source::Timer { period, .. } => {
                executor.every(period.into(), priority, move |tick| call.run(Cause::Expired(time(tick.due))))?;
            }
            Source::Messages { depth, .. } => {
                let sends = |other: &hemiola_schedulability::simulation::Callback| other.publishes.contains(&number);
                // There may be no sender: a timer that chains share is only in the first of them.
                let Some(sender) = model.callbacks.iter().position(sends) else { continue };
                let topic = &topics[first_of_join(model, sender)];
                executor.subscribe(topic, priority, depth, WhenFull::DropOldest, move |message| {
                    call.run(Cause::Received(message));
                })?;
            }
        }
    }
    Ok(executors)
}

/// Starts the executors, each on a thread of its own.
fn spawn(model: &Model, executors: Vec<Executor>) -> Result<Vec<RunningExecutor>, BenchError> {
    let allowed = Affinity::of_this_thread();
    let mut running = Vec::new();
    for (number, (executor, described)) in executors.into_iter().zip(&model.executors).enumerate() {
        let policy = match described.reservation {
            Some(Reservation { budget, period }) => Policy::reservation(budget.into(), period.into()),
            None => Policy::Fifo(hemiola_realtime::Priority::new(described.priority.clamp(1, 98) as u8)?),
        };
        let mut settings = ThreadSettings::new(format!("executor-{number}")).policy(policy);
        if let Some(&core) = described.core.and_then(|core| allowed.cores().get(core)) {
            settings = settings.affinity(Affinity::of([core]));
        }
        running.push(executor.spawn(settings)?);
    }
    Ok(running)
}

/// Returns the first of the callbacks that join each other. They publish to one topic, whichever is
/// called last.
fn first_of_join(model: &Model, callback: usize) -> usize {
    model.callbacks[callback].joins.iter().fold(callback, |first, &other| first.min(other))
}

/// The closure of one callback.
struct Call<A: Application> {
    number: usize,
    takes: Duration,
    application: Arc<A>,
    publisher: Publisher<A::Message>,
    clock: Arc<RobotClock>,
    /// The interruptions, for a callback that no other thread of the bench preempts.
    interruptions: Option<Arc<Interruptions>>,
}

impl<A: Application> Call<A> {
    fn run(&mut self, cause: Cause<'_, A::Message>) {
        let begin = self.clock.now();
        if self.application.begin(self.number, cause, time(begin)) {
            compute_for(self.takes);
            let end = self.clock.now();
            self.publisher.publish(self.application.end(self.number, time(end)));
            if let Some(interruptions) = &self.interruptions {
                let beyond = end.since(begin).saturating_sub(self.takes);
                interruptions.note(time(end), beyond.into());
            }
        }
    }
}

fn time(shown: hemiola_model::Time) -> TimeSpan {
    TimeSpan::nanoseconds(shown.nanoseconds().max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chains::reference_system::{Nodes, Scheduler, model};
    use crate::chains::simulated::simulate;

    /// Runs on one thread, by a clock that is set: the same messages come as in the simulator.
    #[test]
    fn callbacks_are_connected_as_in_the_simulator() {
        for scheduler in [Scheduler::Ros2, Scheduler::Picas] {
            let model = model(scheduler, 4, TimeSpan::ZERO);
            let (executed, simulated) = (Arc::new(Nodes::new()), Nodes::new());
            let (clock, bus) = (Arc::new(RobotClock::stepped()), Bus::new());
            let topic = |callback| bus.topic(&format!("{callback}")).expect("a topic");
            let topics: Vec<_> = (0..model.callbacks.len()).map(topic).collect();
            let mut executors = wire(&model, &topics, &clock, &executed, &Arc::default()).expect("room for all");
            for milliseconds in 1..=3_000 {
                clock.set(hemiola_model::Time::ZERO + Duration::from_millis(milliseconds));
                while executors.iter_mut().map(Executor::run_ready).sum::<usize>() > 0 {}
            }
            simulate(&model, TimeSpan::microseconds(3_000_500), &simulated);
            let (executed, simulated) = (executed.figures(), simulated.figures());
            // The first nine messages do not count; which of two messages of the same time is among
            // them is not specified.
            assert!(executed.latency.count.abs_diff(simulated.latency.count) <= 1, "{scheduler:?}");
            assert!(executed.period.count.abs_diff(simulated.period.count) <= 1, "{scheduler:?}");
            assert_eq!((executed.hot_path_drops, simulated.hot_path_drops), (0, 0));
            assert!(simulated.latency.count > 20);
        }
    }
}
