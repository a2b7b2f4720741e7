//! Events rather than state: a message, and a request to a thread that may block.

use std::path::PathBuf;

use hemiola::prelude::*;

/// The distance that a range finder measures.
#[derive(Representation, Clone, Default)]
pub struct Echo {
    pub metres: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Mood {
    pub grumpy: bool,
}

// ANCHOR: message
/// A message: the cart has bumped into something.
#[derive(Representation, Clone, Default)]
pub struct Bumped {
    pub at: Time,
}

#[derive(Module)]
pub struct Bumper {}

#[module]
impl Bumper {
    #[update]
    pub fn feel(&self, echo: &Echo, clock: &Clock, bumped: &mut Publisher<Bumped>) {
        if echo.metres < 0.05 {
            bumped.publish(Bumped { at: clock.now() });
        }
    }
}

#[derive(Module)]
pub struct Temper {}

#[module]
impl Temper {
    /// `bumped` holds the messages that arrived since the last run; each is seen in one run only.
    #[update]
    pub fn mood(&self, bumped: &Subscription<Bumped>, mood: &mut Mood) {
        mood.grumpy = !bumped.is_empty();
    }
}
// ANCHOR_END: message

// ANCHOR: service
/// A request: save the map.
#[derive(Representation, Clone, Default)]
pub struct SaveMap {
    pub at: Time,
}

/// The number of requests that saved the map, and of those that failed.
#[derive(Representation, Clone, Default)]
pub struct Saved {
    pub maps: u64,
    pub failures: u64,
}

#[derive(Module)]
pub struct MapKeeper {}

#[module]
impl MapKeeper {
    #[update]
    pub fn keep(
        &self,
        bumped: &Subscription<Bumped>,
        maps: &mut Requests<SaveMap, Result<PathBuf, String>>,
        before: Previous<Saved>,
        saved: &mut Saved,
    ) -> Result<(), SendError<SaveMap>> {
        *saved = before.clone();
        for answer in maps.answers() {
            match answer {
                Ok(Ok(_file)) => saved.maps += 1,
                _ => saved.failures += 1, // not saved, or no answer: the server has ended
            }
        }
        match bumped.last() {
            Some(bump) => maps.send(SaveMap { at: bump.at }), // never waits
            None => Ok(()),
        }
    }
}
// ANCHOR_END: service

#[cfg(test)]
mod tests {
    use hemiola::bus::Bus;

    use super::*;

    // ANCHOR: publishes
    #[test]
    fn a_bump_is_published_once() {
        let topic = Bus::new().topic("Bumped").unwrap();
        let mut messages = topic.queue(4, hemiola::bus::WhenFull::DropOldest);
        let clock = Clock::new(Time::from_seconds(2.0), std::time::Duration::ZERO, 7);

        Bumper {}.feel(&Echo { metres: 0.02 }, &clock, &mut topic.publisher());
        Bumper {}.feel(&Echo { metres: 0.50 }, &clock, &mut topic.publisher());

        assert_eq!(messages.receive().map(|bumped| bumped.at), Some(Time::from_seconds(2.0)));
        assert!(messages.receive().is_none());
    }
    // ANCHOR_END: publishes

    // ANCHOR: subscribes
    #[test]
    fn a_bump_makes_grumpy() {
        let mut mood = Mood::default();
        Temper {}.mood(&Subscription::of([Bumped { at: Time::ZERO }]), &mut mood);
        assert!(mood.grumpy);
    }
    // ANCHOR_END: subscribes

    // ANCHOR: asks
    #[test]
    fn a_map_is_saved_after_a_bump() {
        let bus = Bus::new();
        let mut server = bus.server::<SaveMap, Result<PathBuf, String>>("SaveMap", 4).unwrap();
        let mut maps = Requests::new(&bus).unwrap();
        let (zero, mut saved) = (Saved::default(), Saved::default());
        let bump = Subscription::of([Bumped { at: Time::ZERO }]);

        MapKeeper {}.keep(&bump, &mut maps, Previous::new(&zero), &mut saved).unwrap();
        let mut asked = 0;
        server.run(8, |_| {
            asked += 1;
            Ok("map.pgm".into())
        });

        assert_eq!((asked, maps.waiting()), (1, 1), "its answer is there in the next run");
    }
    // ANCHOR_END: asks

    #[test]
    fn without_a_server_the_request_comes_back() {
        let bump = Subscription::of([Bumped { at: Time::ZERO }]);
        let (zero, mut saved) = (Saved::default(), Saved::default());
        let asked = MapKeeper {}.keep(&bump, &mut Requests::to_nobody(), Previous::new(&zero), &mut saved);
        assert!(matches!(asked, Err(SendError::NoReceiver(_))));
    }
}
