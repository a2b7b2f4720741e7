//! Frames that are sent again until the other side has acknowledged them, over a network that loses
//! some of them: a window of numbered frames, selective acknowledgements, and a time for repeating
//! them that follows the measured one (RFC 6298).

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use crate::wire;

/// The frames that have been sent and are not acknowledged yet.
#[derive(Debug, Default)]
pub struct Unacknowledged {
    /// The frames by their numbers.
    frames: BTreeMap<u64, Sent>,
    /// The number of the last frame that was sent.
    last: u64,
    round_trip: RoundTrip,
    /// The time at which the latest frame left that has been acknowledged meanwhile: the clock is
    /// read before the next frame leaves.
    acknowledged: Option<Instant>,
}

/// The frames of the other side that have arrived before an earlier one.
#[derive(Debug)]
pub struct Arrived {
    /// The number of the first frame that has not arrived.
    next: u64,
    early: BTreeMap<u64, Box<[u8]>>,
    /// The frames that can be handled, in their order.
    ready: VecDeque<Box<[u8]>>,
    /// Set if the other side is to be sent an acknowledgement.
    owes_acknowledgement: bool,
}

#[derive(Debug)]
struct Sent {
    /// The number of its topic or representation.
    topic: usize,
    frame: Box<[u8]>,
    /// The time at which it left last.
    left: Instant,
    /// The time at which it is sent again.
    due: Instant,
    /// The number of times that it was sent.
    times: u32,
}

/// The time from a frame to its acknowledgement, smoothed.
#[derive(Debug, Default)]
struct RoundTrip {
    mean: Option<Duration>,
    deviation: Duration,
}

/// The number of frames that may wait for an acknowledgement, from the first to the last one. An
/// [`Acknowledgement`](wire::Frame::Acknowledgement) says of as many whether they have arrived.
const WINDOW: u64 = 64;
/// The time after which a frame is sent again as long as no round trip has been measured.
const FIRST_PATIENCE: Duration = Duration::from_millis(100);
/// The bounds of that time later.
const LEAST_PATIENCE: Duration = Duration::from_millis(10);
const MOST_PATIENCE: Duration = Duration::from_secs(1);

impl Unacknowledged {
    /// Returns whether no frame may be sent before one is acknowledged.
    pub fn is_full(&self) -> bool {
        self.frames.first_key_value().is_some_and(|(first, _)| self.last - first >= WINDOW - 1)
    }

    /// Keeps a frame of a topic, and appends it with its number to `datagram`.
    pub fn send(&mut self, topic: usize, frame: Vec<u8>, now: Instant, datagram: &mut Vec<u8>) {
        self.last += 1;
        datagram.extend_from_slice(&wire::reliable_head(self.last));
        datagram.extend_from_slice(&frame);
        let due = now + self.round_trip.patience(0);
        self.frames.insert(self.last, Sent { topic, frame: frame.into(), left: now, due, times: 1 });
    }

    /// Appends a frame that is due again to `datagram`, and returns its topic.
    pub fn send_again(&mut self, now: Instant, datagram: &mut Vec<u8>) -> Option<usize> {
        if let Some(left) = self.acknowledged.take() {
            self.round_trip.note(now.saturating_duration_since(left));
        }
        if self.frames.is_empty() {
            return None;
        }
        let (number, sent) = self.frames.iter_mut().find(|(_, sent)| sent.due <= now)?;
        datagram.extend_from_slice(&wire::reliable_head(*number));
        datagram.extend_from_slice(&sent.frame);
        (sent.left, sent.due) = (now, now + self.round_trip.patience(sent.times));
        sent.times += 1;
        Some(sent.topic)
    }

    /// Returns when a frame is sent again.
    pub fn due(&self) -> Option<Instant> {
        self.frames.values().map(|sent| sent.due).min()
    }

