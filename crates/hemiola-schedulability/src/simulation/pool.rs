//! The choice of the next task of a cycle for a worker.

use std::collections::VecDeque;

use super::draws::Draws;
use super::{Cycle, Observer};
use hemiola_analysis::{Costs, TimeSpan};

/// The state of a cycle.
#[derive(Debug)]
pub(super) struct CycleState {
    number: usize,
    /// The releases that worker 0 has not noticed: the time of each, and when it will notice it.
    /// The last one is the timer's next.
    coming: VecDeque<(TimeSpan, TimeSpan)>,
    /// The time from which on its workers are awake for the timer's next release, and that release.
    awake: Option<(TimeSpan, TimeSpan)>,
    /// A release that waits for the run to end.
    pending: Option<TimeSpan>,
    /// The release of the present run.
    running: Option<TimeSpan>,
    begun: bool,
    ready: Vec<Ready>,
    waiting: Vec<usize>,
    left: usize,
}

/// A cycle, the costs, and the present time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Here<'m> {
    pub(super) cycle: &'m Cycle,
    pub(super) costs: &'m Costs,
    pub(super) now: TimeSpan,
}

/// A task that could begin.
#[derive(Debug)]
struct Ready {
    /// The order among ready tasks: the smallest goes first.
    order: (usize, usize),
    /// The worker that made the task ready, and sees it at once.
    by: usize,
    /// The time at which the other workers see it.
    to_all: TimeSpan,
}

impl CycleState {
    pub(super) fn new(number: usize, cycle: &Cycle, costs: &Costs, draws: &mut Draws) -> Self {
        let mut state = Self {
            number,
            coming: VecDeque::new(),
            awake: None,
            pending: None,
            running: None,
            begun: false,
            ready: Vec::new(),
            waiting: Vec::new(),
            left: 0,
        };
        if let Some((first, _)) = cycle.every {
            state.set_timer(first, cycle, costs, draws);
        }
        state
    }

    /// Sets the timer; the workers will be awake a little earlier, if there is something to do.
    fn set_timer(&mut self, time: TimeSpan, cycle: &Cycle, costs: &Costs, draws: &mut Draws) {
        self.awake = (!cycle.graph.is_empty()).then(|| (time - draws.upto(costs.earliness), time));
        self.release(time, costs.timer_lateness, draws);
    }

    /// Returns whether the workers are awake while they wait for the timer.
    pub(super) fn is_awake(&self, now: TimeSpan) -> bool {
        self.awake.is_some_and(|(from, until)| (from..until).contains(&now))
    }

    /// Records a release; worker 0 runs at most `lateness` later.
    pub(super) fn release(&mut self, released: TimeSpan, lateness: TimeSpan, draws: &mut Draws) {
        let heard = released + draws.upto(lateness);
        let before = self.coming.back().map_or(TimeSpan::ZERO, |&(_, heard)| heard);
        self.coming.push_back((released, heard.max(before)));
    }

    /// Notices releases, and begins a run if none is under way.
    pub(super) fn hear(&mut self, here: Here<'_>, draws: &mut Draws, observer: &mut impl Observer) {
        while let Some(&(released, _)) = self.coming.front().filter(|(_, heard)| *heard <= here.now) {
            self.coming.pop_front();
            if let Some((_, period)) = here.cycle.every {
                self.set_timer(released + period.max(TimeSpan::TICK), here.cycle, here.costs, draws);
            }
            if self.pending.replace(released).is_some() {
                observer.replaced(self.number);
            }
            self.begin(here, draws, observer);
        }
    }

    /// Begins a run if one waits and none is under way.
    fn begin(&mut self, here: Here<'_>, draws: &mut Draws, observer: &mut impl Observer) {
        if self.running.is_some() {
            return;
        }
        let Some(released) = self.pending.take() else { return };
        let graph = &here.cycle.graph;
        if graph.is_empty() {
            observer.cycle_started(self.number, released, here.now);
            observer.cycle_ended(self.number, released, here.now);
            return;
        }
        self.running = Some(released);
        self.begun = false;
        self.left = graph.len();
        self.waiting = (0..graph.len()).map(|node| graph.predecessors(node).len()).collect();
        for node in 0..graph.len() {
            if self.waiting[node] == 0 {
                self.make_ready(here, node, 0, draws);
            }
        }
    }

    fn make_ready(&mut self, here: Here<'_>, node: usize, by: usize, draws: &mut Draws) {
        let to_all =
            if is_kept(here.cycle, node) { TimeSpan::MAX } else { here.now + draws.upto(here.costs.to_other_worker()) };
        self.ready.push(Ready { order: (here.cycle.order[node], node), by, to_all });
    }

    /// Returns the times at which something becomes visible to all.
    pub(super) fn next_event(&self) -> impl Iterator<Item = TimeSpan> {
        let heard = self.coming.front().map(|&(_, heard)| heard);
        let awake = self.awake.into_iter().flat_map(|(from, until)| [from, until]);
        self.ready.iter().map(|ready| ready.to_all).chain(heard).chain(awake)
    }

    /// Returns whether the worker can run a task.
    pub(super) fn has_work(&self, worker: usize, now: TimeSpan) -> bool {
        self.ready.iter().any(|ready| ready.by == worker || ready.to_all <= now)
    }

    /// Returns what a worker runs next. Unless that is a kept task, the worker gives away those
    /// that it has kept.
    pub(super) fn choose(
        &mut self,
        here: Here<'_>,
        worker: usize,
        draws: &mut Draws,
        observer: &mut impl Observer,
    ) -> Option<usize> {
        let now = here.now;
        let visible = |(_, ready): &(usize, &Ready)| ready.by == worker || ready.to_all <= now;
        let (place, _) = self.ready.iter().enumerate().filter(visible).min_by_key(|(_, ready)| ready.order)?;
        let (_, node) = self.ready.swap_remove(place).order;
        if !std::mem::replace(&mut self.begun, true)
            && let Some(released) = self.running
        {
            observer.cycle_started(self.number, released, now);
        }
        if !is_kept(here.cycle, node) {
            for ready in self.ready.iter_mut().filter(|ready| ready.by == worker && ready.to_all == TimeSpan::MAX) {
                ready.to_all = now + draws.upto(here.costs.to_other_worker());
            }
        }
        Some(node)
    }

    /// Ends a task of a worker. Returns when the run was released if that was its last task.
    pub(super) fn ended(
        &mut self,
        here: Here<'_>,
        worker: usize,
        node: usize,
        draws: &mut Draws,
        observer: &mut impl Observer,
    ) -> Option<TimeSpan> {
        for &next in here.cycle.graph.successors(node) {
            self.waiting[next] -= 1;
            if self.waiting[next] == 0 {
                self.make_ready(here, next, worker, draws);
            }
        }
        self.left -= 1;
        if self.left > 0 {
            return None;
        }
        let released = self.running.take()?;
        observer.cycle_ended(self.number, released, here.now);
        self.begin(here, draws, observer);
        Some(released)
    }
}

fn is_kept(cycle: &Cycle, node: usize) -> bool {
    cycle.workers > 1 && cycle.kept.get(node).copied().unwrap_or(false)
}
