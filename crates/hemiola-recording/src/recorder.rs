//! The recorder, which writes what a robot publishes into a log, on a thread of its own.
//!
//! | file | what |
//! |---|---|
//! | `attention` | how long it polls for something to record, and when it sleeps |
//! | `recording` | what is recorded, where and how: `[log]`, and the command line over it |
//! | `head` | the beginning of a log: the robot and its configuration |
//! | `channels` | values of representations: a channel for each, of each cycle and source |
//! | `topics` | messages of topics: a channel for each |
//! | `debug` | plots, drawings and texts of updates: a channel for each name |
//! | `conditions` | the conditions under which values are recorded |
//! | `journal` | the other events: messages, and changes from outside |
//! | `output` | encodes and writes all of this, until the log can no longer be written |
//! | `parts` | the files of a log, and when the next one begins |
//! | `keeper` | waits for the disk, finishes files, removes old ones, and keeps space free |
//! | `worst` | traces of the longest runs |
//! | `recorded` | the outcome, for the end of a run |

mod attention;
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

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_realtime::Wakeup;
use hemiola_runtime::{Observer, RobotHandle};

use crate::error::RecordingError;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use attention::Attention;
use output::Output;

/// A log that is being written.
pub struct Recorder {
    path: PathBuf,
    thread: thread::JoinHandle<Recorded>,
    shared: Arc<Shared>,
}

/// The state that the thread shares with the one that ends it.
#[derive(Default)]
struct Shared {
    /// The event that is notified when there is something to record, and at the end.
    event: Arc<Wakeup>,
    is_over: AtomicBool,
    /// The number of times that the thread has made progress.
    progress: AtomicU64,
}

/// The time after which the recorder gives up waiting for a disk that makes no progress at the end
/// of a log.
const DISK_PATIENCE: Duration = Duration::from_secs(30);
/// The period in which the end of the thread is polled.
const END_LOOK: Duration = Duration::from_millis(2);

/// The periods of the recorder.
struct Rhythm {
    /// The period in which new values are polled while there are some.
    look: Duration,
    /// The longest time between two polls of messages while values keep arriving.
    messages: Duration,
    flush: Duration,
}

impl Rhythm {
    fn of(handle: &RobotHandle, flush: Duration) -> Self {
        // The clock of a stepped robot says nothing about real time.
        if handle.clock().due(Time::ZERO).is_none() {
            // A stepped robot waits for the recorder: for values to be received soon, and for
            // messages until all values were received that were provided with them.
            return Self { look: Duration::from_micros(100), messages: Duration::MAX, flush };
        }
        // Within these periods, no robot provides more values, or sends more messages, than the
        // queues can hold.
        Self { look: Duration::from_millis(5), messages: Duration::from_millis(20), flush }
    }
}

impl Recorder {
    /// Starts a log of everything that is to be recorded, from now on.
    pub fn start(handle: &RobotHandle, recording: Recording, head: Head) -> Result<Self, RecordingError> {
        let rhythm = Rhythm::of(handle, recording.flush);
        let shared = Arc::<Shared>::default();
        let mut seen = handle.observe(recording.observation().notifying(shared.event.clone()))?;
        let path = recording.path.clone();
        let output = Output::begin(handle, &mut seen, recording, head)?;
        handle.notify_of_turns(&shared.event);
        let of_thread = shared.clone();
        let recorder = thread::Builder::new().name("hemiola recorder".into());
        let thread = recorder.spawn(move || record(seen, output, &rhythm, &of_thread));
        Ok(Self { path, thread: thread.map_err(RecordingError::Thread)?, shared })
    }

    /// Finishes the log, when the robot has ended. Waits as long as the disk makes progress; if it
    /// has made none for half a minute, this gives up, and the log remains without an end.
    pub fn finish(self) -> Option<Recorded> {
        self.finish_within(DISK_PATIENCE)
    }

    fn finish_within(self, patience: Duration) -> Option<Recorded> {
        let Self { path, thread, shared } = self;
        shared.is_over.store(true, Ordering::Relaxed);
        shared.event.notify_all();
        let progress = || shared.progress.load(Ordering::Relaxed);
        let mut wait = DiskWait { progress: progress(), since: Instant::now(), patience };
        while !thread.is_finished() {
            if wait.is_over(progress(), Instant::now()) {
                return Some(Recorded::without_end(path, patience));
            }
            thread::sleep(END_LOOK);
        }
        // The default hook has reported a panic of the thread.
        thread.join().ok()
    }
}