    /// Handles an acknowledgement. Returns `false` if it is about frames that were never sent.
    pub fn acknowledge(&mut self, next: u64, later: u64) -> bool {
        let highest = next.saturating_add(u64::from(u64::BITS - later.leading_zeros()));
        if next == 0 || highest > self.last.saturating_add(1) || (later != 0 && highest > self.last) {
            return false;
        }
        let has_arrived = |number: u64| {
            let bit = number.checked_sub(next.saturating_add(1)).map(|bit| later.checked_shr(bit as u32).unwrap_or(0));
            number < next || bit.is_some_and(|bit| bit & 1 == 1)
        };
        let round_trip = self.round_trip.mean.unwrap_or(FIRST_PATIENCE);
        let acknowledged = &mut self.acknowledged;
        self.frames.retain(|number, sent| {
            if has_arrived(*number) {
                // Which of several was acknowledged is unknown.
                if sent.times == 1 {
                    *acknowledged = (*acknowledged).max(Some(sent.left));
                }
                return false;
            }
            // Later ones have overtaken it: it was lost, unless it was sent again just now.
            if number + 2 < highest {
                sent.due = sent.due.min(sent.left + round_trip);
            }
            true
        });
        true
    }

    /// Returns the topics of the frames that are not acknowledged.
    pub fn topics(&self) -> impl Iterator<Item = usize> {
        self.frames.values().map(|sent| sent.topic)
    }
}

impl Arrived {
    /// Takes a frame of the other side. Returns `false` if its number is beyond all that may be
    /// under way.
    pub fn take(&mut self, number: u64, frame: &[u8]) -> bool {
        if number == 0 || number >= self.next.saturating_add(WINDOW) {
            return false;
        }
        // Also if it has come before: the acknowledgement may have been lost.
        self.owes_acknowledgement = true;
        if number >= self.next {
            self.early.entry(number).or_insert_with(|| frame.into());
        }
        while let Some(frame) = self.early.remove(&self.next) {
            self.ready.push_back(frame);
            self.next += 1;
        }
        true
    }

    /// Returns the next frame in the order in which they were sent, if it has arrived.
    pub fn next(&mut self) -> Option<Box<[u8]>> {
        self.ready.pop_front()
    }

    /// Returns whether an acknowledgement is to be sent.
    pub fn owes_acknowledgement(&self) -> bool {
        self.owes_acknowledgement
    }

    /// Appends the acknowledgement to `datagram` if one is to be sent, and returns whether it was.
    pub fn acknowledge(&mut self, datagram: &mut Vec<u8>) -> bool {
        let is_owed = std::mem::take(&mut self.owes_acknowledgement);
        if is_owed {
            let bits = self.early.keys().map(|number| 1_u64 << (number - self.next - 1));
            wire::Frame::Acknowledgement { next: self.next, later: bits.fold(0, |all, bit| all | bit) }.write(datagram);
        }
        is_owed
    }
}

impl Default for Arrived {
    fn default() -> Self {
        Self { next: 1, early: BTreeMap::new(), ready: VecDeque::new(), owes_acknowledgement: false }
    }
}

impl RoundTrip {
    /// Notes the time from a frame to its acknowledgement.
    fn note(&mut self, time: Duration) {
        let Some(mean) = self.mean else {
            (self.mean, self.deviation) = (Some(time), time / 2);
            return;
        };
        self.deviation = (3 * self.deviation + mean.abs_diff(time)) / 4;
        self.mean = Some((7 * mean + time) / 8);
    }

