//! One process of a robot.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::ANSWER;
use super::clock::Clock;
use super::holdings::Holdings;
use super::joined::Said;
use crate::client::{ClientError, Connection};
use crate::protocol::Request;
use crate::protocol::binary::Frame;

/// One process of the robot.
pub struct Member {
    pub name: String,
    pub connection: Connection,
    pub clock: Clock,
    pub holdings: Holdings,
    /// The subscriptions, with the numbers of the fields that are asked of this process.
    pub subscriptions: BTreeMap<u32, Vec<u32>>,
    /// The newest statistics, and how many of them have not been joined.
    pub statistics: Option<Value>,
    pub fresh: u32,
}

impl Member {
    pub fn new(name: String, connection: Connection) -> Self {
        let (clock, holdings, subscriptions, statistics, fresh) = Default::default();
        Self { name, connection, clock, holdings, subscriptions, statistics, fresh }
    }

    pub fn request_within(&mut self, patience: Duration, request: Request) -> Result<Value, ClientError> {
        self.connection.set_patience(patience);
        let answer = self.connection.request(request);
        self.connection.set_patience(ANSWER);
        answer
    }

    pub fn said<'a>(&'a self, content: &'a Value) -> Said<'a> {
        Said { process: &self.name, holdings: &self.holdings, clock: self.clock, content }
    }

    /// Returns a message of this process with times of the first one's clock.
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
}
