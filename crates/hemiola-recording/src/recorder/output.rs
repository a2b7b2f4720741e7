//! The output of the recorder, which encodes and writes what is recorded. When the log can no
//! longer be written, the robot continues without it, and values are counted.

use std::collections::BTreeMap;
use std::path::Path;

use hemiola_log::{LogCompression, LogError, LogWriter};
use hemiola_model::Time;
use hemiola_model::cdr::CdrWriter;
use hemiola_model::configuration::LogExtent;
use hemiola_runtime::{Observer, RobotHandle, SeenValue};
use hemiola_words::counted;

use super::channels::Channels;
use super::debug::DebugChannels;
use super::head::clock;
use super::journal::JournalChannels;
use super::keeper::{Keeper, Order};
use super::parts::Parts;
use super::recorded::Ending;
use super::topics::TopicChannels;
use super::{Head, Recorded, Recording};
use crate::checkpoints::CheckpointChannels;
use crate::error::RecordingError;
use crate::names::{CLOCK, COUNTS};
use crate::transcript::TranscriptChannels;

/// The log that is being written, with all its channels.
pub struct Output {
    handle: RobotHandle,
    parts: Parts,
    compression: LogCompression,
    reserve: u64,
    head: Head,
    /// Set once the head is in the log: not before the origin of the robot's clock is known.
    has_head: bool,
    log: Option<LogWriter>,
    keeper: Keeper,
    channels: Channels,
    topics: TopicChannels,
    debug: DebugChannels,
    journal: JournalChannels,
    runs: TranscriptChannels,
    checkpoints: CheckpointChannels,
    buffer: CdrWriter,
    unwritten: u64,
    /// The times of other clocks when the robot's clock shows zero.
    clock: BTreeMap<String, String>,
    ending: Option<Ending>,
}

impl Output {
    /// Starts a log of what is observed. Its file is there when this returns, and has a head when
    /// the robot [has begun](Self::follow_beginning).
    pub fn begin(
        handle: &RobotHandle,
        seen: &mut Observer,
        recording: Recording,
        head: Head,
    ) -> Result<Self, RecordingError> {
        let channels = Channels::of(seen, &recording);
        let Recording { path, compression, flush, split, keep, reserve, topics, images, .. } = recording;
        let parts = Parts::new(path.clone(), split.or(keep.map(LogExtent::quarter)))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let conditions = head.conditions.clone();
        let keeper = Keeper::start(handle, flush, keep, reserve, folder.to_owned(), conditions);
        let keeper = keeper.map_err(RecordingError::Thread)?;
        let mut output = Self {
            handle: handle.clone(),
            parts,
            compression,
            reserve,
            head: head.with_parts_of(channels.partial()),
            has_head: false,
            log: None,
            keeper,
            channels,
            topics: TopicChannels::new(handle, seen, topics),
            debug: DebugChannels::new(images),
            journal: JournalChannels::default(),
            runs: TranscriptChannels::default(),
            checkpoints: CheckpointChannels::new(handle.sources()),
            buffer: CdrWriter::default(),
            unwritten: 0,
            clock: BTreeMap::new(),
            ending: None,
        };
        let mut log = output.create_file()?;
        // The clock of a stepped robot has an origin from the beginning.
        let is_stepped = handle.clock().due(Time::ZERO).is_none();
        if is_stepped || handle.has_begun() {
            output.write_head(&mut log)?;
        }
        output.log = Some(log);
        Ok(output)
    }

    /// Writes the head of the log if the robot has begun, or will not begin any more, and returns
    /// whether the log has it.
    pub fn follow_beginning(&mut self, is_over: bool) -> bool {
        if self.has_head || !(is_over || self.handle.has_begun()) {
            return self.has_head;
        }
        if let Some(mut log) = self.log.take() {
            match self.write_head(&mut log) {
                Ok(()) => self.log = Some(log),
                Err(error) => self.fail(error),
            }
        }
        self.has_head
    }

    fn write_head(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        self.has_head = true;
        self.head.note_origin(&self.handle);
        self.clock = clock(&self.handle);
        self.describe(log)
    }

    fn create_file(&self) -> Result<LogWriter, LogError> {
        let log = LogWriter::create(&self.parts.path(), self.compression)?;
        self.keeper.order(Order::Began(log.synchroniser()?));
        Ok(log)
    }

    /// Writes the parts with which each file begins.
    fn describe(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        self.head.write(log)?;
        if !self.clock.is_empty() {
            log.metadata(CLOCK, self.clock.clone())?;
        }
        self.channels.begin(log)?;
        self.topics.begin(log)?;
        self.journal.begin(log)?;
        self.debug.begin();
        self.runs.begin();
        self.checkpoints.begin();
        Ok(())
    }

    fn begin_file(&mut self) -> Result<LogWriter, LogError> {
        let mut log = self.create_file()?;
        self.describe(&mut log)?;
        Ok(log)
    }

    /// Writes a value.
    pub fn write(&mut self, value: &SeenValue<'_>) {
        let Some(log) = &mut self.log else {
            self.unwritten += 1;
            return;
        };
        let Some((channel, origin)) = self.channels.place(value) else { return };
        match log.encode(channel, origin, |log| _ = value.value().write(log)) {
            Ok(true) => self.parts.note(value.now()),
            Ok(false) => {
                self.unwritten += 1;
                let name = value.representation();
                self.handle.note(format!(
                    "a value of {name} is not in the log: it has a time beyond 68 years, or a sequence of over 4 billion items, which ROS 2's \
                     messages cannot say"
                ));
            }
            // The value is lost, but the log can continue.
            Err(error @ LogError::Panicked { .. }) => {
                self.unwritten += 1;
                self.handle.note(format!("{}: {error}", value.representation()));
            }
            Err(error) => {
                self.unwritten += 1;
                self.fail(error);
            }
        }
    }

