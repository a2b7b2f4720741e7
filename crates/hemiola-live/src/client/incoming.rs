//! What a robot sends without being asked. `docs/door.md` describes the bytes.

use serde_json::Value;
use thiserror::Error;

/// A message that a robot sends without being asked.
///
/// ```
/// use hemiola_live::client::{Incoming, read_binary};
///
/// let mut bytes = vec![2, 0, 0, 0, 7, 0, 0, 0]; // points for subscription 7
/// bytes.extend([0_u32, 1].into_iter().flat_map(u32::to_le_bytes)); // of field 0: one
/// bytes.extend([1.5, -1.0, 1.0].into_iter().flat_map(f64::to_le_bytes));
/// let Incoming::Points { subscription: 7, fields } = read_binary(&bytes)? else { panic!() };
/// assert_eq!(fields[0].points[0].minimum, -1.0);
/// # Ok::<(), hemiola_live::client::Malformed>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Something that happened.
    Event {
        /// What: `statistics`, `journal`.
        name: String,
        /// All of it, as it came.
        content: Value,
    },
    /// A value, or a message of a topic.
    Value(ValueMessage),
    /// Points of plots.
    Points {
        /// Who subscribed to them.
        subscription: u32,
        /// Those of each field for which there are any.
        fields: Vec<Points>,
    },
    /// What ran where and when.
    Records {
        /// Who subscribed to them.
        subscription: u32,
        /// In the order in which they were written down.
        records: Vec<Record>,
    },
}

/// A value, or a message of a topic.
///
/// ```
/// # use hemiola_live::client::{Incoming, read_binary};
/// let mut bytes = vec![0; 32];
/// bytes[0] = 1;
/// bytes.extend(b"CDR");
/// let Incoming::Value(message) = read_binary(&bytes)? else { panic!() };
/// assert_eq!(message.data, b"CDR");
/// # Ok::<(), hemiola_live::client::Malformed>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueMessage {
    /// Who subscribed to it.
    pub subscription: u32,
    /// The number of this message; one that is missing was dropped.
    pub sequence: u32,
    /// The run of the cycle that provided it.
    pub run: u32,
    /// The robot's clock when it was provided, in nanoseconds.
    pub time: i64,
    /// The time of the newest sample that it derives from, in nanoseconds.
    pub stamp: i64,
    /// CDR with its four header bytes, or a JPEG if that was asked for.
    pub data: Vec<u8>,
}

/// The points of a field.
///
/// ```
/// use hemiola_live::client::Points;
///
/// assert!(Points { field: 0, points: Vec::new() }.points.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Its place among the fields that were asked for.
    pub field: u32,
    /// In the order of their times.
    pub points: Vec<Point>,
}

/// What a field was in a step of time.
///
/// ```
/// use hemiola_live::client::Point;
///
/// let point = Point { time: 0.5, minimum: 1.0, maximum: 2.0 };
/// assert!(point.minimum <= point.maximum);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The robot's clock, in seconds.
    pub time: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

/// Something that ran or happened; what the numbers mean depends on `kind`.
///
/// ```
/// use hemiola_live::client::Record;
///
/// let record = Record { kind: 0, core: 1, worker: 0, subject: 3, other: 0, run: 7, number: 0, begin: 10, end: 20 };
/// assert_eq!(record.end - record.begin, 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its type.
    pub kind: u8,
    /// The processor core.
    pub core: u8,
    /// The thread.
    pub worker: u16,
    /// What it is about.
    pub subject: u16,
    /// What else it is about.
    pub other: u16,
    /// The run of the cycle.
    pub run: u32,
    /// How many, or how long.
    pub number: u32,
    /// In nanoseconds.
    pub begin: i64,
    /// In nanoseconds.
    pub end: i64,
}

/// Bytes that are no message of the door.
///
/// ```
/// use hemiola_live::client::read_binary;
///
/// assert_eq!(read_binary(&[1, 0]).unwrap_err().to_string(), "2 bytes are no binary message: it ends in its head");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{length} bytes are no binary message: {reason}")]
pub struct Malformed {
    /// How many bytes there are.
    pub length: usize,
    /// What is wrong with them.
    pub reason: &'static str,
}

