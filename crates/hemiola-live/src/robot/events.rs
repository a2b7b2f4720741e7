//! The events of a robot's timeline, and their way to a client.

use std::time::Duration;

use hemiola_runtime::RobotHandle;
use hemiola_trace::{Catalog, Event, Runs, Ticks};
use serde_json::{Value, json};

use super::traced::{TickClock, Traced};
use crate::door::outbox::Outbox;
use crate::protocol::binary::{self, EventRecord};

/// One subscription to the events of a robot.
pub struct EventStream {
    subscription: u32,
    traced: Traced,
    /// The number of names that the client has received.
    named: usize,
}

impl EventStream {
    /// Subscribes to the events.
    pub fn open(handle: &RobotHandle, subscription: u32) -> Result<Self, String> {
        let traced = Traced::open(handle)?;
        let named = count_names(&traced.catalog);
        Ok(Self { subscription, traced, named })
    }

    /// Returns the number of the subscription.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// Returns the answer to the client's request.
    pub fn answer(&self) -> Value {
        json!({"names": names(&self.traced.catalog)})
    }

    /// Sends the events that have arrived.
    pub fn send(&mut self, out: &mut Outbox) {
        let pieces = self.traced.take();
        let Traced { catalog, clock, .. } = &self.traced;
        if pieces.is_empty() || out.is_congested() {
            return;
        }
        let mut bytes = binary::begin(binary::EVENTS, self.subscription);
        let empty = bytes.len();
        for piece in pieces {
            let records = piece.events.iter().filter_map(|event| record(clock, piece.worker.0, event));
            records.for_each(|record| record.append_to(&mut bytes));
        }
        if bytes.len() > empty {
            let count = count_names(catalog);
            if count != self.named {
                self.named = count;
                out.send(&json!({"event": "names", "names": names(catalog)}));
            }
            out.send_bytes(bytes);
        }
    }
}

/// Returns the record of an event; `None` for events that clients do not use.
fn record(clock: &TickClock, worker: u16, event: &Event) -> Option<EventRecord> {
    let at = clock.nanoseconds(event.at());
    let base = EventRecord { worker, begin: at, end: at, core: u8::MAX, ..EventRecord::default() };
    Some(match *event {
        Event::TaskRun { task, core, run, ready, begin, .. } => EventRecord {
            kind: 0,
            core: core.0,
            subject: task.0,
            run,
            number: clock.between(ready, begin),
            begin: clock.nanoseconds(begin),
            ..base
        },
        Event::CycleBegin { cycle, run, trigger, begin, .. } => {
            EventRecord { kind: 1, subject: cycle.0, run, number: clock.between(trigger, begin), ..base }
        }
        Event::CycleEnd { cycle, run, .. } => EventRecord { kind: 2, subject: cycle.0, run, ..base },
        Event::Overrun { cycle, run, .. } => EventRecord { kind: 3, subject: cycle.0, run, ..base },
        Event::Woken { cycle, run, asked, at } => {
            EventRecord { kind: 4, subject: cycle.0, run, number: clock.between(asked, at), ..base }
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
            number: if published == Ticks::default() { 0 } else { clock.between(published, begin) },
            begin: clock.nanoseconds(begin),
            ..base
        },
        Event::Sample { source, core, sample, begin, .. } => EventRecord {
            kind: 8,
            core: core.0,
            subject: source.0,
            run: sample,
            begin: clock.nanoseconds(begin),
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

fn count_names(catalog: &Catalog) -> usize {
    let names = catalog.read();
    names.cycles().count()
        + names.tasks().count()
        + names.workers().count()
        + names.sources().count()
        + names.callbacks().count()
}

/// Returns the names that the numbers in events stand for.
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
