//! The choice of the next callback of an executor.

use std::collections::VecDeque;

use super::draws::Draws;
use super::{Callback, Dispatch, Missed, Model, Source};
use hemiola_analysis::TimeSpan;

/// The state of a callback.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The next expiry, if it is a timer.
    expires: TimeSpan,
    /// The time at which its executor notices that expiry.
    noticed: TimeSpan,
    /// The waiting messages, if it is a subscription: when each was released, and when its executor
    /// notices it.
    messages: VecDeque<(TimeSpan, TimeSpan)>,
    /// The number of messages that have arrived from outside, if it is a subscription.
    pub(super) arrived: usize,
}

impl Waiting {
    pub(super) fn new(callback: &Callback, lateness: TimeSpan) -> Self {
        let expires = match callback.source {
            Source::Timer { first, .. } => first,
            Source::Messages { .. } => TimeSpan::MAX,
        };
        Self { expires, noticed: expires + lateness, messages: VecDeque::new(), arrived: 0 }
    }

    fn is_ready(&self, now: TimeSpan) -> bool {
        self.next_event() <= now
    }

    /// Returns when its executor notices that there is something to do.
    pub(super) fn next_event(&self) -> TimeSpan {
        self.messages.front().map_or(self.noticed, |&(_, noticed)| noticed)
    }

    /// Removes the message or expiry that makes it ready, and returns when that was released. The
    /// next expiry of its timer is noticed `lateness` late.
    fn take(&mut self, callback: &Callback, now: TimeSpan, lateness: TimeSpan) -> Option<TimeSpan> {
        match callback.source {
            Source::Messages { .. } => self.messages.pop_front().map(|(released, _)| released),
            Source::Timer { period, missed, .. } => {
                let released = self.expires;
                self.expires = released + period;
                if missed == Missed::Skip && self.expires < now {
                    self.expires += period * (now - self.expires).jobs_of(period);
                }
                self.noticed = self.expires + lateness;
                Some(released)
            }
        }
    }

    /// Queues a message that is noticed at `noticed`, and returns whether another one was dropped
    /// for it.
    pub(super) fn receive(&mut self, depth: usize, released: TimeSpan, noticed: TimeSpan) -> bool {
        let full = self.messages.len() >= depth.max(1);
        if full {
            self.messages.pop_front();
        }
        let before = self.messages.back().map_or(TimeSpan::ZERO, |&(_, noticed)| noticed);
        self.messages.push_back((released, noticed.max(before)));
        full
    }
}

/// The state of an executor.
#[derive(Debug)]
pub(super) struct ExecutorState {
    /// The callbacks, timers before subscriptions, each as registered.
    callbacks: Vec<usize>,
    timers: usize,
    /// The callbacks that were ready at the last poll and have not run.
    seen: VecDeque<usize>,
}

impl ExecutorState {
    pub(super) fn new(model: &Model, executor: usize) -> Self {
        let mine = |&index: &usize| model.callbacks[index].executor == executor;
        let is_timer = |&index: &usize| matches!(model.callbacks[index].source, Source::Timer { .. });
        let (mut callbacks, others): (Vec<usize>, Vec<usize>) =
            (0..model.callbacks.len()).filter(mine).partition(is_timer);
        let timers = callbacks.len();
        callbacks.extend(others);
        Self { callbacks, timers, seen: VecDeque::new() }
    }

    /// Returns whether the executor has something to run.
    pub(super) fn has_work(&self, waiting: &[Waiting], now: TimeSpan) -> bool {
        !self.seen.is_empty() || self.callbacks.iter().any(|&callback| waiting[callback].is_ready(now))
    }

    /// Returns what the executor runs next, and when that was released.
    pub(super) fn choose(
        &mut self,
        model: &Model,
        dispatch: Dispatch,
        waiting: &mut [Waiting],
        now: TimeSpan,
        draws: &mut Draws,
    ) -> Option<(usize, TimeSpan)> {
        loop {
            let callback = match dispatch {
                Dispatch::Priority => {
                    let ready = self.callbacks.iter().copied().filter(|&callback| waiting[callback].is_ready(now));
                    // Of equals, the first one is chosen, as by strict comparisons.
                    ready.rev().max_by_key(|&callback| model.callbacks[callback].priority)?
                }
                Dispatch::WaitSet => {
                    if self.seen.is_empty() {
                        let ready = self.callbacks.iter().copied().filter(|&callback| waiting[callback].is_ready(now));
                        self.seen = ready.collect();
                    }
                    self.seen.pop_front()?
                }
                Dispatch::TimersAlways => {
                    let (timers, others) = self.callbacks.split_at(self.timers);
                    let timer = timers.iter().copied().find(|&timer| waiting[timer].is_ready(now));
                    if timer.is_none() && self.seen.is_empty() {
                        self.seen = others.iter().copied().filter(|&other| waiting[other].is_ready(now)).collect();
                    }
                    timer.or_else(|| self.seen.pop_front())?
                }
            };
            let lateness = draws.upto(model.costs.timer_lateness);
            if let Some(released) = waiting[callback].take(&model.callbacks[callback], now, lateness) {
                return Some((callback, released));
            }
        }
    }
}