    /// Returns the time after which a frame is sent again that was sent again `times` before.
    fn patience(&self, times: u32) -> Duration {
        let once = self.mean.map_or(FIRST_PATIENCE, |mean| mean + 4 * self.deviation).max(LEAST_PATIENCE);
        once.saturating_mul(1 << times.min(16)).min(MOST_PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::{Frame, Message};

    fn message(sequence: u64) -> Vec<u8> {
        let mut frame = Vec::new();
        Frame::Message(Message { topic: 0, sequence, time: 0, stamp: None, cdr: &[] }).write(&mut frame);
        frame
    }

    /// Hands a datagram to the receiver, and returns what comes in order.
    fn arrive(arrived: &mut Arrived, datagram: &[u8]) -> Vec<u64> {
        let Ok(Frame::Reliable(reliable)) = Frame::read(datagram) else { panic!("it is reliable") };
        assert!(arrived.take(reliable.number, reliable.frame));
        let frames = std::iter::from_fn(|| arrived.next());
        frames
            .map(|frame| match Frame::read(&frame) {
                Ok(Frame::Message(message)) => message.sequence,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn answer(arrived: &mut Arrived, sent: &mut Unacknowledged) {
        let mut datagram = Vec::new();
        assert!(arrived.acknowledge(&mut datagram));
        let Ok(Frame::Acknowledgement { next, later }) = Frame::read(&datagram) else { panic!("it is one") };
        assert!(sent.acknowledge(next, later));
    }

    proptest! {
        #[test]
        fn whatever_the_network_does_all_come_once_and_in_order(
            fates in prop::collection::vec(0..4_u8, 0..400),
            count in 1..150_u64,
        ) {
            let (mut sent, mut arrived, mut now) = (Unacknowledged::default(), Arrived::default(), Instant::now());
            let (mut fates, mut late, mut come, mut next) = (fates.into_iter(), Vec::new(), Vec::new(), 1);
            while come.len() < count as usize || sent.due().is_some() {
                let mut datagrams = std::mem::take(&mut late);
                loop {
                    let mut datagram = Vec::new();
                    if sent.send_again(now, &mut datagram).is_none() {
                        if sent.is_full() || next > count {
                            break;
                        }
                        sent.send(0, message(next), now, &mut datagram);
                        next += 1;
                    }
                    match fates.next().unwrap_or(0) {
                        0 => datagrams.push(datagram),
                        1 => {}
                        2 => datagrams.extend([datagram.clone(), datagram]),
                        _ => late.push(datagram),
                    }
                }
                for datagram in datagrams {
                    come.extend(arrive(&mut arrived, &datagram));
                    if fates.next().unwrap_or(0) != 1 {
                        answer(&mut arrived, &mut sent);
                    }
                }
                now = now.max(sent.due().unwrap_or(now));
            }
            prop_assert_eq!(come, (1..=count).collect::<Vec<_>>());
        }

        #[test]
        fn what_is_no_acknowledgement_changes_nothing(next: u64, later: u64, sent_before in 0..70_u64) {
            let (mut sent, now) = (Unacknowledged::default(), Instant::now());
            (1..=sent_before.min(WINDOW)).for_each(|number| sent.send(0, message(number), now, &mut Vec::new()));
            let before = sent.frames.len();
            if !sent.acknowledge(next, later) {
                prop_assert_eq!(sent.frames.len(), before);
            }
        }
    }

    #[test]
    fn one_that_later_ones_have_overtaken_is_sent_again_at_once() {
        let (mut sent, mut arrived, begin) = (Unacknowledged::default(), Arrived::default(), Instant::now());
        let mut sends = |number, now| {
            let mut datagram = Vec::new();
            sent.send(0, message(number), now, &mut datagram);
            datagram
        };
        let datagrams: Vec<_> = (1..=5).map(|number| sends(number, begin)).collect();
        let lost = 1;
        for (index, datagram) in datagrams.iter().enumerate().filter(|(index, _)| *index != lost) {
            arrive(&mut arrived, datagram);
            if index == 0 {
                answer(&mut arrived, &mut sent);
                // The round trip takes a millisecond.
                assert_eq!(sent.send_again(begin + Duration::from_millis(1), &mut Vec::new()), None);
            }
        }
        answer(&mut arrived, &mut sent);
        let mut again = Vec::new();
        assert_eq!(sent.send_again(begin + Duration::from_millis(1), &mut again), Some(0));
        assert_eq!(again, datagrams[lost]);
        assert_eq!(arrive(&mut arrived, &again), [2, 3, 4, 5]);
        // Until the acknowledgement comes, it waits for longer each time.
        let mut now = begin + Duration::from_millis(1);
        let waits = [(); 4].map(|()| {
            let wait = sent.due().unwrap() - now;
            now += wait;
            assert_eq!(sent.send_again(now, &mut Vec::new()), Some(0));
            wait.as_millis()
        });
        assert_eq!(waits, [20, 40, 80, 160]);
    }

    #[test]
    fn no_more_are_under_way_than_fit_the_window() {
        let (mut sent, mut arrived, now) = (Unacknowledged::default(), Arrived::default(), Instant::now());
        let mut first = Vec::new();
        for number in 1..=WINDOW {
            assert!(!sent.is_full());
            let mut datagram = Vec::new();
            sent.send(0, message(number), now, &mut datagram);
            if number == 1 {
                first = datagram;
            } else {
                assert!(arrive(&mut arrived, &datagram).is_empty());
                answer(&mut arrived, &mut sent);
            }
        }
        assert!(sent.is_full() && !arrived.take(WINDOW + 1, &message(65)));
        assert_eq!(arrive(&mut arrived, &first).len(), WINDOW as usize);
        answer(&mut arrived, &mut sent);
        assert!(!sent.is_full() && sent.due().is_none());
    }
}
