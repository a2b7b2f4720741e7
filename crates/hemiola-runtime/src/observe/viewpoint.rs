//! The viewpoint of one cycle or source, at which observers attach while it runs.
//!
//! A thread that wants to observe creates an outlet, with all memory that it needs, and posts it.
//! The cycle finds it between two of its runs and passes values on through it from then on; when
//! the observer has gone, the cycle posts the outlet to where others free it. So a cycle neither
//! allocates nor frees for observers, and no thread waits for a cycle.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::Time;

use super::hand_over::{Presence, WhenFull};
use super::observation::{Observation, PartChoice};
use super::observer::Observer;
use super::outlets::Outlet;
use super::parts::{Cut, CutWord, Inventory, PartLine, When, parts};
use super::reserve::Reserve;
use super::runs::{RunLine, runs};
use super::stack::{Node, Stack};
use super::values::{self, ValueLine, Wanted, values};
use crate::blackboard::Blackboard;
use crate::containment::contained;
use crate::error::RuntimeError;
use crate::record::InputRecord;
use crate::sync::AtomicU32;

/// The point at which one cycle or source can be observed.
pub struct Viewpoint {
    /// The name of the cycle or source.
    pub name: Arc<str>,
    pub blackboard: Arc<Blackboard>,
    /// The number of values of each representation that an observer may hold.
    depth: usize,
    /// The description of what can be observed besides values, if it is a cycle.
    pub cycle: Option<CycleView>,
    /// The outlets that are on their way to the cycle.
    pub arriving: Stack<Outlet>,
    /// The outlets that the cycle no longer needs.
    pub gone: Stack<Outlet>,
    reserve: Arc<Reserve>,
    /// The last run or sample of which everything has been passed on to all observers.
    pub complete: Arc<AtomicU32>,
}

/// The description of what runs of a cycle begin with.
pub struct CycleView {
    /// The inputs in the form of a transcript, with nothing read.
    pub inputs: Vec<InputRecord>,
    pub inventory: Inventory,
}

/// The request to one cycle or source.
#[derive(Default)]
pub struct Asked {
    /// The stores, each with the minimum time between two values.
    pub stores: Vec<(usize, Duration)>,
    pub runs: bool,
    pub parts: Option<When>,
    /// Set if only the present values are wanted, once.
    pub once: bool,
}

/// The observer's ends of what was requested.
#[derive(Default)]
pub struct Lines {
    pub values: Option<ValueLine>,
    pub runs: Option<RunLine>,
    pub parts: Option<PartLine>,
}

impl Viewpoint {
    /// Creates the viewpoint of a cycle or, without `cycle`, of a source with this period of runs
    /// or samples.
    pub fn new(name: &str, blackboard: Arc<Blackboard>, period: Option<Duration>, cycle: Option<CycleView>) -> Self {
        let away = if cycle.is_some() { values::AWAY } else { values::AWAY_FROM_SOURCE };
        Self {
            name: name.into(),
            depth: values::depth(period, away),
            cycle,
            arriving: Stack::default(),
            gone: Stack::default(),
            reserve: Reserve::new(blackboard.stores().len()),
            // The first run has the number 0.
            complete: Arc::new(AtomicU32::new(u32::MAX)),
            blackboard,
        }
    }

    /// Passes on everything that was requested, from the next run or sample on. Returns `None` if
    /// nothing was requested.
    ///
    /// # Errors
    /// Returns an error if a value cannot be created because its default panics.
    pub fn observe(
        &self,
        asked: Asked,
        presence: &Arc<Presence>,
        full: WhenFull,
    ) -> Result<Option<Lines>, RuntimeError> {
        self.tidy();
        self.tidy_arriving();
        let Asked { stores, runs: with_runs, parts: when, once } = asked;
        let cycle = self.cycle.as_ref();
        let cycle_runs = cycle.filter(|_| with_runs);
        let cycle_parts = cycle.zip(when);
        if stores.is_empty() && cycle_runs.is_none() && cycle_parts.is_none() {
            return Ok(None);
        }
        let mut outlet = Outlet::new(presence.clone(), once);
        let mut lines = Lines::default();
        if let Some(cycle) = cycle_runs {
            let (writer, line) = runs(&self.name, cycle.inputs.clone(), presence, full);
            (outlet.runs, lines.runs) = (Some(writer), Some(line));
        }
        if let Some((cycle, when)) = cycle_parts {
            let (writer, line) = parts(&self.name, &cycle.inventory, when, presence, full);
            (outlet.parts, lines.parts) = (Some(writer), Some(line));
        }
        if stores.is_empty() {
            self.arriving.post(Node::new(outlet));
            return Ok(Some(lines));
        }
        let depth = if once { 1 } else { self.depth };
        let wanted: Vec<_> = stores.into_iter().map(|(store, period)| Wanted { store, period, depth }).collect();
        let holds = wanted.iter().map(|wanted| (wanted.store, wanted.depth)).collect();
        let make = |store, count| {
            let made = contained(|| self.blackboard.store(store).make_slots(count));
            made.map_err(|panic| self.no_value(store, &panic))
        };
        self.reserve.reserve(holds, make, |made, reservation| {
            for (store, mut slots, before) in made {
                slots.make_room(self.blackboard.store(store), before);
                outlet.slots.push((store, slots));
            }
            let (writer, line) = values(&self.name, &self.blackboard, &wanted, presence, full, reservation);
            (outlet.values, lines.values) = (Some(writer), Some(line.completed_by(&self.complete)));
            self.arriving.post(Node::new(outlet));
            Some(lines)
        })
    }

