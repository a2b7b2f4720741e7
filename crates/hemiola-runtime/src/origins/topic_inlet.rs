//! The provenance of messages that come from another process, and of their absence.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::module::Place;
use hemiola_trace::{ExchangeId, LinkProfile};

use super::{OriginWriter, TopicOrigins};
use crate::blackboard::feedback::Shape;
use crate::blackboard::provenance::Provenance;
use crate::inlet::Delays;

/// The inlet for what the messages of a topic derive from that come from another process:
/// [`RobotHandle::topic_inlet`](crate::RobotHandle::topic_inlet). For chains, such a topic is a
/// source: `link.audio.Whistle`.
///
/// ```
/// # fn receive(robot: &hemiola_runtime::RobotHandle, publisher: hemiola_model::module::Place) {
/// if let Some(whistles) = robot.topic_inlet("link.audio.Whistle") {
///     // All messages up to now were published here, and reflect the world as it is now.
///     whistles.hear(publisher, 0, Some(robot.now()));
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct TopicInlet(Arc<Inlet>);

struct Inlet {
    topic: Arc<TopicOrigins>,
    /// The number of the topic among all sources of samples.
    source: usize,
    shape: Shape,
    exchange: ExchangeId,
    publisher: Mutex<Option<Publisher>>,
    delays: Delays,
}

/// The publisher that publishes the messages here.
struct Publisher {
    place: Place,
    writer: OriginWriter,
    provenance: Provenance,
    /// The number of the next news, which takes the place of a sample's number.
    number: u32,
}

impl TopicInlet {
    pub(crate) fn new(topic: Arc<TopicOrigins>, source: usize, shape: Shape, exchange: ExchangeId) -> Self {
        let (publisher, delays) = (Mutex::default(), Delays::default());
        Self(Arc::new(Inlet { topic, source, shape, exchange, publisher, delays }))
    }

    /// Notes that the messages of the publisher at that place, up to message number `next`, and the
    /// absence of further ones, derive from samples up to `stamp`; if that is `None`, it is not
    /// known from now on. Off the real-time threads.
    pub fn hear(&self, place: Place, next: u64, stamp: Option<Time>) {
        let Inlet { topic, source, shape, exchange, publisher, .. } = &*self.0;
        let mut publisher = publisher.lock().unwrap_or_else(PoisonError::into_inner);
        if publisher.as_ref().is_none_or(|known| known.place != place) {
            let writer = OriginWriter::new(topic.clone(), place, *shape, *exchange);
            let made = |writer| Publisher { place, writer, provenance: Provenance::shaped(*shape), number: 0 };
            *publisher = writer.map(made);
        }
        let Some(Publisher { writer, provenance, number, .. }) = &mut *publisher else { return };
        provenance.clear();
        if let Some(stamp) = stamp {
            provenance.include(*source, stamp);
        }
        writer.begin(*number, next, provenance);
        writer.end(next);
        *number = number.wrapping_add(1);
    }

    /// Notes the time from the end of a run that may have published until [`hear`](Self::hear) has
    /// noted that here, which is known up to the error of the other program's clock. The time is
    /// kept in the profile, for bounds on chains by these messages.
    pub fn note_delay(&self, delay: Duration, clock_error: Duration) {
        self.0.delays.note(delay, clock_error);
    }

    /// Returns the delays so far.
    pub(crate) fn measured(&self) -> LinkProfile {
        self.0.delays.measured()
    }

    /// Resets the delays.
    pub(crate) fn clear_measured(&self) {
        self.0.delays.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::blackboard::feedback::Entrance;
    use crate::origins::{OriginReader, Origins};

    #[test]
    fn what_came_is_as_old_as_was_said_until_nothing_is_known_any_more() {
        let origins = Origins::default();
        let inlet = TopicInlet::new(origins.of("Whistle"), 1, 2_usize.into(), ExchangeId(7));
        let mut reader = OriginReader::new(origins.of("Whistle"), 2, Entrance::default());
        let mut heard = || {
            reader.look();
            let mut runs = Vec::new();
            reader.hear(|_| 9, &mut |exchange, run| runs.push((exchange.0, run)));
            (reader.heard().heard(1).map(|(oldest, newest)| (oldest.nanoseconds(), newest.nanoseconds())), runs)
        };
        assert_eq!(heard(), (None, vec![]));
        inlet.hear(Place::Outside(4), 0, Some(Time::from_nanoseconds(5)));
        assert_eq!(heard(), (Some((5, 5)), vec![(7, 0)]));
        inlet.hear(Place::Outside(4), 2, Some(Time::from_nanoseconds(8)));
        assert_eq!(heard(), (Some((8, 8)), vec![(7, 1)]));
        inlet.hear(Place::Outside(4), 2, None);
        assert_eq!(heard().0, None);
        // There is no such place.
        inlet.hear(Place::Outside(1000), 0, Some(Time::from_nanoseconds(9)));
        assert_eq!(heard().0, None);
    }
}
