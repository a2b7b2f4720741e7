//! The binary messages of the door, as `docs/book/src/door.md` describes them. This module uses no
//! sockets.

use thiserror::Error;

/// The head of a message with a value.
///
/// ```
/// use hemiola_live::protocol::binary::{HEAD, Head};
///
/// let head = Head { subscription: 7, sequence: 1, run: 2, time: -3, stamp: 4 };
/// assert_eq!(head.to_bytes().len(), HEAD);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the subscription that the value belongs to.
    pub subscription: u32,
    /// The number of the value among those to be sent; a missing number was dropped.
    pub sequence: u32,
    /// The run of the cycle, or the number of the source's sample.
    pub run: u32,
    /// The time at which the value was provided, in nanoseconds of the robot's clock.
    pub time: i64,
    /// The time of the newest sample that the value derives from.
    pub stamp: i64,
}

/// The kind of a message with a value of a representation, or a message of a topic.
pub const VALUE: u8 = 1;
/// The kind of a message with points of plots.
pub const POINTS: u8 = 2;
/// The kind of a message with events of the timeline.
pub const EVENTS: u8 = 3;

/// The kind of a message with an image of a module. The length of the record takes the place of the
/// subscription; the record follows as JSON, then the pixels.
pub const IMAGE: u8 = 4;

/// The number of bytes before a value.
pub const HEAD: usize = 32;
/// The number of bytes of an event.
pub const EVENT: usize = 32;
/// The number of bytes of a point.
const POINT: usize = 24;

/// Returns the beginning of a binary message.
pub fn begin(kind: u8, subscription: u32) -> Vec<u8> {
    let mut bytes = vec![kind, 0, 0, 0];
    bytes.extend_from_slice(&subscription.to_le_bytes());
    bytes
}

impl Head {
    /// Returns the 32 bytes that precede the value.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = begin(VALUE, self.subscription);
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.run.to_le_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
        bytes.extend_from_slice(&self.stamp.to_le_bytes());
        bytes
    }
}

/// A value of a representation, or a message of a topic.
///
/// ```
/// use hemiola_live::protocol::binary::{Head, ValueMessage};
///
/// let message = ValueMessage { head: Head::default(), data: b"CDR".to_vec() };
/// assert_eq!(message.head.subscription, 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueMessage {
    /// The subscription that the value belongs to, and the time at which it was provided.
    pub head: Head,
    /// The value in CDR, with its four header bytes, or as JSON or JPEG if that was requested.
    pub data: Vec<u8>,
}

/// The points of a field.
///
/// ```
/// use hemiola_live::protocol::binary::Points;
///
/// assert!(Points { field: 0, points: Vec::new() }.points.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// The index of the field in the request.
    pub field: u32,
    /// The points, sorted by time.
    pub points: Vec<Point>,
}

/// The values of a field within one step of time.
///
/// ```
/// use hemiola_live::protocol::binary::Point;
///
/// let point = Point { time: 0.5, minimum: 1.0, maximum: 2.0 };
/// assert!(point.minimum <= point.maximum);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The time at which the step begins, in seconds of the robot's clock.
    pub time: f64,
    /// The smallest value within the step.
    pub minimum: f64,
    /// The largest value within the step.
    pub maximum: f64,
}

impl Points {
    /// Appends the points to a message of points.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.field.to_le_bytes());
        bytes.extend_from_slice(&(self.points.len() as u32).to_le_bytes());
        for Point { time, minimum, maximum } in &self.points {
            for number in [time, minimum, maximum] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
    }
}

/// An event: something that ran or happened. The meaning of its numbers depends on `kind`.
///
/// ```
/// use hemiola_live::protocol::binary::EventRecord;
///
/// let record = EventRecord { begin: 10, end: 20, ..EventRecord::default() };
/// assert_eq!(record.end - record.begin, 10);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventRecord {
    /// The kind of the event; `docs/book/src/door.md` lists the kinds.
    pub kind: u8,
    /// The core on which it ran; 255 if unknown.
    pub core: u8,
    /// The number of the worker that ran it.
    pub worker: u16,
    /// The number of the task, cycle, source, exchange or callback that it is about.
    pub subject: u16,
    /// The number of a second participant: the cycle that received a value, or the source whose
    /// input was dropped.
    pub other: u16,
    /// The run in which it happened.
    pub run: u32,
    /// A further number, whose meaning depends on the kind.
    pub number: u32,
    /// The time at which it began, in nanoseconds of the robot's clock.
    pub begin: i64,
    /// The time at which it ended, in nanoseconds of the robot's clock.
    pub end: i64,
}

