//! Writes what a robot passes on into a log, on a thread of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hemiola_log::{ChannelId, LogCompression, LogError, LogSynchroniser, LogWriter, Origin, Written};
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_runtime::{Robot, RobotHandle, Tap, TappedValue};

use crate::commands::log::bytes;
use crate::error::CommandError;

/// A log that is being written.
pub struct Recorder {
    thread: thread::JoinHandle<Recorded>,
    is_over: Arc<AtomicBool>,
}

/// What became of a log.
pub struct Recorded {
    path: PathBuf,
    written: Written,
    /// Values that the log was too slow for.
    dropped: u64,
    /// Values that came after the log could not be written any more.
    unwritten: u64,
    failure: Option<LogError>,
}

/// What a killed process may lose, and a machine without power as much again.
const FLUSH_PERIOD: Duration = Duration::from_millis(500);
/// How often it looks for new values: in that time no cycle provides as many as can wait.
const LOOK_PERIOD: Duration = Duration::from_millis(5);

impl Recorder {
    /// Begins a log with all that the robot is asked to pass on; `None` if that is nothing.
    pub fn start(
        handle: &RobotHandle,
        path: &Path,
        compression: LogCompression,
        about: BTreeMap<String, String>,
    ) -> Result<Option<Self>, CommandError> {
        let Some(tap) = handle.take_tap() else { return Ok(None) };
        let mut log = LogWriter::create(path, compression)?;
        let mut about = about;
        let since_origin = Duration::from_nanos(handle.now().nanoseconds().try_into().unwrap_or(0));
        let origin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(since_origin);
        about.insert("clock_origin_unix_ns".to_owned(), origin.as_nanos().to_string());
        log.metadata("hemiola", about)?;
        let channels = channels(&tap, &mut log)?;
        let synchroniser = log.synchroniser()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let output = Output {
            handle: handle.clone(),
            log: Some(log),
            channels,
            buffer: CdrWriter::default(),
            unwritten: 0,
            failure: None,
        };
        let (path, over) = (path.to_owned(), is_over.clone());
        let thread = thread::Builder::new().name("hemiola recorder".into()).spawn(move || {
            // Whoever writes has no time to wait for the disk.
            let (dropped, output) = thread::scope(|scope| {
                scope.spawn(|| synchronise(&synchroniser, &over));
                record(tap, output, &over)
            });
            output.finish(path, dropped)
        });
        Ok(Some(Self { thread: thread.map_err(CommandError::Thread)?, is_over }))
    }

    /// Ends the log, when the robot has ended.
    pub fn finish(self) -> Option<Recorded> {
        self.is_over.store(true, Ordering::Relaxed);
        // A panic of its own was reported by the default hook.
        self.thread.join().ok()
    }
}

