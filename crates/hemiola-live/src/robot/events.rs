//! What ran where and when, on its way to a client.

use hemiola_bus::RobotClock;
use hemiola_model::Time;
use hemiola_realtime::{MonotonicTime, monotonic_now};
use hemiola_runtime::{Observation, Observer, RobotHandle, Seen};
use hemiola_trace::{Catalog, Event, Runs, TickScale, Ticks};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use crate::door::outbox::Outbox;
use crate::protocol::binary::{self, EventRecord};

/// One subscription to events.
pub struct EventStream {
    subscription: u32,
    seen: Observer,
    catalog: Catalog,
    clock: TickClock,
    /// How many names the client knows.
    named: usize,
}

/// Turns ticks of the processor's counter into times of the robot's clock.
pub struct TickClock {
    scale: TickScale,
    clock: Arc<RobotClock>,
    is_stepped: bool,
    now: (Ticks, MonotonicTime),
}

impl TickClock {
    /// For a robot; its catalog, too.
    pub fn of(handle: &RobotHandle) -> (Self, Catalog) {
        let (catalog, scale, clock) = (handle.catalog(), handle.tick_scale(), handle.clock().clone());
        let is_stepped = clock.due(Time::ZERO).is_none();
        (Self { scale, clock, is_stepped, now: (Ticks::now(), monotonic_now()) }, catalog)
    }

    /// Looks at both clocks; before a piece of events is turned.
    pub fn refresh(&mut self) {
        self.scale.refresh();
        self.now = (Ticks::now(), monotonic_now());
    }

    /// What the robot's clock showed then; of a robot that is stepped, the counter in nanoseconds, for
    /// no time of the world belongs to its times.
    pub fn nanoseconds(&self, ticks: Ticks) -> i64 {
        if self.is_stepped {
            return self.scale.nanoseconds(ticks) as i64;
        }
        let age = self.scale.nanoseconds_between(ticks, self.now.0);
        self.clock.time_at(self.now.1 - Duration::from_nanos(age)).nanoseconds()
    }

    /// Seconds from one to the other.
    pub fn seconds(&self, begin: Ticks, end: Ticks) -> f64 {
        self.scale.nanoseconds_between(begin, end) as f64 * 1e-9
    }

    /// Nanoseconds from one to the other, as far as 32 bits go.
    fn between(&self, begin: Ticks, end: Ticks) -> u32 {
        u32::try_from(self.scale.nanoseconds_between(begin, end)).unwrap_or(u32::MAX)
    }
}

impl EventStream {
    /// Begins it.
    pub fn open(handle: &RobotHandle, subscription: u32) -> Result<Self, String> {
        let seen = handle.observe(Observation::default().with_events()).map_err(|error| error.to_string())?;
        let (clock, catalog) = TickClock::of(handle);
        let named = count_names(&catalog);
        Ok(Self { subscription, seen, catalog, clock, named })
    }

    /// Its number.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// What the client is told about it.
    pub fn answer(&self) -> Value {
        json!({"names": names(&self.catalog)})
    }

    /// Sends what has come.
    pub fn send(&mut self, out: &mut Outbox) {
        self.clock.refresh();
        let mut bytes = binary::begin(binary::EVENTS, self.subscription);
        let empty = bytes.len();
        let is_congested = out.is_congested();
        while let Some(seen) = self.seen.next() {
            if let Seen::Events(seen) = seen
                && !is_congested
            {
                let records = seen.events.iter().filter_map(|event| self.clock.record(seen.worker.0, event));
                records.for_each(|record| record.append_to(&mut bytes));
            }
        }
        if bytes.len() > empty {
            let count = count_names(&self.catalog);
            if count != self.named {
                self.named = count;
                out.send(&json!({"event": "names", "names": names(&self.catalog)}));
            }
            out.send_bytes(bytes);
        }
    }
}

