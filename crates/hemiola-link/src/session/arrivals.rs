//! Messages and values of the peer that arrive, whole or in fragments.

use hemiola_model::configuration::SubjectKind;
use hemiola_runtime::Together;

use super::{Desk, End, Parting, Session, Taken};
use crate::ends::{Contents, plain};
use crate::passage::Passage;
use crate::wire::{self, Fragment, Frame, Message, Reliable, WireError};

/// Values that belong together, of which some have not arrived.
pub struct Coming {
    /// The number of values that have not arrived.
    left: u32,
    /// Keeps those that have arrived from being seen.
    hold: Option<Together>,
    /// The topics of those that have arrived, each with the time at which it was handed over there.
    arrived: Vec<(usize, i64)>,
}

impl Session {
    /// Handles a fragment of a message of the peer.
    pub(super) fn gather(&mut self, fragment: &Fragment<'_>, desk: &mut Desk) -> Result<(), Parting> {
        if self.version < wire::VERSION_WITH_FRAGMENTS {
            return Err(Parting::Garbage(WireError::Kind(wire::FRAGMENT)));
        }
        match self.taken.get(&fragment.topic) {
            Some(Taken { end: End::Received(_), passage: Some(_), sequence, .. }) => {
                // What comes behind a later message, or twice, completes nothing.
                if sequence.is_some_and(|last| fragment.sequence <= last) {
                    return Ok(());
                }
            }
            _ => {
                desk.statistics.ignored += 1;
                return Ok(());
            }
        }
        let Some(whole) = self.assembly.add(fragment) else { return Ok(()) };
        match Frame::read(&whole).map_err(Parting::Garbage)? {
            Frame::Message(message) if (message.topic, message.sequence) == (fragment.topic, fragment.sequence) => {
                self.take(&message, Contents::Own(message.cdr), desk);
                Ok(())
            }
            _ => Err(Parting::Garbage(WireError::NoMessage)),
        }
    }

    /// Handles a frame that the peer sends until it is acknowledged, and those that have waited for
    /// it.
    pub(super) fn take_in_order(&mut self, reliable: &Reliable<'_>, desk: &mut Desk) -> Result<(), Parting> {
        if self.version < wire::VERSION_WITH_ACKNOWLEDGEMENTS {
            return Err(Parting::Garbage(WireError::Kind(wire::RELIABLE)));
        }
        desk.statistics.ignored += u64::from(!self.arrived.take(reliable.number, reliable.frame));
        while let Some(frame) = self.arrived.next() {
            match Frame::read(&frame).map_err(Parting::Garbage)? {
                Frame::Message(message) => self.take(&message, Contents::Own(message.cdr), desk),
                Frame::Fragment(fragment) => self.gather(&fragment, desk)?,
                _ => return Err(Parting::Garbage(WireError::NoMessage)),
            }
        }
        Ok(())
    }

    /// Notes that the next values belong together.
    pub(super) fn expect_together(&mut self, values: u32) {
        self.together = (values > 0).then(|| Coming { left: values, hold: None, arrived: Vec::new() });
    }

    /// Handles a message of the peer, whose CDR is there.
    pub fn take(&mut self, message: &Message<'_>, contents: Contents<'_>, desk: &mut Desk) {
        let Some(mut coming) = self.together.take_if(|_| message.stamp.is_some()) else {
            let arrived = self.take_one(message, contents, desk);
            return self.note_delays(arrived, desk);
        };
        if coming.hold.is_none()
            && let Some(Taken { end: End::Received(topic), .. }) = self.taken.get(&message.topic)
        {
            coming.hold = desk.topics.together(*topic);
        }
        coming.arrived.extend(self.take_one(message, contents, desk));
        // Whatever has become of this value, one less is to come.
        coming.left -= 1;
        if coming.left > 0 {
            self.together = Some(coming);
            return;
        }
        drop(coming.hold);
        self.note_delays(coming.arrived, desk);
    }

    /// Notes how long values or news were on their way, which can be seen from now on.
    fn note_delays(&self, arrived: impl IntoIterator<Item = (usize, i64)>, desk: &Desk) {
        let Some(clock) = &self.clock else { return };
        let now = desk.topics.now().nanoseconds();
        for (topic, left) in arrived {
            if let Some((delay, error)) = clock.delay(left, now) {
                desk.topics.note_delay(topic, delay, error);
            }
        }
    }

    /// Handles a message, value or news. Returns what the delay is to be noted of, with the time at
    /// which it was handed over there.
    fn take_one(&mut self, message: &Message<'_>, contents: Contents<'_>, desk: &mut Desk) -> Option<(usize, i64)> {
        let found = self.taken.get_mut(&message.topic);
        let Some((topic, sequence, passage)) = found.and_then(|taken| {
            let Taken { end: End::Received(topic), sequence, passage, .. } = taken else { return None };
            Some((*topic, sequence, passage.as_ref()?))
        }) else {
            desk.statistics.ignored += 1;
            return None;
        };
        let kind = desk.topics.received[topic].subject.kind;
        // Values have stamps, and messages of topics have none, unless they are news, which has no
        // contents.
        let is_news = kind == SubjectKind::Topic && message.stamp.is_some() && contents.length() == 0;
        if !is_news && message.stamp.is_some() != (kind == SubjectKind::Representation) {
            desk.statistics.ignored += 1;
            return None;
        }
        let received = desk.statistics.received(topic);
        if sequence.is_some_and(|last| message.sequence <= last) {
            received.late += 1;
            return None;
        }
        let lost = sequence.map_or(0, |last| message.sequence - last - 1);
        received.lost = received.lost.saturating_add(lost);
        *sequence = Some(message.sequence);
        self.assembly.forget(message.topic, message.sequence);
        let stamped = self.clock.as_ref().zip(message.stamp);
        let stamp = stamped.map(|(clock, stamp)| clock.convert(stamp, message.time, desk.topics.now().nanoseconds()));
        if is_news {
            desk.topics.hear_news(topic, stamp);
            return Some((topic, message.time));
        }
        let length = contents.length() as u64;
        let mut hand_over = |contents: Contents<'_>| match stamp {
            Some(stamp) => Ok(desk.topics.deliver(topic, stamp, contents)),
            None => desk.topics.publish(topic, contents).map(|()| true),
        };
        let handed_over = match passage {
            Passage::AsTheyAre => hand_over(contents),
            // Which field is where is found out step by step, and must not change meanwhile.
            Passage::ByNames(_) => match passage.pass(&contents.bytes()) {
                Ok(cdr) => hand_over(Contents::Own(&cdr)),
                Err(error) => Err(error.to_string()),
            },
        };
        match handed_over {
            Ok(is_first) => {
                received.is_stale = false;
                received.overtaken += u64::from(!is_first);
                received.messages += 1;
                received.bytes += length;
                stamp.map(|_| (topic, message.time))
            }
            Err(reason) => {
                received.unreadable += 1;
                let name = &desk.topics.received[topic].subject.name;
                let robot = self.robot.as_deref().unwrap_or_default();
                let text = format!("a message of `{name}` of `{robot}` cannot be read: {}", plain(&reason));
                desk.complain(text);
                None
            }
        }
    }
}
