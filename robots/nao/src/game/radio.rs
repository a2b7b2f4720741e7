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
    /// The packets with the time at which each arrives and their number in the order of sending.
    underway: BinaryHeap<Reverse<(Duration, u64, usize, Vec<u8>)>>,
    sent: u64,
    /// The number of lost packets of each sender.
    lost: Vec<u32>,
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
        self.underway.push(Reverse((now + delay, self.sent, receiver, packet.to_vec())));
    }

    /// Returns the packets that have arrived by now, each with its receiver, in the order of their
    /// arrival.
    pub fn due(&mut self, now: Duration) -> Vec<(usize, Vec<u8>)> {
        let mut arrived = Vec::new();
        while self.underway.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            if let Some(Reverse((_, _, receiver, packet))) = self.underway.pop() {
                arrived.push((receiver, packet));
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
