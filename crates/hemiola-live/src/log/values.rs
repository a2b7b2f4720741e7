//! One subscription to a representation or topic of a log.

use std::sync::Arc;

use hemiola_log::Channel;
use hemiola_recording::split::Kept;
use serde_json::{Value, json};

use super::contents::nanoseconds;
use crate::door::outbox::Outbox;
use crate::protocol::binary::Head;

/// One subscription to a representation or topic of a log.
pub struct LogStream {
    subscription: u32,
    channel: Arc<Channel>,
    /// The time between two messages, in nanoseconds of the viewer.
    period: f64,
    /// The time of the log from which on the next message may be sent, in nanoseconds.
    due: i64,
    /// The log time of the last message that was read, in nanoseconds.
    last: i64,
    dropped: u64,
}

impl LogStream {
    /// Creates a subscription with at most `rate` messages per second of the viewer.
    pub fn new(subscription: u32, channel: Arc<Channel>, rate: Option<f64>) -> Self {
        let period = rate.filter(|rate| rate.is_finite() && *rate > 0.0).map_or(0.0, |rate| 1e9 / rate);
        Self { subscription, channel, period, due: i64::MIN, last: i64::MIN, dropped: 0 }
    }

    /// Returns the answer to the client's request.
    pub fn answer(&self) -> Value {
        let schema = self.channel.schema.as_ref().map(|schema| String::from_utf8_lossy(&schema.data));
        json!({"schema_name": self.channel.type_name(), "schema": schema, "encoding": "cdr"})
    }

    /// Returns the number of the subscription.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// Returns the topic in the log.
    pub fn topic(&self) -> &str {
        &self.channel.topic
    }

    /// Starts again after the time has jumped.
    pub fn reset(&mut self) {
        (self.due, self.last) = (i64::MIN, i64::MIN);
    }

    /// Returns the number of messages that were dropped since the last call.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }

    /// Sends the message that was the newest when the feed began, unless it has been sent already.
    pub fn send_newest(&mut self, message: &Kept, out: &mut Outbox) {
        if nanoseconds(message.log_time) > self.last {
            self.due = i64::MIN;
            self.send(message, 1.0, out);
        }
    }

    /// Sends a message if one is due.
    pub fn send(&mut self, message: &Kept, speed: f64, out: &mut Outbox) {
        let time = nanoseconds(message.log_time);
        self.last = time;
        if time < self.due {
            return;
        }
        self.due = time.saturating_add((self.period * speed) as i64);
        if out.is_congested() {
            self.dropped += 1;
            return;
        }
        let head = Head {
            subscription: self.subscription,
            sequence: message.sequence,
            run: 0,
            time,
            stamp: nanoseconds(message.publish_time),
        };
        let mut bytes = head.to_bytes();
        bytes.extend_from_slice(&message.data);
        out.send_bytes(bytes);
    }
}
