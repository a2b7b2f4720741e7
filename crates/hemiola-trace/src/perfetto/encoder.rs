//! The packets of a Perfetto sequence: descriptors, interned names, events.
//!
//! Field numbers are those of `perfetto/trace/trace_packet.proto` and the files that it imports.

use super::protobuf::Message;
use crate::clock::KernelClocks;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// An encoder that creates packets and collects their bytes.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    bytes: Message,
    names: Interned,
    annotations: Interned,
    /// The definitions of new names, which the next packet carries.
    new_names: Message,
    described: HashSet<Track>,
}

impl Encoder {
    /// Adds the packet that opens a sequence: the clock of its times, and its relation to the other
    /// clocks.
    pub(super) fn open(&mut self, clocks: &KernelClocks) {
        self.bytes.nested(PACKET, |packet| {
            packet.nested(CLOCK_SNAPSHOT, |snapshot| {
                for (id, nanoseconds) in [(1, clocks.realtime), (MONOTONIC, clocks.monotonic), (6, clocks.boottime)] {
                    snapshot.nested(1, |clock| {
                        clock.uint(1, id).uint(2, nanoseconds);
                    });
                }
                snapshot.uint(2, MONOTONIC);
            });
            packet.uint(SEQUENCE_ID, SEQUENCE).uint(SEQUENCE_FLAGS, INCREMENTAL_STATE_CLEARED).uint(FIRST_PACKET, 1);
            packet.nested(DEFAULTS, |defaults| {
                defaults.uint(TIMESTAMP_CLOCK, MONOTONIC);
            });
        });
    }

    /// Describes a track, the first time that it is used.
    pub(super) fn describe(&mut self, track: Track, fill: impl FnOnce(&mut Descriptor<'_>)) {
        if !self.described.insert(track) {
            return;
        }
        self.bytes.nested(PACKET, |packet| {
            packet.nested(TRACK_DESCRIPTOR, |descriptor| {
                descriptor.uint(1, track.uuid());
                fill(&mut Descriptor(descriptor));
            });
            packet.uint(SEQUENCE_ID, SEQUENCE);
        });
    }

    pub(super) fn slice_begin(&mut self, track: Track, time: u64, name: &str, details: &Details<'_>) {
        self.event(SLICE_BEGIN, track, time, Some(name), details);
    }

    pub(super) fn slice_end(&mut self, track: Track, time: u64) {
        self.event(SLICE_END, track, time, None, &Details::default());
    }

    pub(super) fn instant(&mut self, track: Track, time: u64, name: &str, details: &Details<'_>) {
        self.event(INSTANT, track, time, Some(name), details);
    }

    pub(super) fn counter(&mut self, track: Track, time: u64, value: Value<'_>) {
        self.packet(time, |event| {
            event.uint(9, COUNTER).uint(11, track.uuid());
            match value {
                Value::Number(number) => event.uint(30, number),
                Value::Real(real) => event.double(44, real),
                Value::Text(_) => event,
            };
        });
    }

    /// Returns the bytes so far, and continues without them.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.bytes)
    }

    fn event(&mut self, kind: u64, track: Track, time: u64, name: Option<&str>, details: &Details<'_>) {
        let name = name.map(|name| self.names.number(EVENT_NAMES, name, &mut self.new_names));
        let mut annotations = [0; MOST_ANNOTATIONS];
        for (number, (name, _)) in annotations.iter_mut().zip(&details.annotations) {
            *number = self.annotations.number(ANNOTATION_NAMES, name, &mut self.new_names);
        }
        self.packet(time, |event| {
            event.uint(9, kind).uint(11, track.uuid());
            if let Some(name) = name {
                event.uint(10, name);
            }
            for (number, (_, value)) in annotations.into_iter().zip(&details.annotations) {
                event.nested(4, |annotation| {
                    annotation.uint(1, number);
                    match value {
                        Value::Number(number) => annotation.uint(3, *number),
                        Value::Real(real) => annotation.double(5, *real),
                        Value::Text(text) => annotation.text(6, text),
                    };
                });
            }
            for &flow in &details.flows {
                event.fixed64(47, flow);
            }
            for &flow in &details.terminating_flows {
                event.fixed64(48, flow);
            }
        });
    }

    /// Adds a packet with an event, and with the names that this event is the first to use.
    fn packet(&mut self, time: u64, fill: impl FnOnce(&mut Message)) {
        let Self { bytes, new_names, .. } = self;
        bytes.nested(PACKET, |packet| {
            packet.uint(TIMESTAMP, time).uint(SEQUENCE_ID, SEQUENCE).nested(TRACK_EVENT, fill);
            if !new_names.bytes.is_empty() {
                packet.nested(INTERNED_DATA, |interned| interned.bytes.append(&mut new_names.bytes));
            }
            packet.uint(SEQUENCE_FLAGS, NEEDS_INCREMENTAL_STATE);
        });
    }
}

/// The maximum number of annotations of an event.
const MOST_ANNOTATIONS: usize = 6;