/// Reads a binary message.
///
/// # Errors
/// It is of an unknown kind, or shorter or longer than it says.
pub fn read_binary(bytes: &[u8]) -> Result<Incoming, Malformed> {
    let mut rest = Bytes(bytes);
    let malformed = |reason| Malformed { length: bytes.len(), reason };
    let (kind, subscription) = rest.head().ok_or_else(|| malformed("it ends in its head"))?;
    match kind {
        1 => {
            let message = rest.value(subscription).ok_or_else(|| malformed("it ends in the head of its value"))?;
            Ok(Incoming::Value(message))
        }
        2 => {
            let mut fields = Vec::new();
            while !rest.0.is_empty() {
                fields.push(rest.points().ok_or_else(|| malformed("it ends within a field's points"))?);
            }
            Ok(Incoming::Points { subscription, fields })
        }
        3 if rest.0.len() % RECORD == 0 => {
            let records = rest.0.chunks_exact(RECORD).filter_map(|record| Bytes(record).record());
            Ok(Incoming::Records { subscription, records: records.collect() })
        }
        3 => Err(malformed("it ends within an event")),
        _ => Err(malformed("its kind is not known")),
    }
}

/// As many bytes has a record.
const RECORD: usize = 32;
/// As many bytes has a point.
const POINT: usize = 24;

/// What is left to be read.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn head(&mut self) -> Option<(u8, u32)> {
        let [kind, ..] = self.next::<4>()?;
        Some((kind, self.u32()?))
    }

    fn value(&mut self, subscription: u32) -> Option<ValueMessage> {
        let (sequence, run) = (self.u32()?, self.u32()?);
        let (time, stamp) = (self.i64()?, self.i64()?);
        Some(ValueMessage { subscription, sequence, run, time, stamp, data: self.0.to_owned() })
    }

    fn points(&mut self) -> Option<Points> {
        let (field, count) = (self.u32()?, self.u32()? as usize);
        // The count is a claim: memory is taken only for what is there.
        if count.checked_mul(POINT)? > self.0.len() {
            return None;
        }
        let points = (0..count).map(|_| self.point()).collect::<Option<_>>()?;
        Some(Points { field, points })
    }

    fn point(&mut self) -> Option<Point> {
        Some(Point { time: self.f64()?, minimum: self.f64()?, maximum: self.f64()? })
    }

    fn record(&mut self) -> Option<Record> {
        let [kind, core] = self.next()?;
        Some(Record {
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
        let expected =
            ValueMessage { subscription: 7, sequence: 3, run: 4, time: -5, stamp: 6, data: vec![0, 1, 0, 0, 42] };
        assert_eq!(read_binary(&bytes), Ok(Incoming::Value(expected)));
    }

    #[test]
    fn an_event_has_32_bytes() {
        let mut bytes = head(3, 9);
        bytes.extend([8, 2]);
        [1_u16, 2, 3].into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        [4_u32, 5].into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        [6_i64, 7].into_iter().for_each(|time| bytes.extend(time.to_le_bytes()));
        let record = Record { kind: 8, core: 2, worker: 1, subject: 2, other: 3, run: 4, number: 5, begin: 6, end: 7 };
        assert_eq!(read_binary(&bytes), Ok(Incoming::Records { subscription: 9, records: vec![record] }));
        bytes.pop();
        assert_eq!(read_binary(&bytes).unwrap_err().reason, "it ends within an event");
    }

    #[test]
    fn a_count_takes_no_memory() {
        let bytes = [head(2, 1), 0_u32.to_le_bytes().to_vec(), u32::MAX.to_le_bytes().to_vec()].concat();
        assert_eq!(read_binary(&bytes).unwrap_err().reason, "it ends within a field's points");
    }

    proptest! {
        #[test]
        fn points_come_as_they_were_sent(
            fields in proptest::collection::vec((any::<u32>(), proptest::collection::vec(proptest::array::uniform3(-1e9..1e9_f64), 0..5)), 0..5),
            cut in 1..24_usize,
        ) {
            let mut bytes = head(2, 1);
            for (field, points) in &fields {
                bytes.extend(field.to_le_bytes());
                bytes.extend((points.len() as u32).to_le_bytes());
                bytes.extend(points.iter().flatten().flat_map(|number| number.to_le_bytes()));
            }
            let Ok(Incoming::Points { fields: read, .. }) = read_binary(&bytes) else { panic!("they are points") };
            let read: Vec<_> = read
                .into_iter()
                .map(|Points { field, points }| (field, points.iter().map(|at| [at.time, at.minimum, at.maximum]).collect()))
                .collect();
            prop_assert_eq!(read, fields);
            if bytes.len() > 8 + cut {
                bytes.truncate(bytes.len() - cut.min(7));
                prop_assert!(read_binary(&bytes).is_err());
            }
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            _ = read_binary(&bytes);
        }
    }
}
