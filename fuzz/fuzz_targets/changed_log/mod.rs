//! The log of the robot of the tests, with some changes in what tells how it ran.

use std::path::PathBuf;
use std::time::Duration;

use hemiola_test_robots::plain::{PlainLog, PlainMessage, write_plainly};

use crate::robot;

/// The log, and where what becomes of it is written.
pub struct Whole {
    folder: PathBuf,
    log: PlainLog,
    /// The numbers of those messages that tell how the robot ran.
    telling: Vec<usize>,
}

/// Whether messages of a topic tell how the robot ran: transcripts, checkpoints, and changes from
/// outside.
pub fn tells(topic: &str) -> bool {
    topic.contains("/_") || topic == "/hemiola/changes"
}

impl Whole {
    /// Records a run of so long, and keeps what is chosen by its topic.
    pub fn record(name: &str, duration: Duration, is_kept: impl Fn(&str) -> bool) -> Self {
        let folder = robot::folder(name);
        let path = folder.join("whole.mcap");
        robot::record(duration, &path);
        let mut log = PlainLog::read(&path);
        log.messages.retain(|message| is_kept(&message.topic));
        let telling = (0..log.messages.len()).filter(|&number| tells(&log.messages[number].topic)).collect::<Vec<_>>();
        assert!(telling.len() > 40, "there are runs, checkpoints and changes");
        Self { folder, log, telling }
    }

    /// Writes it with the changes that `input` says, one after the other: of which message, where,
    /// and what.
    pub fn change(&self, mut input: &[u8]) -> PathBuf {
        let Self { folder, log, telling } = self;
        let mut messages: Vec<Option<PlainMessage>> = log.messages.iter().cloned().map(Some).collect();
        while let Some(([kind, number, place, value], after)) = input.split_first_chunk::<4>() {
            let place = usize::from(*place) + 256 * usize::from(kind / 64);
            let (bytes, after) = after.split_at(usize::from(value % 9).min(after.len()));
            input = after;
            let at = match kind % 4 {
                0 => usize::from(*number) % messages.len(),
                _ => telling[usize::from(*number) % telling.len()],
            };
            change(&mut messages, at, kind / 4 % 16, place, bytes);
        }
        let path = folder.join("changed.mcap");
        write_plainly(&path, &log.about, messages.iter().flatten());
        path
    }
}

/// Changes, loses, repeats, exchanges.
fn change(messages: &mut Vec<Option<PlainMessage>>, at: usize, what: u8, place: usize, bytes: &[u8]) {
    match what {
        0 => messages[at] = None,
        1 => messages.push(messages[at].clone()),
        2 => {
            let other = place % messages.len();
            messages.swap(at, other);
        }
        3 => {
            let time = bytes.iter().rev().fold(0, |time: u64, &byte| time << 8 | u64::from(byte));
            if let Some(message) = &mut messages[at] {
                (message.logged, message.sequence) =
                    (time & (u64::MAX >> 1), message.sequence.wrapping_add(place as u32));
            }
        }
        4 => {
            if let Some(message) = &mut messages[at] {
                message.data.truncate(place);
            }
        }
        // Numbers stand at multiples of four bytes.
        5..10 => overwrite(messages[at].as_mut(), 4 * place, bytes),
        10..13 => overwrite(messages[at].as_mut(), place, bytes),
        _ => {
            if let Some(message) = &mut messages[at] {
                let place = place.min(message.data.len());
                message.data.splice(place..place, bytes.iter().copied());
            }
        }
    }
}

fn overwrite(message: Option<&mut PlainMessage>, place: usize, bytes: &[u8]) {
    let Some(message) = message else { return };
    let length = message.data.len().max(1);
    for (offset, &byte) in bytes.iter().enumerate() {
        if let Some(place) = message.data.get_mut((place + offset) % length) {
            *place = byte;
        }
    }
}
