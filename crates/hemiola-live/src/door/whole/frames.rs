//! The conversion of a process's binary messages to those of the whole robot.

use serde_json::Value;

use super::numbers::Numbers;
use super::seat::Seat;
use crate::protocol::binary::{EVENTS, Frame, IMAGE, POINTS, begin};
use crate::whole::process::Process;

/// Converts a binary message of a process to one of the robot.
pub fn converted(process: &Process<Seat>, numbers: &Numbers, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    match *bytes.first()? {
        POINTS | EVENTS => match process.convert(Frame::read(&bytes).ok()?) {
            Frame::Points { subscription, fields } => {
                bytes = begin(POINTS, subscription);
                fields.iter().for_each(|points| points.append_to(&mut bytes));
            }
            Frame::Events { subscription, records } => {
                bytes = begin(EVENTS, subscription);
                let records = records.into_iter().filter_map(|record| numbers.convert(&process.name, record));
                records.for_each(|record| record.append_to(&mut bytes));
            }
            Frame::Value(_) => return None,
        },
        IMAGE => {
            let length = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?) as usize;
            let pixels = bytes.get(8 + length..)?;
            let mut record: Value = serde_json::from_slice(&bytes[8..8 + length]).ok()?;
            record["time"] = process.clock.convert(record["time"].as_i64()?).into();
            let record = record.to_string();
            bytes = [&begin(IMAGE, record.len() as u32), record.as_bytes(), pixels].concat();
        }
        _ => process.convert_value(&mut bytes),
    }
    Some(bytes)
}
