//! The events that an executor records in its trace.

use std::sync::Arc;
use std::time::Duration;

use hemiola_realtime::{Affinity, CoreId, KernelThread, Wakeup};
use hemiola_trace::{
    CallbackId, CallbackOrder, Catalog, Core, Event, ExecutorThread, Ring, RingReader, TickScale, Ticks, WorkerId,
};

use super::Executor;
use super::agenda::Order;
use super::callback::{Call, Reason};
use crate::ready::CAPACITY;

impl Executor {
    /// Records every call from now on, in a ring that keeps the last `events`: for statistics and
    /// traces. This reads the processor's counter twice per call. `news` is notified after each
    /// call, for whoever sleeps until there is something in the ring.
    ///
    /// On a bus that [measures time](crate::Bus::with_timing), the trace shows how long each
    /// message waited, with a flow from its publication to the call.
    ///
    /// # Errors
    /// Fails if the catalog is full.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Executor, Priority, RobotClock, WhenFull};
    /// use hemiola_trace::{Catalog, Collector, Statistics, TickScale};
    /// use std::sync::Arc;
    ///
    /// let (catalog, mut collector) = (Catalog::new("robot"), Collector::default());
    /// let mut executor = Executor::new("control", &Arc::new(RobotClock::running(1.0)));
    /// let (thread, events) = executor.record(&catalog, 1024, None)?;
    /// collector.add(thread, events);
    ///
    /// let topic = Bus::with_timing().topic("pose")?;
    /// executor.subscribe(&topic, Priority(10), 16, WhenFull::DropOldest, |_: &[f32; 3]| ())?;
    /// topic.publisher().publish([1.0, 2.0, 0.5]);
    /// executor.run_ready();
    ///
    /// let mut statistics = Statistics::new(catalog, TickScale::calibrate());
    /// collector.drain(|thread, events, _lost| statistics.absorb(thread, events));
    /// let callback = &statistics.report().callbacks[0];
    /// assert_eq!((callback.executor.as_str(), callback.name.as_str()), ("control", "pose"));
    /// assert_eq!((callback.execution.count, callback.latency.count), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(
        &mut self,
        catalog: &Catalog,
        events: usize,
        news: Option<Arc<Wakeup>>,
    ) -> Result<(WorkerId, RingReader), hemiola_trace::Error> {
        let thread = catalog.executor(self.handle.name())?;
        let ring = Ring::with_capacity(events);
        let reader = ring.reader();
        let mut recorder = Recorder::new(ring, news);
        for (index, traced) in self.handle.record(catalog, thread) {
            recorder.name(index, traced);
        }
        self.recorder = Some(recorder);
        Ok((thread, reader))
    }
}

impl Executor {
    /// Records in the trace how this thread runs, on which callbacks are called from now on: for
    /// bounds on their response times.
    pub(super) fn note_thread(&self) {
        self.handle.note_thread(|| {
            let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            let (spinning, early) = self.patience.most();
            ExecutorThread {
                priority: KernelThread::current().priority(),
                reservation: KernelThread::current()
                    .reservation()
                    .map(|(budget, period)| (nanoseconds(budget), nanoseconds(period))),
                cores: Affinity::of_this_thread().cores().iter().map(|&CoreId(core)| core).collect(),
                order: match self.agenda.order() {
                    Order::Priority => CallbackOrder::Priority,
                    Order::Ros2 | Order::Ros2Crystal => CallbackOrder::Registration,
                },
                spin: nanoseconds(spinning),
                early: nanoseconds(early),
            }
        });
    }
}

pub(super) struct Recorder {
    ring: Ring,
    /// The scale of the clock: accurate enough for the lateness of a timer, which is short.
    scale: TickScale,
    /// The callbacks' names in the trace, by their numbers.
    names: Vec<Option<CallbackId>>,
    /// The event that is notified after each call.
    news: Option<Arc<Wakeup>>,
}

impl Recorder {
    pub(super) fn new(ring: Ring, news: Option<Arc<Wakeup>>) -> Self {
        Self { ring, scale: TickScale::calibrate(), names: vec![None; CAPACITY], news }
    }

    /// Sets the name of callback `index` in the trace, if it has one.
    pub(super) fn name(&mut self, index: usize, name: Option<CallbackId>) {
        self.names[index] = name;
    }

    /// Records a call that began at `begin` and has ended.
    pub(super) fn record(&mut self, index: usize, begin: Ticks, call: &Call<'_>) {
        let Some(callback) = self.names[index] else { return };
        let (sequence, published) = match call.reason {
            Reason::Nothing => return,
            Reason::Message { sequence, published } => (sequence as u32, published.unwrap_or_default()),
            Reason::Tick { sequence, late } => (sequence as u32, self.earlier(begin, late)),
        };
        let end = Ticks::now();
        for _ in 0..call.panics {
            self.ring.push(Event::CallbackPanic { callback, sequence, at: end });
        }
        self.ring.push(Event::Callback { callback, core: Core::current(), sequence, published, begin, end });
        self.news.iter().for_each(|news| news.notify_all());
    }

    fn earlier(&self, ticks: Ticks, by: Duration) -> Ticks {
        Ticks(ticks.0.saturating_sub(self.scale.ticks_in(by)))
    }
}
