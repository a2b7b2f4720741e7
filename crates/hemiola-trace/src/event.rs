//! The events that a worker records in its ring.

use crate::{
    clock::{Core, Ticks},
    ids::{CallbackId, CounterId, CycleId, ExchangeId, PlanId, SourceId, TaskId, WorkerId},
};

/// An event on a worker. It is 32 bytes, `Copy`, and has no pointers.
///
/// Invariants that the writer maintains and the readers rely on:
/// - one worker's events are in the order of their last time ([`Event::at`]), which is when they
///   were pushed;
/// - `ready <= begin <= end` in [`Event::TaskRun`], `trigger` in [`Event::CycleBegin`] is when the
///   cycle was due or its data arrived, so the distance to `begin` is the release jitter;
/// - `run` counts the runs of one cycle and is the same for all of its events of that run;
/// - [`Event::CycleBegin`] and [`Event::CycleEnd`] of one cycle come from the same ring (its worker
///   0).
///
/// ```
/// use hemiola_trace::{Core, Event, TaskId, Ticks};
///
/// let (ready, begin, end) = (Ticks(10), Ticks(12), Ticks(20));
/// let event = Event::TaskRun { task: TaskId(3), core: Core::current(), run: 7, ready, begin, end };
/// assert_eq!(event.at(), Ticks(20));
/// assert_eq!(std::mem::size_of::<Event>(), 32);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// A task ran on this worker.
    TaskRun {
        /// The task.
        task: TaskId,
        /// The processor core on which it returned.
        core: Core,
        /// The run of its cycle.
        run: u32,
        /// The time at which its last dependency was met. `begin - ready` is the queueing delay.
        ready: Ticks,
        /// The time at which it was entered.
        begin: Ticks,
        /// The time at which it returned.
        end: Ticks,
    },
    /// A cycle started a run.
    CycleBegin {
        /// The cycle.
        cycle: CycleId,
        /// The plan that this run follows.
        plan: PlanId,
        /// The number of the run.
        run: u32,
        /// The time at which the run was due (timer) or its data arrived (source).
        trigger: Ticks,
        /// The time at which the trigger thread started to work on it.
        begin: Ticks,
    },
    /// A cycle finished a run: all its tasks are done.
    CycleEnd {
        /// The cycle.
        cycle: CycleId,
        /// The number of the run.
        run: u32,
        /// The time of the end.
        at: Ticks,
    },
    /// The runtime detected that a run exceeds its deadline, at its end or, by the watchdog, before
    /// that.
    Overrun {
        /// The cycle that missed its deadline.
        cycle: CycleId,
        /// The run that missed it.
        run: u32,
        /// The time at which it was detected.
        at: Ticks,
    },
    /// Samples of a source were not read by any run of the cycle, because newer ones overwrote
    /// them.
    InputDropped {
        /// The cycle that reads the source.
        cycle: CycleId,
        /// The source.
        source: SourceId,
        /// The number of samples.
        count: u32,
        /// The time at which it was detected.
        at: Ticks,
    },
    /// Triggers of a timer started no run, because the previous run was too long or began too late.
    TriggersSkipped {
        /// The cycle that they would have started.
        cycle: CycleId,
        /// The number of triggers.
        count: u32,
        /// The time at which it was detected.
        at: Ticks,
    },
    /// The worker slept and was woken.
    Woken {
        /// The cycle to whose pool the worker belongs.
        cycle: CycleId,
        /// The run for which it was woken.
        run: u32,
        /// The time at which the wake-up was requested; for a timer, the time for which it was set.
        asked: Ticks,
        /// The time at which the thread was running again.
        at: Ticks,
    },
    /// A cycle published a snapshot of its shared representations.
    Publish {
        /// The exchange.
        exchange: ExchangeId,
        /// The run that published it.
        run: u32,
        /// The time of the publication.
        at: Ticks,
    },
    /// A cycle read the newest snapshot of another one.
    Take {
        /// The exchange.
        exchange: ExchangeId,
        /// The cycle that reads.
        cycle: CycleId,
        /// The run of that cycle.
        run: u32,
        /// The run of the publishing cycle whose snapshot was read.
        published: u32,
        /// The time at which it was read.
        at: Ticks,
    },
    /// A task failed; its cycle continued.
    Failure {
        /// The task.
        task: TaskId,
        /// The kind of the failure.
        kind: FailureKind,
        /// The run of its cycle.
        run: u32,
        /// The time of the failure.
        at: Ticks,
    },
    /// A task's representations kept their last value and are marked stale.
    Stale {
        /// The task that provides them.
        task: TaskId,
        /// The run of its cycle.
        run: u32,
        /// The time at which it was detected.
        at: Ticks,
    },
    /// An output task acted on sensor samples: one end of a sensor-to-actuator chain.
    ///
    /// It is made by [`Event::arrival`].
    Arrival {
        /// The output task.
        output: TaskId,
        /// The source of the samples.
        source: SourceId,
        /// The time at which the output was completed.
        at: Ticks,
        /// The time of the newest sample that the output depends on.
        newest: Stamp,
        /// The age of that sample.
        newest_age: Age,
        /// The age of the oldest sample that the output depends on.
        oldest_age: Age,
    },
    /// A callback ran for a message or a tick.
    Callback {
        /// The callback.
        callback: CallbackId,
        /// The processor core on which it returned.
        core: Core,
        /// The sequence number of the message at its publisher (of the oldest message, if there
        /// were several), or the number of the tick.
        sequence: u32,
        /// The time at which the message was published or the tick was due; zero if unknown. `begin
        /// - published` is the latency.
        published: Ticks,
        /// The time at which the callback was entered.
        begin: Ticks,
        /// The time at which it returned.
        end: Ticks,
    },
    /// A source acquired a sample, on a thread of its own.
    Sample {
        /// The source.
        source: SourceId,
        /// The processor core on which the source returned.
        core: Core,
        /// The number of the sample; cycles that read it call this the run of its publisher.
        sample: u32,
        /// The time at which the source was asked for the sample.
        begin: Ticks,
        /// The time at which the sample was available.
        end: Ticks,
    },
    /// A callback panicked; its executor continued.
    CallbackPanic {
        /// The callback.
        callback: CallbackId,
        /// The number of the message or tick for which it ran.
        sequence: u32,
        /// The time of the panic.
        at: Ticks,
    },
    /// A counter changed its value.
    Counter {
        /// The counter.
        counter: CounterId,
        /// The value from now on.
        value: f64,
        /// The time of the change.
        at: Ticks,
    },
    /// The kernel's accounts of a thread, at the time of a reading.
    ThreadTime {
        /// The thread.
        worker: WorkerId,
        /// The nanoseconds for which it had been on a core since it began.
        running: u64,
        /// The nanoseconds for which it had waited for a core, whoever had it.
        waiting: u64,
        /// The time of the reading.
        at: Ticks,
    },
    /// The kernel's account of a core, at the time of a reading: for how long the host of a virtual
    /// machine had taken it away.
    StolenTime {
        /// The core.
        core: Core,
        /// The nanoseconds since the machine was started. Linux counts in steps of 10 ms.
        nanoseconds: u64,
        /// The time of the reading.
        at: Ticks,
    },
}

