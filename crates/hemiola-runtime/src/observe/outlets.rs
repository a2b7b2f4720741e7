//! The outlets of a cycle or source: its end for all its observers.

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::module::BetweenRuns;
use hemiola_trace::Ticks;

use super::hand_over::Presence;
use super::parts::PartWriter;
use super::runs::RunWriter;
use super::stack::Node;
use super::values::{Provided, ValueWriter};
use super::viewpoint::Viewpoint;
use crate::blackboard::Blackboard;
use crate::blackboard::store::NewSlots;
use crate::cycle::RunBefore;
use crate::program::World;
use crate::run::Beginning;
use crate::sync::{AtomicU64, Ordering};

/// The outlet of one cycle or source to one observer.
pub struct Outlet {
    presence: Arc<Presence>,
    pub values: Option<ValueWriter>,
    pub runs: Option<RunWriter>,
    pub parts: Option<PartWriter>,
    /// New slots for stores that have too few for all observers.
    pub slots: Vec<(usize, NewSlots)>,
    /// Set if only the present values are wanted, once.
    once: bool,
    /// Set if something was passed on of which the observer was not notified yet.
    has_news: bool,
}

impl Outlet {
    pub fn new(presence: Arc<Presence>, once: bool) -> Self {
        Self { presence, values: None, runs: None, parts: None, slots: Vec::new(), once, has_news: false }
    }

    /// Returns whether its observer has left.
    pub fn is_gone(&self) -> bool {
        self.presence.is_gone()
    }
}

/// All outlets of a cycle or source, in the order in which they came. It belongs to worker 0, or to
/// the source's thread.
pub struct Outlets {
    first: Option<Box<Node<Outlet>>>,
    viewpoint: Arc<Viewpoint>,
    /// The number of runs of all cycles that were recorded.
    order: Arc<AtomicU64>,
}

impl Outlets {
    pub fn new(viewpoint: Arc<Viewpoint>, order: Arc<AtomicU64>) -> Self {
        Self { first: None, viewpoint, order }
    }

    /// Returns the viewpoint at which observers attach.
    pub fn viewpoint(&self) -> &Arc<Viewpoint> {
        &self.viewpoint
    }

    /// Admits observers that have come. If there is none, this is one load. No allocation, no lock,
    /// no system call.
    #[inline]
    pub fn attend(&mut self, blackboard: &Blackboard, last_run: (u32, Time), between: &mut BetweenRuns<'_>) {
        if !self.viewpoint.arriving.is_empty() {
            self.admit(blackboard, 0, last_run, false, between);
        }
    }

    /// Admits observers like [`attend`](Self::attend), for a source that has taken a sample with
    /// that number: observers that have come receive it.
    #[inline]
    pub fn attend_with_sample(
        &mut self,
        blackboard: &Blackboard,
        (sample, stamp): (u32, Time),
        between: &mut BetweenRuns<'_>,
    ) {
        if !self.viewpoint.arriving.is_empty() {
            self.admit(blackboard, sample, (sample, stamp), true, between);
        }
    }

    #[cold]
    fn admit(
        &mut self,
        blackboard: &Blackboard,
        sequence: u32,
        run: (u32, Time),
        with_present: bool,
        between: &mut BetweenRuns<'_>,
    ) {
        // While no run ends, observers may come and leave again and again.
        self.release_gone();
        let mut arriving = self.viewpoint.arriving.take_all();
        while let Some(mut node) = arriving {
            arriving = node.next.take();
            let outlet = &mut node.item;
            for (store, slots) in &mut outlet.slots {
                blackboard.store(*store).add_slots(slots, between);
            }
            outlet.presence.attach();
            let with_present = with_present || outlet.once;
            if let Some(values) = &mut outlet.values {
                values.begin(blackboard, sequence, with_present);
                if outlet.once {
                    let (run, now) = run;
                    values.pass_on(blackboard, Provided { run, now, at: Ticks::now() }, between);
                }
            }
            if outlet.once || outlet.is_gone() {
                self.viewpoint.gone.post(node);
            } else {
                let mut end = &mut self.first;
                while let Some(node) = end {
                    end = &mut node.next;
                }
                *end = Some(node);
            }
        }
    }