    /// Writes the messages that have arrived.
    pub fn write_messages(&mut self, seen: &mut Observer) {
        if self.topics.has_new(seen)
            && let Some(Err(error)) = self.log.as_mut().map(|log| self.topics.begin_new(seen, log))
        {
            self.fail(error);
        }
        while let Some(message) = self.topics.next(seen, self.channels.conditions(), &mut self.buffer) {
            let Some(log) = self.log.as_mut().filter(|_| self.buffer.is_exact()) else {
                self.unwritten += 1;
                continue;
            };
            let written = log.write(message.channel, message.origin, message.bytes(&self.buffer));
            match written.and_then(|()| self.topics.write_sender(&message, log)) {
                Ok(()) => self.parts.note(message.origin.logged),
                Err(error) => {
                    self.unwritten += 1;
                    self.fail(error);
                }
            }
        }
    }

    /// Writes the output of updates.
    pub fn write_debug(&mut self, seen: &mut Observer) {
        let Some(log) = &mut self.log else { return };
        if let Err(error) = self.debug.write(log, seen) {
            self.fail(error);
        }
    }

    /// Writes the inputs with which runs began.
    pub fn write_runs(&mut self, seen: &mut Observer) {
        while let Some(run) = seen.next_run() {
            if let Some(Err(error)) = self.log.as_mut().map(|log| self.runs.write(run, log)) {
                self.fail(error);
            }
        }
    }

    /// Writes the state on which later runs depend.
    pub fn write_checkpoints(&mut self, seen: &mut Observer) {
        while let Some(part) = seen.next_part() {
            if let Some(Err(error)) = self.log.as_mut().map(|log| self.checkpoints.write(&part, log)) {
                self.fail(error);
            }
        }
    }

    /// Begins the next file if the present one is full.
    pub fn split(&mut self, seen: &mut Observer) {
        let Some(log) = self.log.take_if(|log| self.parts.is_full(log.written().bytes)) else { return };
        let ended = self.end_file(log, seen);
        self.parts.advance();
        match ended.and_then(|()| self.begin_file()) {
            Ok(log) => self.log = Some(log),
            Err(error) => self.fail(error),
        }
    }

    /// Writes the other events. Afterwards, everything that was written outlives this process.
    pub fn flush(&mut self, seen: &mut Observer) {
        let Some(log) = &mut self.log else { return };
        let written = self.journal.write(log, seen, &mut self.head, &mut self.buffer);
        let written = written.and_then(|()| self.topics.begin_new(seen, log)).and_then(|()| log.flush());
        if let Err(error) = written {
            return self.fail(error);
        }
        if self.keeper.is_low() {
            self.end_for_reserve(seen);
        }
    }

    /// Notes that everything was flushed, and that nothing will be written for a while.
    pub fn rest(&self) {
        self.keeper.order(Order::Rest);
    }

    /// Notes that something may be written again.
    pub fn go_on(&self) {
        self.keeper.order(Order::GoOn);
    }

    fn end_for_reserve(&mut self, seen: &mut Observer) {
        let ending = Ending::Reserve(self.reserve);
        self.handle.note(format!("the log has ended early: {ending}"));
        self.ending = Some(ending);
        if let Some(log) = self.log.take()
            && let Err(error) = self.end_file(log, seen)
        {
            self.ending = Some(Ending::Failure(error));
        }
    }

    fn fail(&mut self, error: LogError) {
        self.handle.note(format!("the log has ended early: {error}"));
        self.log = None;
        self.ending = Some(Ending::Failure(error));
    }

    /// Ends a file, which the thread that waits for the disk finishes.
    fn end_file(&mut self, mut log: LogWriter, seen: &mut Observer) -> Result<(), LogError> {
        let mut counts = self.channels.counts(seen);
        counts.extend(self.topics.counts(seen));
        counts.extend(self.debug.counts(seen));
        log.metadata(COUNTS, counts)?;
        self.keeper.order(Order::Ended { log: Box::new(log), path: self.parts.path(), end: self.parts.newest() });
        Ok(())
    }

    /// Finishes the log with what is known at the end.
    pub fn finish(mut self, seen: &mut Observer) -> Recorded {
        let dropped = seen.dropped();
        if dropped.parts > 0 {
            let count = counted(dropped.parts, "part");
            self.handle.note(format!("{count} of checkpoints found no room, so that a replay cannot begin with these"));
        }
        if let Some(log) = self.log.take()
            && let Err(error) = self.end(log, seen)
        {
            self.fail(error);
        }
        let dropped = seen.dropped();
        let (path, kept) = (self.parts.name(), self.keeper.finish());
        let (dropped, dropped_runs) = (dropped.values + dropped.messages, dropped.runs);
        Recorded { path, kept, dropped, dropped_runs, unwritten: self.unwritten, ending: self.ending }
    }

    fn end(&mut self, mut log: LogWriter, seen: &mut Observer) -> Result<(), LogError> {
        self.topics.begin_new(seen, &mut log)?;
        self.debug.write(&mut log, seen)?;
        self.debug.finish(&mut log)?;
        self.journal.write(&mut log, seen, &mut self.head, &mut self.buffer)?;
        let report = self.handle.report().to_json();
        log.attach("statistics.json", "application/json", self.handle.now(), report.as_bytes())?;
        self.end_file(log, seen)
    }
}
