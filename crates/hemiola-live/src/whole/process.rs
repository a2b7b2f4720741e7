//! One process of a robot, and the conversion of its messages to those of the whole robot.

use std::collections::BTreeMap;

use serde_json::Value;

use super::clock::Clock;
use super::holdings::Holdings;
use super::joined::Said;
use crate::protocol::Request;
use crate::protocol::binary::{Frame, HEAD, VALUE};

/// One process of a robot, reached over `connection`.
pub struct Process<C> {
    pub name: String,
    pub connection: C,
    pub clock: Clock,
    pub holdings: Holdings,
    /// The subscriptions of the process, with the numbers of the fields that are requested from it.
    pub subscriptions: BTreeMap<u32, Vec<u32>>,
    /// The newest statistics, and the number of statistics that have not been combined yet.
    pub statistics: Option<Value>,
    pub fresh: u32,
}

impl<C> Process<C> {
    pub fn new(name: String, connection: C) -> Self {
        let (clock, holdings, subscriptions, statistics, fresh) = Default::default();
        Self { name, connection, clock, holdings, subscriptions, statistics, fresh }
    }

    pub fn said<'a>(&'a self, content: &'a Value) -> Said<'a> {
        Said { process: &self.name, holdings: &self.holdings, clock: self.clock, content }
    }

    /// Notes a subscription of the process; for a plot, with the numbers that its fields have among
    /// all plotted fields.
    pub fn note(&mut self, request: &Request, numbers: &[u32]) {
        match request {
            Request::Subscribe { subscription, .. } | Request::Plot { subscription, .. } => {
                self.subscriptions.insert(*subscription, numbers.to_vec());
            }
            Request::Unsubscribe { subscription } => _ = self.subscriptions.remove(subscription),
            _ => {}
        }
    }

    /// Returns a message of this process with its times converted to the first process's clock.
    pub fn convert(&self, frame: Frame) -> Frame {
        let clock = self.clock;
        match frame {
            Frame::Value(mut message) => {
                message.head.time = clock.convert(message.head.time);
                message.head.stamp = clock.convert(message.head.stamp);
                Frame::Value(message)
            }
            Frame::Points { subscription, mut fields } => {
                let numbers = self.subscriptions.get(&subscription);
                for points in &mut fields {
                    let number = numbers.and_then(|numbers| numbers.get(points.field as usize));
                    points.field = number.copied().unwrap_or(points.field);
                    points.points.iter_mut().for_each(|point| point.time = clock.convert_seconds(point.time));
                }
                Frame::Points { subscription, fields }
            }
            Frame::Events { subscription, mut records } => {
                for record in &mut records {
                    (record.begin, record.end) = (clock.convert(record.begin), clock.convert(record.end));
                }
                Frame::Events { subscription, records }
            }
        }
    }

    /// Converts the times in the message of a value in place, because values are large.
    pub fn convert_value(&self, bytes: &mut [u8]) {
        if bytes.first() != Some(&VALUE) || bytes.len() < HEAD {
            return;
        }
        for time in bytes[HEAD - 16..HEAD].chunks_exact_mut(8) {
            let own = i64::from_le_bytes(time.try_into().unwrap_or_default());
            time.copy_from_slice(&self.clock.convert(own).to_le_bytes());
        }
    }
}