/// The details of an event besides its name and time.
#[derive(Debug, Default)]
pub(super) struct Details<'a> {
    pub(super) annotations: Vec<(&'static str, Value<'a>)>,
    pub(super) flows: Vec<u64>,
    pub(super) terminating_flows: Vec<u64>,
}

impl<'a> Details<'a> {
    pub(super) fn annotated(annotations: impl Into<Vec<(&'static str, Value<'a>)>>) -> Self {
        let annotations = annotations.into();
        debug_assert!(annotations.len() <= MOST_ANNOTATIONS);
        Self { annotations, ..Self::default() }
    }
}

/// A value of an annotation or a counter.
#[derive(Debug)]
pub(super) enum Value<'a> {
    Number(u64),
    Real(f64),
    Text(Cow<'a, str>),
}

/// A track on which events are drawn. Its number is derived from its kind and the number of what it
/// shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Track {
    Process,
    Worker(u16),
    Cycle(u16),
    Ready(u16),
    CycleTime(u16),
    Jitter(u16),
    QueueDelay(u16),
    Drops(u16),
    DataAge(u16, u16),
    Counter(u16),
    Topic(u16),
    Running(u16),
    Waiting(u16),
    Stolen(u8),
    Curve(u16),
    Annotations,
}

impl Track {
    pub(super) fn uuid(self) -> u64 {
        let (kind, low, high) = match self {
            Self::Process => (1, 0, 0),
            Self::Worker(id) => (2, id, 0),
            Self::Cycle(id) => (3, id, 0),
            Self::Ready(id) => (4, id, 0),
            Self::CycleTime(id) => (5, id, 0),
            Self::Jitter(id) => (6, id, 0),
            Self::QueueDelay(id) => (7, id, 0),
            Self::Drops(id) => (8, id, 0),
            Self::DataAge(source, output) => (9, source, output),
            Self::Counter(id) => (10, id, 0),
            Self::Topic(id) => (11, id, 0),
            Self::Running(worker) => (12, worker, 0),
            Self::Waiting(worker) => (13, worker, 0),
            Self::Stolen(core) => (14, core.into(), 0),
            Self::Curve(id) => (15, id, 0),
            Self::Annotations => (16, 0, 0),
        };
        kind << 32 | u64::from(high) << 16 | u64::from(low)
    }
}

/// The fields of a track's descriptor.
pub(super) struct Descriptor<'a>(&'a mut Message);

impl Descriptor<'_> {
    pub(super) fn process(&mut self, id: u32, name: &str) {
        self.0.nested(3, |process| {
            process.uint(1, u64::from(id)).text(6, name);
        });
        // Children are sorted by their ranks.
        self.0.uint(11, 3);
    }

    pub(super) fn thread(&mut self, process: u32, thread: u32, name: &str) {
        self.0.nested(4, |descriptor| {
            descriptor.uint(1, u64::from(process)).uint(2, u64::from(thread)).text(5, name);
        });
    }

    pub(super) fn child(&mut self, parent: Track, name: &str, rank: u64) {
        self.0.text(2, name).uint(5, parent.uuid()).uint(12, rank);
    }

    pub(super) fn counter(&mut self, parent: Track, name: &str, unit: Unit<'_>) {
        self.0.text(2, name).uint(5, parent.uuid()).nested(8, |counter| {
            match unit {
                Unit::Nanoseconds => counter.uint(3, 1),
                Unit::Count => counter.uint(3, 2),
                Unit::Named("") => counter,
                Unit::Named(name) => counter.text(6, name),
            };
        });
    }
}

/// The unit of a counter.
pub(super) enum Unit<'a> {
    Nanoseconds,
    Count,
    Named(&'a str),
}

/// Names that are written once and then referred to by number.
#[derive(Debug, Default)]
struct Interned(HashMap<String, u64>);

impl Interned {
    /// Returns the number of `name`; a new one is defined in `packet`.
    fn number(&mut self, field: u32, name: &str, packet: &mut Message) -> u64 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = self.0.len() as u64 + 1;
        self.0.insert(name.to_owned(), number);
        packet.nested(field, |entry| {
            entry.uint(1, number).text(2, name);
        });
        number
    }
}

const PACKET: u32 = 1;
const CLOCK_SNAPSHOT: u32 = 6;
const TIMESTAMP: u32 = 8;
const SEQUENCE_ID: u32 = 10;
const TRACK_EVENT: u32 = 11;
const INTERNED_DATA: u32 = 12;
const SEQUENCE_FLAGS: u32 = 13;
const TIMESTAMP_CLOCK: u32 = 58;
const DEFAULTS: u32 = 59;
const TRACK_DESCRIPTOR: u32 = 60;
const FIRST_PACKET: u32 = 87;

const EVENT_NAMES: u32 = 2;
const ANNOTATION_NAMES: u32 = 3;

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

const MONOTONIC: u64 = 3;
const SEQUENCE: u64 = 1;
const INCREMENTAL_STATE_CLEARED: u64 = 1;
const NEEDS_INCREMENTAL_STATE: u64 = 2;
