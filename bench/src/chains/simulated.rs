use std::collections::VecDeque;

use hemiola_analysis::TimeSpan;
use hemiola_schedulability::simulation::{Model, Observer, Options, Source, Who, run};

use super::application::{Application, Cause};

/// The figures of a simulation, beside what the application measured.
pub struct Simulated {
    /// The processor time that was used, in cores.
    pub cores_used: f64,
    /// The number of messages that found no room.
    pub dropped: u64,
}

/// Runs an application in the simulator, until `end`.
pub fn simulate<A: Application>(model: &Model, end: TimeSpan, application: &A) -> Simulated {
    let callbacks = model.callbacks.len();
    let queues = vec![VecDeque::new(); callbacks];
    let works = vec![false; callbacks];
    let mut messages = Messages { model, application, queues, works, busy: TimeSpan::ZERO, dropped: 0 };
    run(model, &Options { end, ..Options::default() }, &mut messages);
    let cores_used = messages.busy.as_nanoseconds() as f64 / end.as_nanoseconds().max(1) as f64;
    Simulated { cores_used, dropped: messages.dropped }
}

/// The contents of messages, which the simulator only counts.
struct Messages<'s, A: Application> {
    model: &'s Model,
    application: &'s A,
    /// The messages that wait for each callback.
    queues: Vec<VecDeque<A::Message>>,
    /// True for each callback whose current call computes.
    works: Vec<bool>,
    /// The time that all cores were busy.
    busy: TimeSpan,
    dropped: u64,
}

impl<A: Application> Observer for Messages<'_, A> {
    fn callback_started(&mut self, callback: usize, released: TimeSpan, now: TimeSpan) {
        let message = self.queues[callback].pop_front();
        let cause = match (&self.model.callbacks[callback].source, &message) {
            (Source::Messages { .. }, Some(message)) => Cause::Received(message),
            _ => Cause::Expired(released),
        };
        self.works[callback] = self.application.begin(callback, cause, now);
    }

    fn callback_ended(&mut self, callback: usize, _released: TimeSpan, now: TimeSpan) {
        if !self.works[callback] {
            return;
        }
        let message = self.application.end(callback, now);
        for &receiver in &self.model.callbacks[callback].publishes {
            self.queues[receiver].push_back(message.clone());
        }
    }

    fn dropped(&mut self, callback: usize) {
        self.queues[callback].pop_front();
        self.dropped += 1;
    }

    fn ran(&mut self, _core: usize, _who: Who, from: TimeSpan, to: TimeSpan) {
        self.busy += to - from;
    }
}