/// What a log should tell about the robot that wrote it.
pub fn about(robot: &Robot, name: &str) -> BTreeMap<String, String> {
    let mut about = BTreeMap::from([
        ("robot".to_owned(), name.to_owned()),
        ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("machine".to_owned(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
    ]);
    for cycle in &robot.resolved().cycles {
        for (representation, &update) in &cycle.providers {
            let described = robot.system().cycles.iter().find(|described| described.name == cycle.name);
            if let Some(module) = described.and_then(|described| described.modules.get(update.module)) {
                about.insert(format!("provider/{}/{representation}", cycle.name), module.name.clone());
            }
        }
    }
    about
}

/// A channel for each representation of each cycle and source: `/motion/JointAngles`.
fn channels(tap: &Tap, log: &mut LogWriter) -> Result<Vec<ChannelId>, LogError> {
    let channels = tap.channels().into_iter().filter_map(|channel| {
        let name = channel.descriptor.name();
        // Only what has a type can be tapped.
        let schema = MessageSchema::of(name, &channel.descriptor.data_type()?);
        Some(log.channel(&topic(&channel.owner, name), &schema))
    });
    channels.collect()
}

/// What a representation of a cycle or source is called in a log; topics have letters, digits and underscores.
pub fn topic(owner: &str, representation: &str) -> String {
    let owner: String = owner.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    format!("/{owner}/{representation}")
}

/// Takes what there is until the robot has ended; tells how many values came in vain.
fn record(mut tap: Tap, mut output: Output, is_over: &AtomicBool) -> (u64, Output) {
    let mut flushed = Instant::now();
    loop {
        // First of all, so that nothing is left behind when it was.
        let is_last = is_over.load(Ordering::Relaxed);
        while let Some(value) = tap.next() {
            output.write(&value);
            drop(value);
            if flushed.elapsed() >= FLUSH_PERIOD {
                output.flush();
                flushed = Instant::now();
            }
        }
        if is_last {
            return (tap.channels().iter().map(|channel| channel.dropped).sum(), output);
        }
        if flushed.elapsed() >= FLUSH_PERIOD {
            output.flush();
            flushed = Instant::now();
        }
        thread::sleep(LOOK_PERIOD);
    }
}

/// Sees to it that the log outlives the machine's power. A disk that fails is noticed by who writes.
fn synchronise(synchroniser: &LogSynchroniser, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) && synchroniser.wait().is_ok() {
        thread::sleep(FLUSH_PERIOD / 2);
    }
}

/// Where values go. When it cannot be written any more, the robot goes on without, and they are counted.
struct Output {
    handle: RobotHandle,
    log: Option<LogWriter>,
    channels: Vec<ChannelId>,
    buffer: CdrWriter,
    unwritten: u64,
    failure: Option<LogError>,
}

impl Output {
    fn write(&mut self, value: &TappedValue<'_>) {
        let Some(log) = &mut self.log else {
            self.unwritten += 1;
            return;
        };
        self.buffer.clear();
        value.value().write(&mut self.buffer);
        if !self.buffer.is_exact() {
            self.unwritten += 1;
            let name = value.representation();
            return self.handle.note(format!(
                "a value of {name} is not in the log: it has a time beyond 68 years, or a sequence of over 4 billion items, which ROS 2's \
                 messages cannot say"
            ));
        }
        let origin = Origin { sequence: value.sequence(), logged: value.now(), published: value.stamp() };
        if let Err(error) = log.write(self.channels[value.channel()], origin, self.buffer.bytes()) {
            self.unwritten += 1;
            self.fail(error);
        }
    }

    fn flush(&mut self) {
        if let Some(Err(error)) = self.log.as_mut().map(LogWriter::flush) {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: LogError) {
        self.handle.note(format!("the log has ended early: {error}"));
        self.log = None;
        self.failure = Some(error);
    }

    fn finish(mut self, path: PathBuf, dropped: u64) -> Recorded {
        let written = self.log.take().map(LogWriter::finish).unwrap_or_else(|| Ok(Written::default()));
        let (written, failure) = match written {
            Ok(written) => (written, self.failure),
            Err(error) => (Written::default(), Some(error)),
        };
        Recorded { path, written, dropped, unwritten: self.unwritten, failure }
    }
}

impl Recorded {
    /// For the end of a run.
    pub fn line(&self) -> String {
        let Self { path, written, dropped, unwritten, failure } = self;
        let path = path.display();
        if let Some(failure) = failure {
            return format!("log      {path} ended early, {unwritten} values are not in it: {failure}");
        }
        let size = bytes(written.bytes);
        let lost = match (dropped, unwritten) {
            (0, 0) => "nothing lost".to_owned(),
            (0, unwritten) => format!("{unwritten} could not be written"),
            (dropped, 0) => format!("{dropped} lost, for the log was too slow"),
            (dropped, unwritten) => {
                format!("{dropped} lost, for the log was too slow, {unwritten} could not be written")
            }
        };
        format!("log      {path}: {} values, {size}, {lost}: `log info {path}` tells more", written.messages)
    }
}
