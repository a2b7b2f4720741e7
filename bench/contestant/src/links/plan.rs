//! The number of messages, and their times.

use crate::messages::Assignment;

/// The number of messages and their times, which both processes know.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The number of messages that come before those that count.
    pub warm_up: u64,
    /// The number of messages that count.
    pub messages: u64,
    pub pace: Pace,
}

/// The time of the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// The next message is sent that many nanoseconds after the previous one.
    Period(u64),
    /// The next message is sent at once, unless that many are under way.
    Window(u64),
}

/// The number of messages after which all slots of a queue with the largest window have been used.
const WARM_UP: u64 = 300;
/// The number for messages of `LARGE` bytes and more, whose windows are small.
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
