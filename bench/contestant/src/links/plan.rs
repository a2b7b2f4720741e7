//! What is sent, and when.

use crate::messages::Assignment;

/// How many messages are sent, and when, as both processes know it.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The number of messages that come before those that count.
    pub warm_up: u64,
    /// The number of messages that count.
    pub messages: u64,
    pub pace: Pace,
}

/// When the next message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// That many nanoseconds after the one before.
    Period(u64),
    /// At once, unless that many are under way.
    Window(u64),
}

/// As many messages have used all slots of a queue with the largest window.
const WARM_UP: u64 = 300;
/// The same for messages of this size and more, whose windows are small.
const WARM_UP_LARGE: u64 = 40;
const LARGE: u64 = 100_000;

impl Plan {
    pub fn of(assignment: &Assignment) -> Self {
        let pace = match assignment.number("period-ns") {
            0 => Pace::Window(assignment.number("window")),
            period => Pace::Period(period),
        };
        let warm_up = if assignment.number("bytes") < LARGE { WARM_UP } else { WARM_UP_LARGE };
        Self { warm_up, messages: assignment.number("messages"), pace }
    }

    /// Returns the number of the last message. The first one is 1.
    pub fn last(&self) -> u64 {
        self.warm_up + self.messages
    }

    /// Returns after how many messages the partner acknowledges them, if it does.
    pub fn acknowledged_at_once(&self) -> Option<u64> {
        match self.pace {
            Pace::Period(_) => None,
            Pace::Window(most) => Some(most.div_ceil(2)),
        }
    }
}