impl EventRecord {
    /// Appends the record's 32 bytes.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&[self.kind, self.core]);
        for half in [self.worker, self.subject, self.other] {
            bytes.extend_from_slice(&half.to_le_bytes());
        }
        bytes.extend_from_slice(&self.run.to_le_bytes());
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.begin.to_le_bytes());
        bytes.extend_from_slice(&self.end.to_le_bytes());
    }
}

/// A binary message.
///
/// ```
/// use hemiola_live::protocol::binary::{EVENTS, EventRecord, Frame, begin};
///
/// let record = EventRecord { subject: 3, ..EventRecord::default() };
/// let mut bytes = begin(EVENTS, 7);
/// record.append_to(&mut bytes);
/// assert_eq!(Frame::read(&bytes)?, Frame::Events { subscription: 7, records: vec![record] });
/// # Ok::<(), hemiola_live::protocol::binary::Malformed>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A value of a representation, or a message of a topic.
    Value(ValueMessage),
    /// Points of plots.
    Points {
        /// The number of the subscription.
        subscription: u32,
        /// The new points of each field; fields without new points are omitted.
        fields: Vec<Points>,
    },
    /// The events that the timeline shows.
    Events {
        /// The number of the subscription.
        subscription: u32,
        /// The events, in the order in which each thread recorded them.
        records: Vec<EventRecord>,
    },
}

/// The error for bytes that are not a message of the door.
///
/// ```
/// use hemiola_live::protocol::binary::Frame;
///
/// assert_eq!(Frame::read(&[1, 0]).unwrap_err().to_string(), "a message of 2 bytes is not valid: it ends within its head");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a message of {length} bytes is not valid: {reason}")]
pub struct Malformed {
    /// The number of bytes.
    pub length: usize,
    /// The reason why they are not a message.
    pub reason: &'static str,
}

impl Frame {
    /// Reads a binary message.
    ///
    /// # Errors
    /// Returns an error if its kind is unknown, or it is shorter or longer than it says.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut rest = Bytes(bytes);
        let malformed = |reason| Malformed { length: bytes.len(), reason };
        let (kind, subscription) = rest.head().ok_or_else(|| malformed("it ends within its head"))?;
        match kind {
            VALUE => {
                let message =
                    rest.value(subscription).ok_or_else(|| malformed("it ends within the head of its value"))?;
                Ok(Self::Value(message))
            }
            POINTS => {
                let mut fields = Vec::new();
                while !rest.0.is_empty() {
                    fields.push(rest.points().ok_or_else(|| malformed("it ends within a field's points"))?);
                }
                Ok(Self::Points { subscription, fields })
            }
            EVENTS if rest.0.len() % EVENT == 0 => {
                let records = rest.0.chunks_exact(EVENT).filter_map(|record| Bytes(record).event());
                Ok(Self::Events { subscription, records: records.collect() })
            }
            EVENTS => Err(malformed("it ends within an event")),
            _ => Err(malformed("its kind is unknown")),
        }
    }
}

