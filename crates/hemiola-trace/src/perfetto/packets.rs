//! The packets of a trace, as the encoder creates them: tracks, and the events on them.

use super::fields::Fields;
use std::collections::HashMap;

/// The contents of a track's descriptor.
#[derive(Debug, Default)]
pub(super) struct TrackName {
    pub(super) name: String,
    pub(super) is_thread: bool,
    pub(super) is_counter: bool,
    /// The kernel's ID of the thread.
    pub(super) thread: u32,
    /// The rank among its siblings: the smallest comes first.
    pub(super) rank: u64,
    pub(super) unit: String,
}

/// The kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    SliceBegin,
    SliceEnd,
    Instant,
    Counter,
}

/// An event of a track, which refers to names by their numbers.
pub(super) struct Packet<'b> {
    pub(super) time: u64,
    pub(super) kind: Kind,
    pub(super) track: u64,
    /// The number of its name.
    pub(super) name: u64,
    event: Fields<'b>,
}

/// The interned names of a trace: tracks, events, annotations.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) tracks: HashMap<u64, TrackName>,
    events: HashMap<u64, String>,
    annotations: HashMap<String, u64>,
}

impl Names {
    /// Returns the names in all packets, and the number of bytes in complete packets.
    pub(super) fn of(bytes: &[u8]) -> (Self, usize) {
        let mut names = Self::default();
        let mut packets = Fields::of(bytes);
        for packet in packets.by_ref().filter_map(|field| field.message()) {
            for field in packet {
                match (field.number, field.message()) {
                    (INTERNED_DATA, Some(interned)) => names.intern(interned),
                    (TRACK_DESCRIPTOR, Some(descriptor)) => names.describe(descriptor),
                    _ => {}
                }
            }
        }
        let whole = packets.offset();
        (names, whole)
    }

    fn intern(&mut self, interned: Fields<'_>) {
        for entry in interned {
            let Some(message) = entry.message() else { continue };
            let (Some(number), Some(name)) = (message.integer(1), message.field(2).and_then(|field| field.text()))
            else {
                continue;
            };
            match entry.number {
                EVENT_NAMES => _ = self.events.insert(number, name.to_owned()),
                ANNOTATION_NAMES => _ = self.annotations.insert(name.to_owned(), number),
                _ => {}
            }
        }
    }

    fn describe(&mut self, descriptor: Fields<'_>) {
        let Some(uuid) = descriptor.integer(1) else { return };
        let message = |number| descriptor.field(number).and_then(|field| field.message());
        let (thread, counter) = (message(4), message(8));
        let own = descriptor.field(2).or_else(|| thread.as_ref()?.field(5));
        let text = |field: Option<super::fields::Field<'_>>| field.and_then(|field| field.text().map(str::to_owned));
        let track = TrackName {
            name: text(own).unwrap_or_default(),
            thread: thread.as_ref().and_then(|thread| thread.integer(2)).unwrap_or_default() as u32,
            is_thread: thread.is_some(),
            rank: descriptor.integer(12).unwrap_or_default(),
            unit: text(counter.as_ref().and_then(|counter| counter.field(6))).unwrap_or_default(),
            is_counter: counter.is_some(),
        };
        self.tracks.insert(uuid, track);
    }

    /// Returns the name of an event.
    pub(super) fn event(&self, packet: &Packet<'_>) -> &str {
        self.events.get(&packet.name).map_or("", String::as_str)
    }

    /// Returns the value of a numeric annotation.
    pub(super) fn number(&self, packet: &Packet<'_>, name: &str) -> Option<u64> {
        self.annotation(packet, name)?.integer(3)
    }

    /// Returns the text of a textual annotation.
    pub(super) fn text<'b>(&self, packet: &Packet<'b>, name: &str) -> Option<&'b str> {
        self.annotation(packet, name)?.field(6)?.text()
    }

    fn annotation<'b>(&self, packet: &Packet<'b>, name: &str) -> Option<Fields<'b>> {
        let number = *self.annotations.get(name)?;
        let mut annotations =
            packet.event.clone().filter(|field| field.number == 4).filter_map(|field| field.message());
        annotations.find(|annotation| annotation.integer(1) == Some(number))
    }
}

impl<'b> Packet<'b> {
    /// Returns all events of a trace.
    pub(super) fn all(bytes: &'b [u8]) -> impl Iterator<Item = Self> {
        Fields::of(bytes).filter_map(|field| field.message()).filter_map(|packet| {
            let event = packet.field(TRACK_EVENT)?.message()?;
            let kind = match event.integer(9)? {
                1 => Kind::SliceBegin,
                2 => Kind::SliceEnd,
                3 => Kind::Instant,
                4 => Kind::Counter,
                _ => return None,
            };
            let (time, track) = (packet.integer(TIMESTAMP)?, event.integer(11)?);
            Some(Self { time, kind, track, name: event.integer(10).unwrap_or_default(), event })
        })
    }

    /// Returns the flows that begin or end here.
    pub(super) fn flows(&self, end: FlowEnd) -> impl Iterator<Item = u64> {
        let number = match end {
            FlowEnd::Leaves => 47,
            FlowEnd::Enters => 48,
        };
        self.event.clone().filter(move |field| field.number == number).filter_map(|field| field.integer())
    }

    /// Returns the value of a counter of whole numbers.
    pub(super) fn count(&self) -> Option<u64> {
        self.event.integer(30)
    }

    /// Returns the value of a counter.
    pub(super) fn value(&self) -> Option<f64> {
        self.event.integer(44).map(f64::from_bits)
    }
}

/// One end of a flow.
#[derive(Clone, Copy)]
pub(super) enum FlowEnd {
    Leaves,
    Enters,
}

const TIMESTAMP: u64 = 8;
const TRACK_EVENT: u64 = 11;
const INTERNED_DATA: u64 = 12;
const TRACK_DESCRIPTOR: u64 = 60;
const EVENT_NAMES: u64 = 2;
const ANNOTATION_NAMES: u64 = 3;
