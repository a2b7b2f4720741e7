//! Reads traces back: the part of the protocol buffers' wire format and of Perfetto's packets that
//! a check needs. It is written against the format, not against the writer.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A field: its number and value.
type Field<'a> = (u64, Value<'a>);

#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Integer(u64),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    fn integer(self) -> u64 {
        let Self::Integer(value) = self else { panic!("expected an integer: {self:?}") };
        value
    }

    fn message(self) -> Vec<Field<'a>> {
        fields(self.bytes())
    }

    fn bytes(self) -> &'a [u8] {
        let Self::Bytes(bytes) = self else { panic!("expected bytes: {self:?}") };
        bytes
    }

    fn text(self) -> String {
        String::from_utf8(self.bytes().to_vec()).expect("text is UTF-8")
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().expect("an integer ends before its message");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Integer(varint(&mut bytes)),
            1 => {
                let (head, rest) = bytes.split_at(8);
                bytes = rest;
                Value::Integer(u64::from_le_bytes(head.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (head, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(head)
            }
            other => panic!("wire type {other} is not used by traces"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

fn all<'a>(fields: &[Field<'a>], number: u64) -> Vec<Value<'a>> {
    fields.iter().filter(|(field, _)| *field == number).map(|&(_, value)| value).collect()
}

fn first<'a>(fields: &[Field<'a>], number: u64) -> Option<Value<'a>> {
    all(fields, number).first().copied()
}

/// The contents of a track's descriptor.
#[derive(Clone, Debug, Default)]
pub struct Track {
    pub name: String,
    pub counter: bool,
    pub thread: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Begin,
    End,
    Instant,
    Counter,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub time: u64,
    pub kind: Kind,
    pub track: u64,
    pub name: String,
    pub value: Option<u64>,
    pub annotations: BTreeMap<String, u64>,
    pub flows: Vec<u64>,
    pub terminating_flows: Vec<u64>,
}

/// A trace whose references are all resolved. Reading panics where the format is violated.
#[derive(Debug, Default)]
pub struct Trace {
    pub tracks: BTreeMap<u64, Track>,
    pub events: Vec<Event>,
}

impl Trace {
    pub fn decode(bytes: &[u8]) -> Self {
        let mut trace = Self::default();
        let (mut names, mut annotations) = (HashMap::new(), HashMap::new());
        for (index, (field, packet)) in fields(bytes).into_iter().enumerate() {
            assert_eq!(field, 1, "a trace holds packets only");
            let packet = packet.message();
            assert_eq!(first(&packet, 10).map(Value::integer), Some(1), "one sequence");
            if index == 0 {
                assert_eq!(first(&packet, 13).map(Value::integer), Some(1), "the first packet clears the state");
                assert!(
                    first(&packet, 6).is_some() && first(&packet, 59).is_some(),
                    "the first packet tells the clock"
                );
            }
            if let Some(interned) = first(&packet, 12) {
                let interned = interned.message();
                intern(&mut names, all(&interned, 2));
                intern(&mut annotations, all(&interned, 3));
            }
            if let Some(descriptor) = first(&packet, 60) {
                trace.describe(&descriptor.message());
            }
            if let Some(event) = first(&packet, 11) {
                assert_eq!(first(&packet, 13).map(Value::integer), Some(2), "events need the interned names");
                let time = first(&packet, 8).expect("an event has a time").integer();
                trace.event(time, &event.message(), &names, &annotations);
            }
        }
        trace
    }

