use std::collections::VecDeque;

use hemiola_analysis::Time;
use hemiola_analysis::simulation::{Model, Observer, Options, Source, run};

use super::application::{Application, Cause};

/// Lets an application run in the simulator, until `end`.
pub fn simulate<A: Application>(model: &Model, end: Time, application: &A) {
    let callbacks = model.callbacks.len();
    let queues = vec![VecDeque::new(); callbacks];
    let mut messages = Messages { model, application, queues, works: vec![false; callbacks] };
    run(model, &Options { end, ..Options::default() }, &mut messages);
}

/// The messages that the simulator only counts.
struct Messages<'s, A: Application> {
    model: &'s Model,
    application: &'s A,
    /// Per callback, what waits for it.
    queues: Vec<VecDeque<A::Message>>,
    /// Per callback, whether its present call computes.
    works: Vec<bool>,
}

impl<A: Application> Observer for Messages<'_, A> {
    fn callback_started(&mut self, callback: usize, released: Time, now: Time) {
        let message = self.queues[callback].pop_front();
        let cause = match (&self.model.callbacks[callback].source, &message) {
            (Source::Messages { .. }, Some(message)) => Cause::Received(message),
            _ => Cause::Expired(released),
        };
        self.works[callback] = self.application.begin(callback, cause, now);
    }

    fn callback_ended(&mut self, callback: usize, _released: Time, now: Time) {
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
    }
}