impl TickClock {
    /// An event as a client gets it; `None` for those that it has no use for.
    fn record(&self, worker: u16, event: &Event) -> Option<EventRecord> {
        let at = self.nanoseconds(event.at());
        let base = EventRecord { worker, begin: at, end: at, core: u8::MAX, ..EventRecord::default() };
        Some(match *event {
            Event::TaskRun { task, core, run, ready, begin, .. } => EventRecord {
                kind: 0,
                core: core.0,
                subject: task.0,
                run,
                number: self.between(ready, begin),
                begin: self.nanoseconds(begin),
                ..base
            },
            Event::CycleBegin { cycle, run, trigger, begin, .. } => {
                EventRecord { kind: 1, subject: cycle.0, run, number: self.between(trigger, begin), ..base }
            }
            Event::CycleEnd { cycle, run, .. } => EventRecord { kind: 2, subject: cycle.0, run, ..base },
            Event::Overrun { cycle, run, .. } => EventRecord { kind: 3, subject: cycle.0, run, ..base },
            Event::Woken { cycle, run, asked, at } => {
                EventRecord { kind: 4, subject: cycle.0, run, number: self.between(asked, at), ..base }
            }
            Event::Publish { exchange, run, .. } => EventRecord { kind: 5, subject: exchange.0, run, ..base },
            Event::Take { exchange, cycle, run, published, .. } => {
                EventRecord { kind: 6, subject: exchange.0, other: cycle.0, run, number: published, ..base }
            }
            Event::Callback { callback, core, sequence, published, begin, .. } => EventRecord {
                kind: 7,
                core: core.0,
                subject: callback.0,
                run: sequence,
                number: if published == Ticks::default() { 0 } else { self.between(published, begin) },
                begin: self.nanoseconds(begin),
                ..base
            },
            Event::Sample { source, core, sample, begin, .. } => EventRecord {
                kind: 8,
                core: core.0,
                subject: source.0,
                run: sample,
                begin: self.nanoseconds(begin),
                ..base
            },
            Event::Failure { task, run, .. } => EventRecord { kind: 9, subject: task.0, run, ..base },
            Event::Stale { task, run, .. } => EventRecord { kind: 10, subject: task.0, run, ..base },
            Event::InputDropped { cycle, source, count, .. } => {
                EventRecord { kind: 11, subject: cycle.0, other: source.0, number: count, ..base }
            }
            Event::TriggersSkipped { cycle, count, .. } => {
                EventRecord { kind: 12, subject: cycle.0, number: count, ..base }
            }
            _ => return None,
        })
    }
}

fn count_names(catalog: &Catalog) -> usize {
    let names = catalog.read();
    names.cycles().count()
        + names.tasks().count()
        + names.workers().count()
        + names.sources().count()
        + names.callbacks().count()
}

/// What the numbers in events mean.
pub fn names(catalog: &Catalog) -> Value {
    let names = catalog.read();
    let nanoseconds = |duration: Option<Duration>| duration.map(|duration| duration.as_nanos() as u64);
    let cycles = names.cycles().map(|(_, cycle)| {
        json!({
            "name": cycle.name,
            "deadline": nanoseconds(cycle.deadline),
            "period": nanoseconds(cycle.period),
            "priority": cycle.priority,
        })
    });
    let tasks = names.tasks().map(|(_, task)| json!({"name": task.name, "cycle": task.cycle.0}));
    let workers = names.workers().map(|(id, worker)| {
        let (kind, cycle, index) = match &worker.runs {
            Runs::Tasks { cycle, index } => ("worker", Some(cycle.0), Some(*index)),
            Runs::Callbacks { .. } => ("executor", None, None),
            Runs::Samples { .. } => ("source", None, None),
            Runs::Service => ("service", None, None),
        };
        json!({"name": names.worker_name(id), "kind": kind, "cycle": cycle, "index": index})
    });
    let exchanges = (0..).map_while(|id| names.exchange(hemiola_trace::ExchangeId(id)));
    let exchanges = exchanges.map(|exchange| json!({"name": exchange.name, "cycle": exchange.publisher.0}));
    let callbacks = names
        .callbacks()
        .map(|(_, callback)| json!({"name": callback.name, "executor": names.worker_name(callback.executor)}));
    json!({
        "cycles": cycles.collect::<Vec<_>>(),
        "tasks": tasks.collect::<Vec<_>>(),
        "workers": workers.collect::<Vec<_>>(),
        "sources": names.sources().map(|(_, name)| name).collect::<Vec<_>>(),
        "exchanges": exchanges.collect::<Vec<_>>(),
        "callbacks": callbacks.collect::<Vec<_>>(),
    })
}
