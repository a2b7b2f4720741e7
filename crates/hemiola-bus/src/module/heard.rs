//! The record of what a subscription has received of each publisher.

use hemiola_model::module::{Inlet, Place};

/// The messages that a subscription has received: in this run, in its order, and before.
pub struct Heard {
    /// The publishers of this run's messages come first, in the order of the messages.
    inlets: [Inlet; PUBLISHERS],
    known: usize,
    /// The number of publishers of which this run has messages.
    received: usize,
}

/// The number of publishers that are told apart.
const PUBLISHERS: usize = 16;

/// The place of messages in one run of more publishers than are told apart: a replay does not find
/// it, and says so.
const NOBODY: Place = Place::Outside(u32::MAX);

impl Default for Heard {
    fn default() -> Self {
        Self { inlets: [Inlet::default(); PUBLISHERS], known: 0, received: 0 }
    }
}

impl Heard {
    /// Begins a run, in which nothing was received yet.
    pub fn begin_run(&mut self) {
        for inlet in &mut self.inlets[..self.received] {
            *inlet = Inlet { place: inlet.place, first: inlet.end(), count: 0 };
        }
        self.received = 0;
    }

    /// Notes a message. Those of one publisher come one after the other.
    pub fn note(&mut self, place: Place, number: u64) {
        let Self { inlets, known, received } = self;
        if let Some(last) = inlets[..*received].last_mut().filter(|last| last.place == place) {
            last.count += 1;
            return;
        }
        let silent = inlets[*received..*known].iter().position(|inlet| inlet.place == place);
        let found = match silent {
            Some(silent) => *received + silent,
            None if *known < PUBLISHERS => {
                *known += 1;
                *known - 1
            }
            // One that says nothing in this run is forgotten.
            None => PUBLISHERS - 1,
        };
        if *received == PUBLISHERS {
            let last = &mut inlets[PUBLISHERS - 1];
            *last = Inlet { place: NOBODY, count: last.count + 1, ..*last };
            return;
        }
        inlets.swap(found, *received);
        inlets[*received] = Inlet { place, first: number, count: 1 };
        *received += 1;
    }

    /// Returns this run's messages, in their order.
    pub fn received(&self) -> &[Inlet] {
        &self.inlets[..self.received]
    }

    /// Returns the messages of all known publishers: those of this run in their order, then
    /// publishers that were silent.
    pub fn all(&self) -> &[Inlet] {
        &self.inlets[..self.known]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn inlet(place: Place, first: u64, count: u32) -> Inlet {
        Inlet { place, first, count }
    }

    #[test]
    fn who_is_silent_comes_after_who_is_not_and_keeps_its_number() {
        let (one, other) = (Place::Cycle(0), Place::Outside(0));
        let mut heard = Heard::default();
        heard.begin_run();
        [(one, 3), (one, 4), (other, 0)].into_iter().for_each(|(place, number)| heard.note(place, number));
        assert_eq!(heard.received(), [inlet(one, 3, 2), inlet(other, 0, 1)]);
        heard.begin_run();
        heard.note(other, 1);
        assert_eq!(heard.received(), [inlet(other, 1, 1)]);
        assert_eq!(heard.all(), [inlet(other, 1, 1), inlet(one, 5, 0)]);
        heard.begin_run();
        assert_eq!(heard.received(), []);
        assert_eq!(heard.all(), [inlet(other, 2, 0), inlet(one, 5, 0)]);
    }

    #[test]
    fn more_publishers_than_are_told_apart_are_nobody() {
        let mut heard = Heard::default();
        (0..20).for_each(|number| heard.note(Place::Outside(number), 7));
        assert_eq!(heard.received().len(), PUBLISHERS);
        assert_eq!(heard.received()[PUBLISHERS - 1], inlet(NOBODY, 7, 5));
        heard.begin_run();
        heard.note(Place::Outside(19), 8);
        assert_eq!(heard.received(), [inlet(Place::Outside(19), 8, 1)]);
        assert_eq!(heard.all().len(), PUBLISHERS);
    }
}
