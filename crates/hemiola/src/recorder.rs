//! Writes what a robot passes on into a log, on a thread of its own.
//!
//! | file | what |
//! |---|---|
//! | `recording` | what is recorded, where and how: `[log]`, and the command line over it |
//! | `head` | what a log begins with: which robot, how it was configured |
//! | `channels` | values of representations: a channel for each of each cycle and source |
//! | `conditions` | which of them are recorded now |
//! | `journal` | what happens besides: messages, and changes from outside |
//! | `output` | encodes and writes all that, until the log cannot be written any more |
//! | `parts` | when the next file begins |
//! | `keeper` | waits for the disk, gives files their end, removes old ones, and leaves something free |
//! | `recorded` | what became of it, for the end of a run |

mod channels;
mod conditions;
mod head;
mod journal;
mod keeper;
mod output;
mod parts;
mod recorded;
mod recording;

pub use channels::{COUNTS, topic};
pub use head::Head;
pub use recorded::Recorded;
pub use recording::Recording;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_runtime::{RobotHandle, Tap};

use crate::error::CommandError;
use output::Output;

/// A log that is being written.
pub struct Recorder {
    thread: thread::JoinHandle<Recorded>,
    is_over: Arc<AtomicBool>,
}

/// How often it looks for new values: in that time no cycle provides as many as can wait.
const LOOK_PERIOD: Duration = Duration::from_millis(5);
/// A stepped robot waits for its recorder.
const STEPPED_LOOK_PERIOD: Duration = Duration::from_micros(100);

impl Recorder {
    /// Begins a log with all that the robot is asked to pass on; `None` if that is nothing.
    pub fn start(handle: &RobotHandle, recording: Recording, head: Head) -> Result<Option<Self>, CommandError> {
        let Some(tap) = handle.take_tap() else { return Ok(None) };
        let flush = recording.flush;
        // No time of the world belongs to times of a stepped clock.
        let is_stepped = handle.clock().due(Time::ZERO).is_none();
        let look = if is_stepped { STEPPED_LOOK_PERIOD } else { LOOK_PERIOD };
        let output = Output::begin(handle, &tap, recording, head)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let thread = thread::Builder::new()
            .name("hemiola recorder".into())
            .spawn(move || record(tap, output, look, flush, &over));
        Ok(Some(Self { thread: thread.map_err(CommandError::Thread)?, is_over }))
    }

    /// Ends the log, when the robot has ended.
    pub fn finish(self) -> Option<Recorded> {
        self.is_over.store(true, Ordering::Relaxed);
        // A panic of its own was reported by the default hook.
        self.thread.join().ok()
    }
}

/// Takes what there is until the robot has ended.
fn record(mut tap: Tap, mut output: Output, look: Duration, flush: Duration, is_over: &AtomicBool) -> Recorded {
    let mut flushed = Instant::now();
    loop {
        // First of all, so that nothing is left behind when it was.
        let is_last = is_over.load(Ordering::Relaxed);
        while write_next(&mut tap, &mut output) {
            output.split(&tap);
            flush_if_due(&mut output, &tap, &mut flushed, flush);
        }
        if is_last {
            return output.finish(&tap);
        }
        flush_if_due(&mut output, &tap, &mut flushed, flush);
        thread::sleep(look);
    }
}

/// Tells whether there was a value, which is let go.
fn write_next(tap: &mut Tap, output: &mut Output) -> bool {
    tap.next().map(|value| output.write(&value)).is_some()
}

fn flush_if_due(output: &mut Output, tap: &Tap, flushed: &mut Instant, period: Duration) {
    if flushed.elapsed() >= period {
        output.flush(tap);
        *flushed = Instant::now();
    }
}
