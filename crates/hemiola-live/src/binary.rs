//! The binary messages of the door, as bytes: what `docs/door.md` describes. Pure.

/// What a value's message begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The subscription that it belongs to.
    pub subscription: u32,
    /// Its number among those that were to be sent.
    pub sequence: u32,
    /// The run of its cycle, or the sample of its source.
    pub run: u32,
    /// When it was provided, in nanoseconds of the robot's clock.
    pub time: i64,
    /// When the newest sample was taken that it derives from.
    pub stamp: i64,
}

/// A value or a message of a topic.
pub const VALUE: u8 = 1;
/// Points of plots.
pub const POINTS: u8 = 2;
/// Events.
pub const EVENTS: u8 = 3;

/// An image of a module: in the place of a subscription stands the length of the record that follows,
/// as JSON; then come the pixels.
pub const IMAGE: u8 = 4;

/// The bytes before a value.
pub const HEAD: usize = 32;

impl Head {
    /// Writes the 32 bytes that stand before the value.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = begin(VALUE, self.subscription);
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.run.to_le_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
        bytes.extend_from_slice(&self.stamp.to_le_bytes());
        bytes
    }
}

/// The beginning of every binary message.
pub fn begin(kind: u8, subscription: u32) -> Vec<u8> {
    let mut bytes = vec![kind, 0, 0, 0];
    bytes.extend_from_slice(&subscription.to_le_bytes());
    bytes
}

/// What happened, as clients get it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventRecord {
    /// What.
    pub kind: u8,
    /// On which core.
    pub core: u8,
    /// By which worker.
    pub worker: u16,
    /// To which task, cycle, source ..
    pub subject: u16,
    /// And to which other.
    pub other: u16,
    /// In which run.
    pub run: u32,
    /// A number that belongs to it.
    pub number: u32,
    /// From when on, in nanoseconds of the robot's clock.
    pub begin: i64,
    /// Until when.
    pub end: i64,
}

impl EventRecord {
    /// Adds the record's 32 bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_records_are_as_long_as_they_are_described() {
        let head = Head { subscription: 7, sequence: 1, run: 2, time: -3, stamp: 4 };
        assert_eq!(head.to_bytes().len(), HEAD);
        let mut bytes = Vec::new();
        EventRecord { kind: 8, worker: 0x0102, ..EventRecord::default() }.append_to(&mut bytes);
        assert_eq!((bytes.len(), &bytes[..4]), (32, &[8, 0, 2, 1][..]));
    }
}