impl Event {
    /// Creates the event of an output at `now` (on the framework's clock; `at` on the counter) that
    /// depends on samples of `source` acquired from `oldest` to `newest` (on the framework's
    /// clock).
    #[inline]
    pub fn arrival(output: TaskId, source: SourceId, at: Ticks, now: Stamp, oldest: Stamp, newest: Stamp) -> Self {
        Self::Arrival {
            output,
            source,
            at,
            newest,
            newest_age: Age::between(newest, now),
            oldest_age: Age::between(oldest, now),
        }
    }

    /// Returns the time at which the event was recorded: its last time.
    #[inline]
    pub const fn at(&self) -> Ticks {
        match *self {
            Self::TaskRun { end: at, .. }
            | Self::Callback { end: at, .. }
            | Self::Sample { end: at, .. }
            | Self::CallbackPanic { at, .. }
            | Self::CycleBegin { begin: at, .. }
            | Self::CycleEnd { at, .. }
            | Self::Overrun { at, .. }
            | Self::InputDropped { at, .. }
            | Self::TriggersSkipped { at, .. }
            | Self::Woken { at, .. }
            | Self::Publish { at, .. }
            | Self::Take { at, .. }
            | Self::Failure { at, .. }
            | Self::Stale { at, .. }
            | Self::Arrival { at, .. }
            | Self::Counter { at, .. }
            | Self::ThreadTime { at, .. }
            | Self::StolenTime { at, .. } => at,
        }
    }

