//! The actors and event loops that are listed on a bus, so that they appear beside the topics and
//! services. Nothing finds them by name.

use crate::actor::{Actor, ActorReport, Figures};
use crate::event_loop::EventLoopReport;
#[cfg(not(loom))]
use crate::event_loop::{Claims, Producer};
use hemiola_trace::TickScale;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

#[derive(Default)]
pub(super) struct Listed {
    actors: Mutex<Vec<(String, Weak<Figures>)>>,
    event_loops: Mutex<Vec<(String, Reporter)>>,
}

/// A function that makes a report under the given name, unless the event loop is gone.
type Reporter = Box<dyn Fn(&str) -> Option<EventLoopReport> + Send + Sync>;

impl Listed {
    pub(super) fn add_actor<S: 'static>(&self, name: &str, actor: &Actor<S>, scale: Option<&TickScale>) {
        if let Some(scale) = scale {
            actor.figures().measure(scale);
        }
        lock(&self.actors).push((name.to_owned(), Arc::downgrade(actor.figures())));
    }

    pub(super) fn actors(&self) -> Vec<ActorReport> {
        let mut actors = lock(&self.actors);
        actors.retain(|(_, figures)| figures.strong_count() > 0);
        actors.iter().filter_map(|(name, figures)| Some(figures.upgrade()?.report(name))).collect()
    }

    #[cfg(not(loom))]
    pub(super) fn add_event_loop<E: Send + Sync + 'static, C: Claims>(
        &self,
        name: &str,
        producer: &Producer<E, C>,
        scale: Option<&TickScale>,
    ) {
        if let Some(scale) = scale {
            producer.measure(scale);
        }
        lock(&self.event_loops).push((name.to_owned(), Box::new(producer.reporter())));
    }

    pub(super) fn event_loops(&self) -> Vec<EventLoopReport> {
        let mut reports = Vec::new();
        lock(&self.event_loops).retain(|(name, report)| {
            let report = report(name);
            let is_there = report.is_some();
            reports.extend(report);
            is_there
        });
        reports
    }
}

/// A list is whole even if the thread that changed it panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