    /// Posts the outlets of observers that have left, so that they are freed elsewhere.
    fn release_gone(&mut self) {
        let mut next = &mut self.first;
        while let Some(node) = next {
            if !node.item.is_gone() {
                // The link is read again, because the previous node may have been replaced.
                next = match next {
                    Some(node) => &mut node.next,
                    None => return,
                };
                continue;
            }
            let after = node.next.take();
            if let Some(gone) = std::mem::replace(next, after) {
                self.viewpoint.gone.post(gone);
            }
        }
    }

    /// Notes that a run of a cycle begins, and has not read its inputs.
    #[inline]
    pub fn begin_run(&mut self, run: u32, now: impl FnOnce() -> Time) {
        if let Some(first) = &mut self.first {
            let now = now();
            each(first, |outlet| {
                if let Some(parts) = &mut outlet.parts {
                    parts.begin_run(run, now);
                }
            });
        }
    }

    /// Writes the record of what the run begins with.
    #[inline]
    pub fn write_down(
        &mut self,
        beginning: &Beginning<'_>,
        before: RunBefore,
        world: World<'_>,
        between: &BetweenRuns<'_>,
    ) {
        let Some(first) = &mut self.first else { return };
        // All observers get the same number, which is taken here and not earlier: see `runs`.
        let mut order = None;
        each(first, |outlet| {
            if outlet.presence.is_gone() {
                return;
            }
            if let Some(parts) = &mut outlet.parts {
                parts.write_down(beginning, (before.now, before.is_safe), world, between);
            }
            if let Some(runs) = &mut outlet.runs {
                let order = *order.get_or_insert_with(|| self.order.fetch_add(1, Ordering::Relaxed));
                runs.write_down(order, beginning, world, between);
            }
        });
    }

    /// Passes on what was provided, and posts the outlets of observers that have left. Observers
    /// are notified when all of them have what the run provided: what several of them read then
    /// belongs together.
    #[inline]
    pub fn pass_on(&mut self, blackboard: &Blackboard, provided: Provided, between: &BetweenRuns<'_>) {
        let mut next = &mut self.first;
        while let Some(node) = next {
            if node.item.presence.is_gone() {
                let after = node.next.take();
                if let Some(gone) = std::mem::replace(next, after) {
                    self.viewpoint.gone.post(gone);
                }
                continue;
            }
            let Outlet { values, runs, parts, has_news, .. } = &mut node.item;
            let has_values = values.as_mut().is_some_and(|values| values.pass_on(blackboard, provided, between));
            // The record of a run, and a part, were passed on when it began.
            *has_news = has_values || runs.is_some() || parts.is_some();
            // The link is read again, because the previous node may have been replaced.
            next = match next {
                Some(node) => &mut node.next,
                None => break,
            };
        }
        self.complete(provided.run);
    }

    /// Notes that everything of a run has been passed on, and notifies the observers.
    fn complete(&mut self, run: u32) {
        let Some(first) = &mut self.first else { return };
        // Release: whoever reads the number finds what was passed on.
        self.viewpoint.complete.store(run, Ordering::Release);
        each(first, |outlet| {
            if std::mem::take(&mut outlet.has_news) {
                outlet.presence.notify();
            }
        });
    }
}

impl Outlets {
    /// Passes on a cycle's present values to observers that have not seen them, while it stands
    /// still. Returns whether all observers have seen them, or are on their way to.
    pub fn show_present(&mut self, blackboard: &Blackboard, run: u32, now: Time, between: &BetweenRuns<'_>) -> bool {
        let Some(first) = &mut self.first else { return true };
        let provided = Provided { run, now, at: Ticks::now() };
        let mut is_complete = true;
        each(first, |outlet| {
            let Outlet { presence, values: Some(values), has_news, .. } = outlet else { return };
            let shown = values.show_present(blackboard, provided, between);
            *has_news = shown.is_new;
            is_complete &= shown.is_complete || presence.is_gone();
        });
        self.complete(run);
        is_complete
    }
}

impl Drop for Outlets {
    fn drop(&mut self) {
        // Nodes are dropped one by one: a long list would need a deep stack.
        while let Some(mut node) = self.first.take() {
            self.first = node.next.take();
        }
    }
}

fn each(mut node: &mut Box<Node<Outlet>>, mut act: impl FnMut(&mut Outlet)) {
    loop {
        act(&mut node.item);
        match &mut node.next {
            Some(next) => node = next,
            None => return,
        }
    }
}
