//! Writes what a robot passes on into a log, on a thread of its own.
//!
//! | file | what |
//! |---|---|
//! | `recording` | what is recorded, where and how: `[log]`, and the command line over it |
//! | `head` | what a log begins with: which robot, how it was configured |
//! | `channels` | values of representations: a channel for each of each cycle and source |
//! | `topics` | messages of topics: a channel for each |
//! | `debug` | what updates plot, draw and write: a channel for each name |
//! | `conditions` | which of them are recorded now |
//! | `journal` | what happens besides: messages, and changes from outside |
//! | `output` | encodes and writes all that, until the log cannot be written any more |
//! | `parts` | when the next file begins |
//! | `keeper` | waits for the disk, gives files their end, removes old ones, and leaves something free |
//! | `worst` | traces of the longest runs |
//! | `recorded` | what became of it, for the end of a run |

mod channels;
mod conditions;
mod debug;
mod head;
mod journal;
mod keeper;
mod output;
mod parts;
mod recorded;
mod recording;
mod topics;
mod worst;

pub use head::{Head, as_json, is_of_run};
pub use journal::{is_journal, journal_event, numbered_change};
pub use keeper::Kept;
pub use recorded::{Ending, Recorded};
pub use recording::{Recording, RecordingOptions, TopicChoice};

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_runtime::{Observer, RobotHandle};

use crate::error::RecordingError;
use crate::sync::{AtomicBool, Ordering};
use output::Output;

/// A log that is being written.
pub struct Recorder {
    thread: thread::JoinHandle<Recorded>,
    is_over: Arc<AtomicBool>,
}

/// How often something is done.
struct Rhythm {
    /// Looking for new values.
    look: Duration,
    /// Looking for messages, at the latest, while values keep coming.
    messages: Duration,
    flush: Duration,
}

impl Rhythm {
    fn of(handle: &RobotHandle, flush: Duration) -> Self {
        // No time of the world belongs to times of a stepped clock.
        if handle.clock().due(Time::ZERO).is_none() {
            // Such a robot waits: for its values soon, and with its messages until all values are
            // there that were provided with them.
            return Self { look: Duration::from_micros(100), messages: Duration::MAX, flush };
        }
        // In so short a time nobody provides as many values, or sends as many messages, as can
        // wait.
        Self { look: Duration::from_millis(5), messages: Duration::from_millis(20), flush }
    }
}

impl Recorder {
    /// Begins a log with all that is to be recorded, from now on.
    pub fn start(handle: &RobotHandle, recording: Recording, head: Head) -> Result<Self, RecordingError> {
        let rhythm = Rhythm::of(handle, recording.flush);
        let mut seen = handle.observe(recording.observation())?;
        let output = Output::begin(handle, &mut seen, recording, head)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let thread =
            thread::Builder::new().name("hemiola recorder".into()).spawn(move || record(seen, output, &rhythm, &over));
        Ok(Self { thread: thread.map_err(RecordingError::Thread)?, is_over })
    }

    /// Ends the log, when the robot has ended.
    pub fn finish(self) -> Option<Recorded> {
        self.is_over.store(true, Ordering::Relaxed);
        // A panic of its own was reported by the default hook.
        self.thread.join().ok()
    }
}

/// Takes what there is until the robot has ended.
fn record(mut seen: Observer, mut output: Output, rhythm: &Rhythm, is_over: &AtomicBool) -> Recorded {
    let (mut flushed, mut heard) = (Instant::now(), Instant::now());
    loop {
        // First of all, so that nothing is left behind when it was.
        let is_last = is_over.load(Ordering::Relaxed);
        output.write_runs(&mut seen);
        output.write_checkpoints(&mut seen);
        while write_next(&mut seen, &mut output) {
            output.split(&mut seen);
            when_due(&mut heard, rhythm.messages, || {
                output.write_messages(&mut seen);
                output.write_debug(&mut seen);
            });
            when_due(&mut flushed, rhythm.flush, || output.flush(&mut seen));
        }
        output.write_messages(&mut seen);
        output.write_debug(&mut seen);
        if is_last {
            return output.finish(&mut seen);
        }
        when_due(&mut flushed, rhythm.flush, || output.flush(&mut seen));
        thread::sleep(rhythm.look);
    }
}

/// Tells whether there was a value, which is let go.
fn write_next(seen: &mut Observer, output: &mut Output) -> bool {
    let is_there = seen.next_value().map(|value| output.write(&value)).is_some();
    output.write_runs(seen);
    output.write_checkpoints(seen);
    is_there
}

fn when_due(last: &mut Instant, period: Duration, act: impl FnOnce()) {
    if last.elapsed() >= period {
        act();
        *last = Instant::now();
    }
}