    /// Returns the event as the words of a ring's slot: tag, core, a 16-bit field and a 32-bit
    /// field in the first word, then times. It is always inlined: where an event is recorded its
    /// kind is known, so that no branch is left.
    #[inline(always)]
    pub(crate) const fn to_words(self) -> [u64; WORDS] {
        match self {
            Self::TaskRun { task, core, run, ready, begin, end } => {
                [head(0, task.0, run) | (core.0 as u64) << 8, ready.0, begin.0, end.0]
            }
            Self::CycleBegin { cycle, plan, run, trigger, begin } => {
                [head(1, cycle.0, run), plan.0 as u64, trigger.0, begin.0]
            }
            Self::CycleEnd { cycle, run, at } => [head(2, cycle.0, run), 0, 0, at.0],
            Self::Overrun { cycle, run, at } => [head(3, cycle.0, run), 0, 0, at.0],
            Self::InputDropped { cycle, source, count, at } => [head(4, cycle.0, count), source.0 as u64, 0, at.0],
            Self::Woken { cycle, run, asked, at } => [head(5, cycle.0, run), asked.0, 0, at.0],
            Self::Publish { exchange, run, at } => [head(6, exchange.0, run), 0, 0, at.0],
            Self::Take { exchange, cycle, run, published, at } => {
                [head(7, exchange.0, run), pair(published, cycle.0 as u32), 0, at.0]
            }
            Self::Failure { task, kind, run, at } => [head(8, task.0, run), kind as u64, 0, at.0],
            Self::Stale { task, run, at } => [head(9, task.0, run), 0, 0, at.0],
            Self::Arrival { output, source, at, newest, newest_age, oldest_age } => {
                [head(10, output.0, source.0 as u32), pair(newest_age.0, oldest_age.0), newest.0, at.0]
            }
            Self::Counter { counter, value, at } => [head(11, counter.0, 0), value.to_bits(), 0, at.0],
            Self::Callback { callback, core, sequence, published, begin, end } => {
                [head(12, callback.0, sequence) | (core.0 as u64) << 8, published.0, begin.0, end.0]
            }
            Self::CallbackPanic { callback, sequence, at } => [head(13, callback.0, sequence), 0, 0, at.0],
            Self::Sample { source, core, sample, begin, end } => {
                [head(14, source.0, sample) | (core.0 as u64) << 8, 0, begin.0, end.0]
            }
            Self::ThreadTime { worker, running, waiting, at } => [head(15, worker.0, 0), running, waiting, at.0],
            Self::StolenTime { core, nanoseconds, at } => [head(16, 0, 0) | (core.0 as u64) << 8, nanoseconds, 0, at.0],
            Self::TriggersSkipped { cycle, count, at } => [head(17, cycle.0, count), 0, 0, at.0],
        }
    }