/// Waits for a disk as long as it makes progress.
struct DiskWait {
    /// The progress at the last check.
    progress: u64,
    /// The time of the last progress.
    since: Instant,
    patience: Duration,
}

impl DiskWait {
    /// Returns whether there was no progress for too long, now that `progress` is reached.
    fn is_over(&mut self, progress: u64, now: Instant) -> bool {
        if progress != self.progress {
            (self.progress, self.since) = (progress, now);
        }
        now.saturating_duration_since(self.since) >= self.patience
    }
}

/// Records until the robot has ended.
fn record(mut seen: Observer, mut output: Output, rhythm: &Rhythm, shared: &Shared) -> Recorded {
    let mut attention = Attention::new(shared.event.clone());
    let (mut unflushed, mut heard) = (Unflushed::default(), Instant::now());
    loop {
        if attention.begin_round() {
            unflushed.add();
        }
        // This is read before anything is drained, so that the last round drains everything.
        let is_last = shared.is_over.load(Ordering::Relaxed);
        if !output.follow_beginning(is_last) {
            attention.sleep(None);
            continue;
        }
        output.write_runs(&mut seen);
        output.write_checkpoints(&mut seen);
        while write_next(&mut seen, &mut output) {
            shared.progress.fetch_add(1, Ordering::Relaxed);
            output.split(&mut seen);
            if heard.elapsed() >= rhythm.messages {
                output.write_messages(&mut seen);
                output.write_debug(&mut seen);
                heard = Instant::now();
            }
            if unflushed.left(rhythm.flush) == Some(Duration::ZERO) {
                output.flush(&mut seen);
                unflushed = Unflushed::from_now();
            }
        }
        output.write_messages(&mut seen);
        output.write_debug(&mut seen);
        if is_last {
            return output.finish(&mut seen);
        }
        if unflushed.left(rhythm.flush) == Some(Duration::ZERO) {
            output.flush(&mut seen);
            unflushed = Unflushed::default();
        }
        if attention.is_awake() {
            attention.doze(rhythm.look);
        } else if let Some(left) = unflushed.left(rhythm.flush) {
            attention.sleep(Some(left));
        } else {
            output.rest();
            attention.sleep(None);
            output.go_on();
        }
    }
}

/// The time since which there may be something that was not flushed.
#[derive(Default)]
struct Unflushed(Option<Instant>);

impl Unflushed {
    fn from_now() -> Self {
        Self(Some(Instant::now()))
    }

    /// Notes that there may be something.
    fn add(&mut self) {
        self.0.get_or_insert_with(Instant::now);
    }

    /// Returns how long it may wait until it is flushed; `None` if there is nothing.
    fn left(&self, period: Duration) -> Option<Duration> {
        self.0.map(|since| period.saturating_sub(since.elapsed()))
    }
}

/// Records the next value, and releases it. Returns whether there was one.
fn write_next(seen: &mut Observer, output: &mut Output) -> bool {
    let is_there = seen.next_value().map(|value| output.write(&value)).is_some();
    output.write_runs(seen);
    output.write_checkpoints(seen);
    is_there
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_disk_is_waited_for_as_long_as_it_takes_something_however_slowly() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut wait = DiskWait { progress: 0, since: begin, patience: Duration::from_secs(30) };
        for done in 1..100 {
            assert!(!wait.is_over(done, at(29 * done)));
        }
        let last = 29 * 99;
        assert!(!wait.is_over(99, at(last + 29)));
        assert!(wait.is_over(99, at(last + 30)));
    }

    #[test]
    fn a_log_on_a_disk_that_takes_nothing_stays_without_an_end_and_says_so() {
        let (release, released) = channel::<()>();
        let thread = thread::spawn(move || {
            _ = released.recv();
            Recorded::without_end(PathBuf::new(), Duration::ZERO)
        });
        let recorder = Recorder { path: "game.mcap".into(), thread, shared: Arc::default() };
        let recorded = recorder.finish_within(Duration::from_millis(10)).unwrap();
        assert!(!recorded.is_whole());
        let line = recorded.line();
        assert!(line.contains("game.mcap has no end") && line.contains("log recover game.mcap"), "{line}");
        drop(release);
    }
}