    /// Frees outlets that were posted to a cycle that does not run, or to a source that waits, and
    /// whose observers have left meanwhile: somebody may request values repeatedly.
    fn tidy_arriving(&self) {
        if self.arriving.is_empty() {
            return;
        }
        let mut left = Vec::new();
        self.reserve.return_slots(|return_slots| {
            let mut arriving = self.arriving.take_all();
            while let Some(mut node) = arriving {
                arriving = node.next.take();
                if node.item.is_gone() {
                    node.item.slots.iter().for_each(|(store, slots)| return_slots(*store, slots.count()));
                    left.push(node);
                } else {
                    self.arriving.post(node);
                }
            }
        });
        drop(left);
    }

    /// Frees the outlets that the cycle no longer needs.
    pub fn tidy(&self) {
        let mut list = self.gone.take_all();
        while let Some(mut node) = list {
            list = node.next.take();
        }
    }

    fn no_value(&self, store: usize, panic: &str) -> RuntimeError {
        let name = self.blackboard.store(store).descriptor().name();
        RuntimeError::internal(&format!("no value of {name} could be made: {panic}"))
    }
}

/// The viewpoints of a robot: cycles first, then sources.
pub struct Viewpoints {
    all: Vec<Arc<Viewpoint>>,
}

/// The circumstances of a request.
#[derive(Clone, Copy)]
pub struct Occasion {
    pub full: WhenFull,
    /// The time from which the periods of parts are counted: the beginning for observers that came
    /// before it.
    pub since: Time,
    /// Set if cycles run on threads of their own, so that they attach an observer one by one.
    pub is_running: bool,
}

impl Viewpoints {
    pub fn new(all: Vec<Arc<Viewpoint>>) -> Self {
        Self { all }
    }

    /// Makes cycles and sources pass on what is requested to an observer.
    ///
    /// # Errors
    /// Returns an error if there is no such representation or cycle, the representation is opaque,
    /// or a value of it cannot be created.
    pub fn observe(
        &self,
        asked: &Observation,
        presence: &Arc<Presence>,
        observer: &mut Observer,
        occasion: Occasion,
    ) -> Result<(), RuntimeError> {
        asked.values.iter().try_for_each(|request| self.check(&request.representation))?;
        let word = match occasion.is_running {
            true => CutWord::while_running(self.cycles().count()),
            false => CutWord::before_the_beginning(),
        };
        if let Some(PartChoice::Around(cycle, _)) = &asked.parts
            && !self.cycles().any(|viewpoint| *viewpoint.name == **cycle)
        {
            let known = self.cycles().map(|viewpoint| viewpoint.name.to_string()).collect();
            return Err(RuntimeError::Unknown { kind: "cycle", name: cycle.clone(), known });
        }
        for viewpoint in &self.all {
            let stores = asked.values.iter().filter_map(|request| {
                Some((viewpoint.blackboard.store_of(&request.representation)?, request.period()))
            });
            let parts = asked.parts.as_ref().and_then(|choice| match choice {
                &PartChoice::Every(period) => {
                    Some(When::Every { cut: Cut::new(word.clone()), period, since: occasion.since })
                }
                PartChoice::Around(cycle, run) => (*viewpoint.name == **cycle).then_some(When::Runs(*run)),
            });
            let part = Asked { stores: stores.collect(), runs: asked.runs, parts, once: false };
            if let Some(Lines { values, runs, parts }) = viewpoint.observe(part, presence, occasion.full)? {
                observer.expected += 1;
                observer.values.extend(values);
                observer.runs.extend(runs);
                observer.parts.extend(parts);
            }
        }
        Ok(())
    }

    /// Frees the outlets that cycles and sources no longer need.
    pub fn tidy(&self) {
        self.all.iter().for_each(|viewpoint| viewpoint.tidy());
    }

    /// Returns all viewpoints.
    pub fn all(&self) -> &[Arc<Viewpoint>] {
        &self.all
    }

    /// Returns the viewpoint of a cycle.
    pub fn cycle(&self, index: usize) -> Option<&Arc<Viewpoint>> {
        self.all.get(index).filter(|viewpoint| viewpoint.cycle.is_some())
    }

    fn cycles(&self) -> impl Iterator<Item = &Arc<Viewpoint>> {
        self.all.iter().filter(|viewpoint| viewpoint.cycle.is_some())
    }

    /// Checks that a representation can be observed.
    fn check(&self, representation: &str) -> Result<(), RuntimeError> {
        let stores = || self.all.iter().flat_map(|viewpoint| viewpoint.blackboard.stores());
        let name = || representation.to_owned();
        match stores().find(|store| store.descriptor().name() == representation) {
            Some(store) if store.descriptor().data_type().is_some() => Ok(()),
            Some(_) => Err(RuntimeError::Opaque { name: name() }),
            None => {
                let known: BTreeSet<_> = stores().map(|store| store.descriptor().name().to_owned()).collect();
                let known = known.into_iter().collect();
                Err(RuntimeError::Unknown { kind: "representation", name: name(), known })
            }
        }
    }
}