    /// Creates an event from the words of [`Event::to_words`]; `None` for words that it never
    /// returns.
    pub(crate) fn from_words(words: [u64; WORDS]) -> Option<Self> {
        let [head, second, third, last] = words;
        let (small, run, at) = ((head >> 16) as u16, (head >> 32) as u32, Ticks(last));
        let (low, high) = (second as u32, (second >> 32) as u32);
        Some(match head as u8 {
            0 => {
                let core = Core((head >> 8) as u8);
                Self::TaskRun { task: TaskId(small), core, run, ready: Ticks(second), begin: Ticks(third), end: at }
            }
            1 => Self::CycleBegin { cycle: CycleId(small), plan: PlanId(low), run, trigger: Ticks(third), begin: at },
            2 => Self::CycleEnd { cycle: CycleId(small), run, at },
            3 => Self::Overrun { cycle: CycleId(small), run, at },
            4 => Self::InputDropped { cycle: CycleId(small), source: SourceId(low as u16), count: run, at },
            5 => Self::Woken { cycle: CycleId(small), run, asked: Ticks(second), at },
            6 => Self::Publish { exchange: ExchangeId(small), run, at },
            7 => Self::Take { exchange: ExchangeId(small), cycle: CycleId(high as u16), run, published: low, at },
            8 => Self::Failure { task: TaskId(small), kind: FailureKind::from_word(second)?, run, at },
            9 => Self::Stale { task: TaskId(small), run, at },
            10 => Self::Arrival {
                output: TaskId(small),
                source: SourceId(run as u16),
                at,
                newest: Stamp(third),
                newest_age: Age(low),
                oldest_age: Age(high),
            },
            11 => Self::Counter { counter: CounterId(small), value: f64::from_bits(second), at },
            12 => Self::Callback {
                callback: CallbackId(small),
                core: Core((head >> 8) as u8),
                sequence: run,
                published: Ticks(second),
                begin: Ticks(third),
                end: at,
            },
            13 => Self::CallbackPanic { callback: CallbackId(small), sequence: run, at },
            14 => {
                let core = Core((head >> 8) as u8);
                Self::Sample { source: SourceId(small), core, sample: run, begin: Ticks(third), end: at }
            }
            15 => Self::ThreadTime { worker: WorkerId(small), running: second, waiting: third, at },
            16 => Self::StolenTime { core: Core((head >> 8) as u8), nanoseconds: second, at },
            17 => Self::TriggersSkipped { cycle: CycleId(small), count: run, at },
            _ => return None,
        })
    }
}

/// The kind of a task's failure.
///
/// ```
/// use hemiola_trace::{Event, FailureKind};
///
/// fn line(event: &Event) -> Option<String> {
///     let Event::Failure { kind, run, .. } = event else { return None };
///     Some(format!("run {run}: {kind}"))
/// }
/// # use hemiola_trace::{Catalog, Cycle, Ticks};
/// # let catalog = Catalog::new("robot");
/// # let task = catalog.task(catalog.cycle(Cycle::named("motion"))?, "Walk.joints")?;
/// let event = Event::Failure { task, kind: FailureKind::Panic, run: 7, at: Ticks(0) };
/// assert_eq!(line(&event).as_deref(), Some("run 7: panic"));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FailureKind {
    /// The task returned an error.
    Error = 0,
    /// The task panicked.
    Panic = 1,
}

impl FailureKind {
    fn from_word(word: u64) -> Option<Self> {
        match word {
            0 => Some(Self::Error),
            1 => Some(Self::Panic),
            _ => None,
        }
    }
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Panic => "panic",
        })
    }
}

/// The time of a sensor sample in nanoseconds on the framework's clock, which in a simulation or a
/// replay is not the machine's.
///
/// ```
/// use hemiola_trace::{Age, Stamp};
///
/// assert_eq!(Age::between(Stamp(1_000), Stamp(4_000)).nanoseconds(), 3_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Stamp(pub u64);

/// A distance between two [`Stamp`]s in whole microseconds, at most 71 minutes: as much as an
/// [`Event`] has room for.
///
/// ```
/// use hemiola_trace::{Age, Stamp};
///
/// let age = Age::between(Stamp(0), Stamp(12_345_678));
/// assert_eq!(age.nanoseconds(), 12_345_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Age(pub u32);

impl Age {
    /// Returns the age from `earlier` to `later`, rounded down; zero if they are swapped, and the
    /// maximum age if it does not fit.
    #[inline]
    pub const fn between(earlier: Stamp, later: Stamp) -> Self {
        let microseconds = later.0.saturating_sub(earlier.0) / 1_000;
        Self(if microseconds > u32::MAX as u64 { u32::MAX } else { microseconds as u32 })
    }

    /// Returns the age in nanoseconds.
    pub const fn nanoseconds(self) -> u64 {
        self.0 as u64 * 1_000
    }
}

/// The number of words of a ring's slot.
pub(crate) const WORDS: usize = 4;

const _: () = assert!(size_of::<Event>() == 8 * WORDS, "an event fills a slot exactly");

const fn head(tag: u8, small: u16, large: u32) -> u64 {
    tag as u64 | (small as u64) << 16 | (large as u64) << 32
}

const fn pair(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

#[cfg(test)]
#[path = "event/tests.rs"]
mod tests;
