//! Read access to the catalog.

use super::{Callback, Catalog, Counter, Cycle, Exchange, Names, Plan, Runs, Task, Worker};
use crate::ids::{CallbackId, CounterId, CycleId, ExchangeId, PlanId, SourceId, TaskId, TopicId, WorkerId};
use std::marker::PhantomData;
use std::sync::Arc;

/// The names of a [`Catalog`] at one moment. A number that the catalog had not assigned by then has
/// no entry.
///
/// ```
/// use hemiola_trace::{Catalog, Cycle};
///
/// let catalog = Catalog::new("robot");
/// let before = catalog.read();
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// assert!(before.cycle(motion).is_none());
/// assert_eq!(catalog.read().cycle_name(motion), "motion");
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Debug)]
pub struct CatalogGuard<'c>(Arc<Names>, PhantomData<&'c Catalog>);

impl CatalogGuard<'_> {
    pub(super) fn of(names: Arc<Names>) -> Self {
        Self(names, PhantomData)
    }

    /// Returns the name of the process.
    pub fn process(&self) -> &str {
        &self.0.process
    }

    /// Returns the entry of a cycle.
    pub fn cycle(&self, id: CycleId) -> Option<&Cycle> {
        self.0.cycles.get(id.index())
    }

    /// Returns the entry of a task.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.0.tasks.get(id.index())
    }

    /// Returns the entry of a worker.
    pub fn worker(&self, id: WorkerId) -> Option<&Worker> {
        self.0.workers.get(id.index())
    }

    /// Returns the name of a source.
    pub fn source(&self, id: SourceId) -> Option<&str> {
        self.0.sources.get(id.index()).map(String::as_str)
    }

    /// Returns the entry of an exchange.
    pub fn exchange(&self, id: ExchangeId) -> Option<&Exchange> {
        self.0.exchanges.get(id.index())
    }

    /// Returns the name of a topic.
    pub fn topic(&self, id: TopicId) -> Option<&str> {
        self.0.topics.get(id.index()).map(String::as_str)
    }

    /// Returns the entry of a callback.
    pub fn callback(&self, id: CallbackId) -> Option<&Callback> {
        self.0.callbacks.get(id.index())
    }

    /// Returns the entry of a counter.
    pub fn counter(&self, id: CounterId) -> Option<&Counter> {
        self.0.counters.get(id.index())
    }

    /// Returns the entry of a task graph.
    pub fn plan(&self, id: PlanId) -> Option<&Plan> {
        self.0.plans.get(id.index())
    }

    /// Returns all cycles in the order of their registration.
    pub fn cycles(&self) -> impl Iterator<Item = (CycleId, &Cycle)> {
        self.0.cycles.iter().enumerate().map(|(index, cycle)| (CycleId(index as u16), cycle))
    }

    /// Returns all tasks in the order of their registration.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.0.tasks.iter().enumerate().map(|(index, task)| (TaskId(index as u16), task))
    }

    /// Returns the names of all sources in the order of their registration.
    pub fn sources(&self) -> impl Iterator<Item = (SourceId, &str)> {
        self.0.sources.iter().enumerate().map(|(index, name)| (SourceId(index as u16), name.as_str()))
    }

    /// Returns all callbacks in the order of their registration.
    pub fn callbacks(&self) -> impl Iterator<Item = (CallbackId, &Callback)> {
        self.0.callbacks.iter().enumerate().map(|(index, callback)| (CallbackId(index as u16), callback))
    }

    /// Returns all workers in the order of their registration.
    pub fn workers(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.0.workers.iter().enumerate().map(|(index, worker)| (WorkerId(index as u16), worker))
    }

    /// Returns the name of a task, or its number if the catalog does not contain it.
    pub fn task_name(&self, id: TaskId) -> String {
        self.task(id).map_or_else(|| format!("task {}", id.0), |task| task.name.clone())
    }

    /// Returns the name of the cycle to which a task belongs, or the task's number if the catalog
    /// does not contain it.
    pub fn cycle_of(&self, id: TaskId) -> String {
        self.task(id).map_or_else(|| format!("the cycle of task {}", id.0), |task| self.cycle_name(task.cycle))
    }

    /// Returns the name of a cycle, or its number if the catalog does not contain it.
    pub fn cycle_name(&self, id: CycleId) -> String {
        self.cycle(id).map_or_else(|| format!("cycle {}", id.0), |cycle| cycle.name.clone())
    }

    /// Returns the name of a source, or its number if the catalog does not contain it.
    pub fn source_name(&self, id: SourceId) -> String {
        self.source(id).map_or_else(|| format!("source {}", id.0), str::to_owned)
    }

    /// Returns `motion 0` for the first worker of `motion`, the name of a callback executor,
    /// `source Imu`, or the number if the catalog does not contain it.
    pub fn worker_name(&self, id: WorkerId) -> String {
        match self.worker(id).map(|worker| &worker.runs) {
            Some(Runs::Tasks { cycle, index }) => format!("{} {index}", self.cycle_name(*cycle)),
            Some(Runs::Callbacks { executor }) => executor.clone(),
            Some(Runs::Samples { source }) => format!("source {}", self.source_name(*source)),
            Some(Runs::Service) => "service".to_owned(),
            None => format!("worker {}", id.0),
        }
    }
}