    fn describe(&mut self, descriptor: &[Field<'_>]) {
        let uuid = first(descriptor, 1).expect("a track has a number").integer();
        let thread = first(descriptor, 4).map(Value::message);
        let own = first(descriptor, 2).map(Value::text);
        let name = own.or_else(|| first(thread.as_ref()?, 5).map(Value::text)).unwrap_or_default();
        let parent = first(descriptor, 5).map(Value::integer);
        assert!(parent.is_none_or(|parent| self.tracks.contains_key(&parent)), "`{name}` hangs on an unknown track");
        let track = Track { name, counter: first(descriptor, 8).is_some(), thread: thread.is_some() };
        assert!(self.tracks.insert(uuid, track).is_none(), "track {uuid} is described twice");
    }

    fn event(
        &mut self,
        time: u64,
        event: &[Field<'_>],
        names: &HashMap<u64, String>,
        annotation_names: &HashMap<u64, String>,
    ) {
        let kind = match first(event, 9).expect("an event has a type").integer() {
            1 => Kind::Begin,
            2 => Kind::End,
            3 => Kind::Instant,
            4 => Kind::Counter,
            other => panic!("no such type of event: {other}"),
        };
        let track = first(event, 11).expect("an event has a track").integer();
        let described = self.tracks.get(&track).unwrap_or_else(|| panic!("track {track} is not described"));
        assert_eq!(described.counter, kind == Kind::Counter, "on track `{}`", described.name);
        let name = first(event, 10).map(|iid| names[&iid.integer()].clone()).unwrap_or_default();
        assert_eq!(name.is_empty(), matches!(kind, Kind::End | Kind::Counter), "`{name}` as {kind:?}");
        let annotations = all(event, 4)
            .into_iter()
            .map(|annotation| {
                let annotation = annotation.message();
                let name = annotation_names[&first(&annotation, 1).unwrap().integer()].clone();
                (name, first(&annotation, 3).map_or(0, Value::integer))
            })
            .collect();
        let integers = |field| all(event, field).into_iter().map(Value::integer).collect();
        self.events.push(Event {
            time,
            kind,
            track,
            name,
            value: first(event, 30).or(first(event, 44)).map(Value::integer),
            annotations,
            flows: integers(47),
            terminating_flows: integers(48),
        });
    }

    pub fn track_of(&self, event: &Event) -> &str {
        &self.tracks[&event.track].name
    }

    /// Panics unless the slices of every track close in order and every flow has two ends.
    pub fn assert_sound(&self) {
        let mut depths: BTreeMap<u64, i64> = BTreeMap::new();
        let mut sorted: Vec<&Event> = self.events.iter().collect();
        sorted.sort_by_key(|event| event.time);
        for event in sorted {
            let depth = depths.entry(event.track).or_default();
            *depth += i64::from(event.kind == Kind::Begin) - i64::from(event.kind == Kind::End);
            assert!(*depth >= 0, "a slice ends that never began, on `{}`", self.track_of(event));
        }
        for (track, depth) in depths {
            assert_eq!(depth, 0, "a slice never ends, on `{}`", self.tracks[&track].name);
        }
        let ends = |of: fn(&Event) -> &Vec<u64>| {
            let flows: Vec<u64> = self.events.iter().flat_map(of).copied().collect();
            let unique: BTreeSet<u64> = flows.iter().copied().collect();
            assert_eq!(flows.len(), unique.len(), "a flow has an end twice");
            unique
        };
        assert_eq!(ends(|event| &event.flows), ends(|event| &event.terminating_flows), "a flow lacks an end");
    }

    pub fn count(&self, kind: Kind, name: &str) -> usize {
        self.events.iter().filter(|event| event.kind == kind && event.name == name).count()
    }
}

/// Returns the end of the last complete packet that ends before `limit`.
pub fn packet_boundary_before(bytes: &[u8], limit: usize) -> usize {
    let mut rest = bytes;
    let mut boundary = 0;
    while !rest.is_empty() {
        varint(&mut rest);
        let length = varint(&mut rest) as usize;
        rest = &rest[length..];
        let end = bytes.len() - rest.len();
        if end > limit {
            break;
        }
        boundary = end;
    }
    boundary
}

fn intern(table: &mut HashMap<u64, String>, entries: Vec<Value<'_>>) {
    for entry in entries {
        let entry = entry.message();
        let (number, name) = (first(&entry, 1).unwrap().integer(), first(&entry, 2).unwrap().text());
        assert!(number > 0 && table.insert(number, name).is_none(), "an interned name is defined twice");
    }
}