/// The bytes that have not been read yet.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn head(&mut self) -> Option<(u8, u32)> {
        let [kind, ..] = self.next::<4>()?;
        Some((kind, self.u32()?))
    }

    fn value(&mut self, subscription: u32) -> Option<ValueMessage> {
        let (sequence, run) = (self.u32()?, self.u32()?);
        let (time, stamp) = (self.i64()?, self.i64()?);
        Some(ValueMessage { head: Head { subscription, sequence, run, time, stamp }, data: self.0.to_owned() })
    }

    fn points(&mut self) -> Option<Points> {
        let (field, count) = (self.u32()?, self.u32()? as usize);
        // The count may be wrong, so memory is allocated only for bytes that exist.
        if count.checked_mul(POINT)? > self.0.len() {
            return None;
        }
        let points = (0..count).map(|_| self.point()).collect::<Option<_>>()?;
        Some(Points { field, points })
    }

    fn point(&mut self) -> Option<Point> {
        Some(Point { time: self.f64()?, minimum: self.f64()?, maximum: self.f64()? })
    }

    fn event(&mut self) -> Option<EventRecord> {
        let [kind, core] = self.next()?;
        Some(EventRecord {
            kind,
            core,
            worker: self.u16()?,
            subject: self.u16()?,
            other: self.u16()?,
            run: self.u32()?,
            number: self.u32()?,
            begin: self.i64()?,
            end: self.i64()?,
        })
    }

    fn u16(&mut self) -> Option<u16> {
        self.next().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.next().map(u32::from_le_bytes)
    }

    fn i64(&mut self) -> Option<i64> {
        self.next().map(i64::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.next().map(f64::from_le_bytes)
    }

    fn next<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let (next, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*next)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(kind: u8, subscription: u32) -> Vec<u8> {
        [&[kind, 0, 0, 0][..], &subscription.to_le_bytes()].concat()
    }

    #[test]
    fn a_value_has_its_times_before_it() {
        let mut bytes = head(1, 7);
        [3_u32, 4].into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        [-5_i64, 6].into_iter().for_each(|time| bytes.extend(time.to_le_bytes()));
        assert_eq!(bytes.len(), 32);
        bytes.extend([0, 1, 0, 0, 42]);
        let head = Head { subscription: 7, sequence: 3, run: 4, time: -5, stamp: 6 };
        assert_eq!(head.to_bytes(), bytes[..HEAD]);
        let expected = ValueMessage { head, data: vec![0, 1, 0, 0, 42] };
        assert_eq!(Frame::read(&bytes), Ok(Frame::Value(expected)));
    }

    #[test]
    fn an_event_has_32_bytes() {
        let mut bytes = head(3, 9);
        bytes.extend([8, 2]);
        [1_u16, 2, 3].into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        [4_u32, 5].into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        [6_i64, 7].into_iter().for_each(|time| bytes.extend(time.to_le_bytes()));
        let record =
            EventRecord { kind: 8, core: 2, worker: 1, subject: 2, other: 3, run: 4, number: 5, begin: 6, end: 7 };
        let mut written = head(3, 9);
        record.append_to(&mut written);
        assert_eq!(written, bytes);
        assert_eq!(Frame::read(&bytes), Ok(Frame::Events { subscription: 9, records: vec![record] }));
        bytes.pop();
        assert_eq!(Frame::read(&bytes).unwrap_err().reason, "it ends within an event");
    }

    #[test]
    fn a_count_takes_no_memory() {
        let bytes = [head(2, 1), 0_u32.to_le_bytes().to_vec(), u32::MAX.to_le_bytes().to_vec()].concat();
        assert_eq!(Frame::read(&bytes).unwrap_err().reason, "it ends within a field's points");
    }

    proptest! {
        #[test]
        fn points_come_as_they_were_sent(
            fields in proptest::collection::vec((any::<u32>(), proptest::collection::vec(proptest::array::uniform3(-1e9..1e9_f64), 0..5)), 0..5),
            cut in 1..24_usize,
        ) {
            let point = |[time, minimum, maximum]: [f64; 3]| Point { time, minimum, maximum };
            let fields = fields.into_iter();
            let fields = fields.map(|(field, points)| Points { field, points: points.into_iter().map(point).collect() });
            let fields: Vec<_> = fields.collect();
            let mut bytes = begin(POINTS, 1);
            fields.iter().for_each(|points| points.append_to(&mut bytes));
            prop_assert_eq!(Frame::read(&bytes), Ok(Frame::Points { subscription: 1, fields }));
            if bytes.len() > 8 + cut {
                bytes.truncate(bytes.len() - cut.min(7));
                prop_assert!(Frame::read(&bytes).is_err());
            }
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            _ = Frame::read(&bytes);
        }
    }
}
