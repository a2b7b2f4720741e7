//! Modules that come and go while messages flow, on one thread: in every turn one of N leaves the
//! topic, another one joins it, and a message is delivered to all that are there.
//!
//! The time of a change is that from the request to leave until both are done; that of a message
//! begins after it.

use super::Assignment;
use super::assignment::print;
use super::fan_out::{Message, Module};
use crate::monotonic_ns;

/// The contestant: a topic that modules can leave.
pub trait Topic {
    /// A module's place in the topic.
    type Place;

    /// Subscribes a module, which gets every message from now on.
    fn subscribe(&mut self, module: &'static Module) -> Self::Place;

    /// Ends a subscription.
    fn unsubscribe(&mut self, place: Self::Place);

    /// Sends a message.
    fn publish(&mut self, message: Message);

    /// Returns when everything has been done and delivered.
    fn synchronise(&mut self);
}

/// The number of turns before those that count.
const WARM_UP: u64 = 1000;

/// Measures a contestant.
///
/// # Panics
/// If a module got a message while it was not there, or not every message while it was.
pub fn measure<T: Topic>(assignment: &Assignment, mut topic: T) {
    let (present, turns) = (assignment.number("modules"), assignment.number("turns"));
    // One module more than there are at a time: the one that has left comes back in the next turn.
    let modules: Vec<Module> = (0..=present).map(|_| Module::default()).collect();
    let modules: &'static [Module] = Vec::leak(modules);
    let mut places: Vec<Option<T::Place>> = modules.iter().map(|_| None).collect();
    let mut absent = present as usize;
    for (module, place) in modules.iter().zip(&mut places).take(absent) {
        *place = Some(topic.subscribe(module));
    }
    let mut missed = vec![(0, 0); modules.len()];
    let (mut changes, mut deliveries) = (Vec::new(), Vec::new());
    for sequence in 0..WARM_UP + turns {
        let next = (absent + 1) % modules.len();
        let begin = monotonic_ns();
        if let Some(place) = places[next].take() {
            topic.unsubscribe(place);
        }
        places[absent] = Some(topic.subscribe(&modules[absent]));
        topic.synchronise();
        let changed = monotonic_ns();
        topic.publish(Message { sequence, padding: 0 });
        topic.synchronise();
        let delivered = monotonic_ns();
        absent = next;
        missed[absent] = (missed[absent].0 + 1, missed[absent].1 + sequence);
        if sequence >= WARM_UP {
            changes.push(changed - begin);
            deliveries.push(delivered - changed);
        }
    }
    drop(topic);
    let sent = WARM_UP + turns;
    for (module, (count, sum)) in modules.iter().zip(missed) {
        assert_eq!(module.reset(), (sent - count, sent * (sent - 1) / 2 - sum), "deliveries to a module");
    }
    print("change_ns", changes);
    print("message_ns", deliveries);
}
