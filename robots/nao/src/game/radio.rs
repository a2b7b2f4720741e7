//! The wireless network between mates: every packet takes its time, and some are lost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::simulator::Random;

/// The quality of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The share of packets that are lost, from 0 to 1.
    pub loss: f32,
    /// The shortest time that a packet takes.
    pub shortest: Duration,
    /// The longest time that a packet takes.
    pub longest: Duration,
}

impl Default for Link {
    fn default() -> Self {
        Self { loss: 0.05, shortest: Duration::from_millis(5), longest: Duration::from_millis(100) }
    }
}

/// The packets on their way. The same seed and the same packets give the same losses and delays.
#[derive(Debug)]
pub struct Radio {
    link: Link,
    random: Random,
    /// The packets on their way, the next one first.
    underway: BinaryHeap<Reverse<Packet>>,
    sent: u64,
    /// The number of lost packets of each sender.
    lost: Vec<u32>,
}

/// A packet on its way. The earliest one is the least, and of several the one that was sent first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    arrives: Duration,
    number: u64,
    receiver: usize,
    bytes: Vec<u8>,
}

impl Radio {
    /// Creates a network without packets.
    #[must_use]
    pub fn new(link: Link, random: Random) -> Self {
        Self { link, random, underway: BinaryHeap::new(), sent: 0, lost: Vec::new() }
    }

    /// Sends a packet, which arrives later or is lost.
    pub fn send(&mut self, now: Duration, sender: usize, receiver: usize, packet: &[u8]) {
        // Both are drawn for every packet, so that a loss changes nothing else.
        let is_lost = self.random.uniform(0.0..1.0) < self.link.loss;
        let part = self.random.uniform(0.0..1.0);
        self.sent += 1;
        if is_lost {
            self.lost.resize(self.lost.len().max(sender + 1), 0);
            self.lost[sender] += 1;
            return;
        }
        let delay = self.link.shortest + self.link.longest.saturating_sub(self.link.shortest).mul_f32(part);
        let (arrives, number, bytes) = (now + delay, self.sent, packet.to_vec());
        self.underway.push(Reverse(Packet { arrives, number, receiver, bytes }));
    }

    /// Returns the packets that have arrived by now, each with its receiver, in the order of their
    /// arrival.
    pub fn due(&mut self, now: Duration) -> Vec<(usize, Vec<u8>)> {
        let mut arrived = Vec::new();
        while self.underway.peek().is_some_and(|Reverse(next)| next.arrives <= now) {
            if let Some(Reverse(Packet { receiver, bytes, .. })) = self.underway.pop() {
                arrived.push((receiver, bytes));
            }
        }
        arrived
    }

    /// Returns the number of packets of a sender that were lost.
    #[must_use]
    pub fn lost(&self, sender: usize) -> u32 {
        self.lost.get(sender).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PERIOD: Duration = Duration::from_millis(12);

    proptest! {
        #[test]
        fn packets_are_lost_or_arrive_once_within_their_time(seed: u64, loss in 0.0_f32..1.0, packets in 1..100_u8) {
            let link = Link { loss, ..Link::default() };
            let mut radio = Radio::new(link, Random::new(seed));
            let mut arrived = Vec::new();
            for tick in 0..u32::from(packets) + 20 {
                if let Some(number) = u8::try_from(tick).ok().filter(|number| *number < packets) {
                    radio.send(PERIOD * tick, 0, 1, &[number]);
                }
                arrived.extend(radio.due(PERIOD * tick).into_iter().map(|(receiver, packet)| (tick, receiver, packet)));
            }
            prop_assert_eq!(arrived.len() + radio.lost(0) as usize, usize::from(packets));
            let mut numbers: Vec<_> = arrived.iter().map(|(_, _, packet)| packet[0]).collect();
            for ((tick, receiver, _), number) in arrived.iter().zip(&numbers) {
                let took = PERIOD * (tick - u32::from(*number));
                prop_assert!(*receiver == 1 && took >= link.shortest && took < link.longest + PERIOD, "{:?}", took);
            }
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), arrived.len());
        }
    }

    #[test]
    fn about_as_many_are_lost_as_the_link_says() {
        let mut radio = Radio::new(Link { loss: 0.3, ..Link::default() }, Random::new(5));
        (0..1000).for_each(|_| radio.send(Duration::ZERO, 2, 1, &[]));
        assert!((250..350).contains(&radio.lost(2)), "{}", radio.lost(2));
        assert_eq!(radio.lost(0), 0);
    }
}
