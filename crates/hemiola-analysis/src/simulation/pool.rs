//! Which task of a cycle a worker runs next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Cycle, Observer};
use crate::Time;

/// What a cycle is at.
#[derive(Debug)]
pub(super) struct CycleState {
    /// When its timer releases it next.
    pub(super) next_release: Time,
    /// A release that waits for the run to end.
    pending: Option<Time>,
    /// When the present run was released.
    running: Option<Time>,
    begun: bool,
    ready: BinaryHeap<Reverse<(usize, usize)>>,
    waiting: Vec<usize>,
    left: usize,
}

impl CycleState {
    pub(super) fn new(cycle: &Cycle) -> Self {
        Self {
            next_release: cycle.every.map_or(Time::MAX, |(first, _)| first),
            pending: None,
            running: None,
            begun: false,
            ready: BinaryHeap::new(),
            waiting: Vec::new(),
            left: 0,
        }
    }

    /// Releases it now if its timer says so.
    pub(super) fn tick(&mut self, number: usize, cycle: &Cycle, now: Time, observer: &mut impl Observer) {
        while self.next_release <= now {
            let released = self.next_release;
            self.next_release += cycle.every.map_or(Time::MAX, |(_, period)| period.max(Time::TICK));
            self.release(number, cycle, released, now, observer);
        }
    }

    pub(super) fn release(
        &mut self,
        number: usize,
        cycle: &Cycle,
        released: Time,
        now: Time,
        observer: &mut impl Observer,
    ) {
        if self.pending.replace(released).is_some() {
            observer.replaced(number);
        }
        self.begin(number, cycle, now, observer);
    }

    /// Begins a run if one waits and none is under way.
    fn begin(&mut self, number: usize, cycle: &Cycle, now: Time, observer: &mut impl Observer) {
        if self.running.is_some() {
            return;
        }
        let Some(released) = self.pending.take() else { return };
        if cycle.graph.is_empty() {
            observer.cycle_started(number, released, now);
            observer.cycle_ended(number, released, now);
            return;
        }
        self.running = Some(released);
        self.begun = false;
        self.left = cycle.graph.len();
        self.waiting = (0..cycle.graph.len()).map(|node| cycle.graph.predecessors(node).len()).collect();
        let sources = (0..cycle.graph.len()).filter(|&node| self.waiting[node] == 0);
        self.ready = sources.map(|node| Reverse((cycle.order[node], node))).collect();
    }

    /// How many tasks could begin.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// What a worker runs next.
    pub(super) fn choose(&mut self, number: usize, now: Time, observer: &mut impl Observer) -> Option<usize> {
        let Reverse((_, node)) = self.ready.pop()?;
        if !std::mem::replace(&mut self.begun, true)
            && let Some(released) = self.running
        {
            observer.cycle_started(number, released, now);
        }
        Some(node)
    }

    /// A worker has ended a task. Tells when the run was released if that was the last one.
    pub(super) fn ended(
        &mut self,
        number: usize,
        cycle: &Cycle,
        node: usize,
        now: Time,
        observer: &mut impl Observer,
    ) -> Option<Time> {
        for &next in cycle.graph.successors(node) {
            self.waiting[next] -= 1;
            if self.waiting[next] == 0 {
                self.ready.push(Reverse((cycle.order[next], next)));
            }
        }
        self.left -= 1;
        if self.left > 0 {
            return None;
        }
        let released = self.running.take()?;
        observer.cycle_ended(number, released, now);
        self.begin(number, cycle, now, observer);
        Some(released)
    }
}
