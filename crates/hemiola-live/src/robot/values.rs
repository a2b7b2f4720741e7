//! Values and messages as bytes, and their way to a client.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_model::RepresentationDescriptor;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{ValueWriter, Writer};
use hemiola_runtime::{Observation, Observer, RobotHandle, ValueRequest};
use serde_json::{Value, json};

use super::jpeg;
use super::session::{FAST, SLOW};
use crate::door::outbox::Outbox;
use crate::protocol::{Form, binary};

/// The message type of images.
const IMAGE: &str = "sensor_msgs/msg/Image";

/// One subscription to a representation or a topic.
pub struct ValueStream {
    subscription: u32,
    seen: Observer,
    schema: Arc<MessageSchema>,
    is_topic: bool,
    form: Form,
    /// The least time between two messages of a topic, and the time from which on the next one may
    /// be sent.
    period: i64,
    due: i64,
    sequence: u32,
    /// The length of the last message; the next one is hardly longer.
    length: usize,
    /// The number of values that were dropped because this client was too slow, without those that
    /// the observer has dropped.
    dropped: u64,
    told: u64,
}

impl ValueStream {
    /// Opens a subscription.
    pub fn open(
        handle: &RobotHandle,
        subscription: u32,
        value: Option<String>,
        topic: Option<String>,
        rate: Option<f64>,
        form: Form,
    ) -> Result<Self, String> {
        let rate = rate.filter(|rate| *rate > 0.0 && rate.is_finite());
        let (observation, descriptor, is_topic) = match (value, topic) {
            (Some(name), None) => {
                let descriptor =
                    handle.with_robot(|robot| robot.representation(&name)).ok_or_else(|| unknown(handle, &name))?;
                (Observation::of([ValueRequest { representation: name, rate }]), descriptor, false)
            }
            (None, Some(name)) => {
                let mut topics = handle.bus().readable_topics().into_iter();
                let descriptor = topics.find(|(known, _)| *known == name).map(|(_, descriptor)| descriptor);
                let descriptor = descriptor.ok_or_else(|| unknown_topic(handle, &name))?;
                (Observation::default().with_topics_named(move |topic| topic == name), descriptor, true)
            }
            _ => return Err("name either a `value` or a `topic` to subscribe to".to_owned()),
        };
        let schema = schema_of(descriptor)?;
        if form == Form::Jpeg && (is_topic || schema.name != IMAGE) {
            return Err(format!("only representations of the type {IMAGE} can be sent as JPEG: omit `as`"));
        }
        let seen = handle.observe(observation).map_err(|error| error.to_string())?;
        let period = rate.map_or(0, |rate| (1e9 / rate) as i64);
        Ok(Self {
            subscription,
            seen,
            schema,
            is_topic,
            form,
            period,
            due: i64::MIN,
            sequence: 0,
            length: 0,
            dropped: 0,
            told: 0,
        })
    }

    /// Returns the answer to the client's request.
    pub fn answer(&self) -> Value {
        json!({"schema_name": self.schema.name, "schema": self.schema.text, "encoding": self.form})
    }

    /// Returns the number of the subscription.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// Returns the time until the stream must be polled: a frequent value reaches a page within one
    /// frame, a rare one within a quarter of its period.
    pub fn wait(&self) -> Duration {
        Duration::from_nanos(self.period.unsigned_abs() / 4).clamp(FAST, SLOW)
    }

    /// Returns the number of values that were dropped since the last call.
    pub fn take_dropped(&mut self) -> u64 {
        let dropped = self.seen.dropped();
        let all = self.dropped + dropped.values + dropped.messages;
        let since = all - self.told;
        self.told = all;
        since
    }

    /// Sends the values that have arrived, each after a head that `begin` encodes for the protocol.
    pub fn send(&mut self, out: &mut Outbox, begin: impl Fn(binary::Head) -> Vec<u8>) {
        let Self { subscription, seen, dropped, length, form, .. } = self;
        if self.is_topic {
            while let Some(message) = seen.next_message() {
                let time = message.time().nanoseconds();
                self.sequence = self.sequence.wrapping_add(1);
                if time < self.due {
                    continue;
                }
                self.due = time.saturating_add(self.period);
                if out.is_congested() {
                    *dropped += 1;
                    continue;
                }
                let head =
                    binary::Head { subscription: *subscription, sequence: self.sequence, run: 0, time, stamp: time };
                out.send_bytes(encoded(*form, begin(head), length, |writer| message.write(writer)));
            }
            return;
        }
        while let Some(value) = seen.next_value() {
            if out.is_congested() {
                *dropped += 1;
                continue;
            }
            let head = binary::Head {
                subscription: *subscription,
                sequence: value.sequence(),
                run: value.run(),
                time: value.now().nanoseconds(),
                stamp: value.stamp().nanoseconds(),
            };
            if *form == Form::Jpeg {
                match jpeg::encode(value.value()) {
                    Ok(jpeg) => out.send_bytes([begin(head), jpeg].concat()),
                    Err(_) => *dropped += 1,
                }
                continue;
            }
            out.send_bytes(encoded(*form, begin(head), length, |writer| _ = value.value().write(writer)));
        }
    }
}

/// Reserves space for a value after its head, because bytes that grow while they are written are
/// copied repeatedly.
fn with_room(mut head: Vec<u8>, length: usize) -> Vec<u8> {
    head.reserve_exact(length.saturating_sub(head.len()));
    head
}

/// Returns a value behind its head, and its length in `length`, which is that of the last one.
fn encoded(form: Form, head: Vec<u8>, length: &mut usize, write: impl FnOnce(&mut dyn Writer)) -> Vec<u8> {
    let head = with_room(head, *length);
    let bytes = if form == Form::Json {
        let mut writer = ValueWriter::default();
        write(&mut writer);
        let mut bytes = head;
        // Nothing that values consist of fails to be written as JSON into memory.
        _ = serde_json::to_writer(&mut bytes, &writer.finish());
        bytes
    } else {
        let mut writer = CdrWriter::behind(head);
        write(&mut writer);
        writer.finish()
    };
    *length = bytes.len();
    bytes
}

/// The schemas of representations, by the addresses of their descriptors: a type never changes
/// within a program.
static SCHEMAS: Mutex<BTreeMap<usize, Arc<MessageSchema>>> = Mutex::new(BTreeMap::new());

/// Returns the schema of a representation's messages. It is created only once, however many clients
/// ask for it.
pub fn schema_of(descriptor: &'static RepresentationDescriptor) -> Result<Arc<MessageSchema>, String> {
    let mut known = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(schema) = known.get(&std::ptr::from_ref(descriptor).addr()) {
        return Ok(schema.clone());
    }
    let name = descriptor.name();
    let data_type = descriptor.data_type();
    let data_type = data_type.ok_or_else(|| format!("`{name}` is opaque: its values cannot leave the process"))?;
    let schema = Arc::new(MessageSchema::of(name, &data_type));
    known.insert(std::ptr::from_ref(descriptor).addr(), schema.clone());
    Ok(schema)
}

/// Returns the error for a representation that does not exist.
pub fn unknown(handle: &RobotHandle, name: &str) -> String {
    let known = handle.with_robot(|robot| robot.recordable());
    hemiola_config::unknown("representation", name, known.iter().map(String::as_str))
}

/// Returns the error for a topic that does not exist.
pub fn unknown_topic(handle: &RobotHandle, name: &str) -> String {
    let known: Vec<_> = handle.bus().readable_topics().into_iter().map(|(name, _)| name).collect();
    hemiola_config::unknown("topic", name, known.iter().map(String::as_str))
}
