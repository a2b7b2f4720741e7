//! Hands values to a recorder: references, not copies.
//!
//! At the end of a run, a cycle (and a source, when it has delivered) holds the values that are asked for and passes on where they are.
//! They stay as they are until the recorder has let them go. Nothing waits for the recorder: of each representation the values
//! of a fifth of a second are held at most, of sources those of a second ([`depth`]), and what comes on top is counted. Only a robot that is stepped waits, for its clock stands still meanwhile.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_model::module::BetweenRuns;
use hemiola_model::{AnyRepresentation, RepresentationDescriptor, Time};

use crate::blackboard::Blackboard;
use crate::blackboard::slot::Held;
use crate::observe::parts::CheckpointLine;
use crate::observe::runs::TranscriptLine;
use crate::record::{CyclePart, RunRecord};
use crate::sync::{AtomicU8, AtomicU64, Ordering};

use super::room::Room;

/// A representation that is to be recorded: [`Robot::tapped`](crate::Robot::tapped).
///
/// ```
/// use hemiola_runtime::TapRequest;
///
/// let thumbnails = TapRequest { rate: Some(2.0), ..TapRequest::all("Image") };
/// assert_eq!(thumbnails.representation, "Image");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TapRequest {
    /// Its name.
    pub representation: String,
    /// At most so many values a second, of the robot's clock; `None`: all.
    pub rate: Option<f64>,
}

impl TapRequest {
    /// Every value of a representation.
    pub fn all(representation: impl Into<String>) -> Self {
        Self { representation: representation.into(), rate: None }
    }
}

/// So many values of a representation can be on their way to the recorder, which may be away for so long. Without a known period, as many as at
/// 160 Hz.
pub fn depth(period: Option<Duration>, away: Duration) -> usize {
    let values = away.as_secs_f64() / period.unwrap_or(UNKNOWN).as_secs_f64();
    values.clamp(FEWEST, MOST) as usize
}

/// How long a recorder may be away without losing what a cycle computes.
pub const AWAY: Duration = Duration::from_millis(200);
/// The same of what a source brings: nobody can compute it again.
pub const AWAY_FROM_SOURCE: Duration = Duration::from_secs(1);
/// Pictures are large and come at 30 Hz.
const FEWEST: f64 = 8.0;
/// Each may take a slot of its own.
const MOST: f64 = 128.0;
const UNKNOWN: Duration = Duration::from_micros(6250);

/// Makes the two ends of the tap of one blackboard: what is asked for of what it provides.
pub fn tap(
    owner: &str,
    blackboard: &Arc<Blackboard>,
    requests: &[TapRequest],
    depth: usize,
    full: WhenFull,
) -> Option<(TapWriter, TapLine)> {
    let entries: Vec<Entry> = requests
        .iter()
        .filter_map(|request| {
            let store = blackboard.store_of(&request.representation)?;
            let period = request.rate.filter(|rate| *rate > 0.0).map(|rate| Duration::from_secs_f64(1.0 / rate));
            let period = period.unwrap_or_default();
            Some(Entry { store, period, due: Time::ZERO, commits: blackboard.store(store).commits(), sequence: 0 })
        })
        .collect();
    if entries.is_empty() {
        return None;
    }
    let shared = Arc::new(Shared {
        state: AtomicU8::new(State::Untaken as u8),
        counts: entries.iter().map(|_| Count::default()).collect(),
    });
    let (values, reader) = queue(entries.len() * depth);
    let stores = entries.iter().map(|entry| (entry.store, entry.period)).collect();
    let line =
        TapLine { owner: owner.into(), blackboard: blackboard.clone(), stores, shared: shared.clone(), values: reader };
    Some((TapWriter { entries: entries.into(), depth: depth as u32, shared, values, full }, line))
}

/// What a writer does without room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// On threads that must not wait.
    Drop,
    /// When the clock stands still.
    Wait,
}

/// The cycle's or source's end.
pub struct TapWriter {
    entries: Box<[Entry]>,
    /// So many values of each may be held.
    depth: u32,
    shared: Arc<Shared>,
    values: QueueWriter<Passed>,
    full: WhenFull,
}

struct Entry {
    store: usize,
    /// The least distance of two values.
    period: Duration,
    due: Time,
    /// Of the store, when a value was passed on last.
    commits: u32,
    /// Of the next value, also of one that is dropped.
    sequence: u32,
}

/// What both ends see.
struct Shared {
    state: AtomicU8,
    /// Of each entry.
    counts: Box<[Count]>,
}

/// Whether there is a recorder.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Nobody has come yet: there is nobody to wait for.
    Untaken,
    Taken,
    /// It has gone.
    Closed,
}

impl Shared {
    fn is(&self, state: State) -> bool {
        self.state.load(Ordering::Relaxed) == state as u8
    }

    fn set(&self, state: State) {
        self.state.store(state as u8, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Count {
    /// Values that the recorder holds.
    held: Room,
    dropped: AtomicU64,
}

/// A value on its way.
struct Passed {
    entry: u32,
    /// Released before the room for it.
    held: Option<Held>,
    sequence: u32,
    run: u32,
    now: Time,
    stamp: Time,
}

impl TapWriter {
    /// Passes on what was provided since the last time. No allocation, no lock, no system call.
    pub fn pass_on(&mut self, blackboard: &Blackboard, run: u32, now: Time, between: &BetweenRuns<'_>) {
        if self.shared.is(State::Closed) {
            return;
        }
        for (number, entry) in self.entries.iter_mut().enumerate() {
            let store = blackboard.store(entry.store);
            let commits = store.commits();
            if commits == entry.commits || now < entry.due {
                continue;
            }
            entry.commits = commits;
            entry.due = now + entry.period;
            let sequence = entry.sequence;
            entry.sequence = sequence.wrapping_add(1);
            let count = &self.shared.counts[number];
            let (held, depth) = (&count.held, self.depth);
            let is_full = || held.is_full(depth);
            while self.full == WhenFull::Wait && self.shared.is(State::Taken) && is_full() {
                std::thread::yield_now();
            }
            if is_full() {
                count.dropped.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let held = store.hold(between);
            count.held.enter();
            let stamp = held.stamp;
            let passed = Passed { entry: number as u32, held: Some(held), sequence, run, now, stamp };
            // There is room for all that can be held.
            if self.values.push(passed).is_err() {
                count.held.leave();
                count.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl TapWriter {
    /// What is provided now has been passed on already.
    pub fn begin_after(&mut self, blackboard: &Blackboard) {
        self.entries.iter_mut().for_each(|entry| entry.commits = blackboard.store(entry.store).commits());
    }

    /// The next value has this number.
    pub fn count_from(&mut self, sequence: u32) {
        self.entries.iter_mut().for_each(|entry| entry.sequence = sequence);
    }
}

/// The recorder's end of one blackboard's tap.
pub struct TapLine {
    owner: Arc<str>,
    blackboard: Arc<Blackboard>,
    /// Each with the least distance of two of its values.
    stores: Box<[(usize, Duration)]>,
    shared: Arc<Shared>,
    values: QueueReader<Passed>,
}

/// Takes the values that a robot was asked to pass on: [`RobotHandle::take_tap`](crate::RobotHandle::take_tap).
///
/// ```
/// use hemiola_model::cdr::CdrWriter;
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::{Robot, TapRequest};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// let robot = Robot::assemble(configuration)?;
/// let everything = robot.recordable().into_iter().map(TapRequest::all).collect();
/// let running = robot.tapped(everything)?.start(Default::default())?;
/// if let Some(mut tap) = running.handle().take_tap() {
///     let mut writer = CdrWriter::default();
///     while let Some(value) = tap.next() {
///         writer.clear();
///         value.value().write(&mut writer);
///         println!("{} at {}: {} bytes", value.representation(), value.now(), writer.bytes().len());
///     }
/// }
/// # running.stop();
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Default)]
pub struct Tap {
    lines: Vec<TapLine>,
    transcripts: Vec<TranscriptLine>,
    checkpoints: Vec<CheckpointLine>,
    /// The line that is looked at first.
    next: usize,
    /// What had found no room when all was forgotten: of each channel, and runs.
    forgotten: (Vec<u64>, u64),
}

impl Tap {
    pub(crate) fn new(lines: Vec<TapLine>, transcripts: Vec<TranscriptLine>) -> Self {
        let tap = Self { lines, transcripts, checkpoints: Vec::new(), next: 0, forgotten: Default::default() };
        tap.set(State::Taken);
        tap
    }

    pub(crate) fn with_checkpoints(mut self, checkpoints: Vec<CheckpointLine>) -> Self {
        self.checkpoints = checkpoints;
        self.set(State::Taken);
        self
    }

    fn set(&self, state: State) {
        self.lines.iter().for_each(|line| line.shared.set(state));
        self.transcripts.iter().for_each(|line| line.set(state));
        self.checkpoints.iter().for_each(|line| line.set(state));
    }

    /// What the next run began with, of the cycles in turn, if that was asked for ([`Recording::of_runs`](crate::Recording::of_runs)); `None`
    /// when there is none at present. Never waits.
    pub fn next_run(&mut self) -> Option<RunRecord> {
        self.transcripts.iter_mut().find_map(TranscriptLine::next)
    }

    /// Runs that [`next_run`](Self::next_run) will never give, because they found no room.
    pub fn dropped_runs(&self) -> u64 {
        self.transcripts.iter().map(TranscriptLine::dropped).sum::<u64>() - self.forgotten.1
    }

    /// Lets go of everything that was passed on so far, and of what found no room: for who takes a part of a run.
    pub fn forget(&mut self) {
        while self.next().is_some() {}
        while self.next_run().is_some() {}
        while self.next_part().is_some() {}
        self.forgotten = Default::default();
        let dropped = self.channels().iter().map(|channel| channel.dropped).collect();
        self.forgotten = (dropped, self.dropped_runs());
    }

    /// The next cycle's part of a snapshot, if these were asked for ([`Recording::with_checkpoints`](crate::Recording::with_checkpoints)); `None` when there is
    /// none at present. Never waits.
    pub fn next_part(&mut self) -> Option<CyclePart> {
        self.checkpoints.iter_mut().find_map(CheckpointLine::next)
    }

    /// Parts that [`next_part`](Self::next_part) will never give, because they found no room.
    pub fn dropped_parts(&self) -> u64 {
        self.checkpoints.iter().map(CheckpointLine::dropped).sum()
    }

    /// The next value, of the cycles and sources in turn; `None` when there is none at present. Never waits.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Option<TappedValue<'_>> {
        let count = self.lines.len();
        let (index, passed) = (self.next..self.next + count).find_map(|index| {
            let index = index % count;
            self.lines[index].values.pop().map(|passed| (index, passed))
        })?;
        self.next = (index + 1) % count;
        Some(TappedValue { line: &self.lines[index], channel: self.channel_of(index, passed.entry), passed })
    }

    /// What is passed on, each with its number: [`TappedValue::channel`].
    pub fn channels(&self) -> Vec<TapChannel> {
        let channels = self.lines.iter().flat_map(|line| {
            line.stores.iter().zip(&line.shared.counts).map(|(&(store, period), count)| TapChannel {
                owner: line.owner.clone(),
                descriptor: line.blackboard.store(store).descriptor(),
                period,
                dropped: count.dropped.load(Ordering::Relaxed),
            })
        });
        let forgotten = self.forgotten.0.iter().copied().chain(std::iter::repeat(0));
        let lasting =
            |(channel, forgotten): (TapChannel, u64)| TapChannel { dropped: channel.dropped - forgotten, ..channel };
        channels.zip(forgotten).map(lasting).collect()
    }

    fn channel_of(&self, line: usize, entry: u32) -> usize {
        self.lines[..line].iter().map(|line| line.stores.len()).sum::<usize>() + entry as usize
    }
}

/// One representation of one cycle or source.
///
/// ```
/// # fn show(tap: &hemiola_runtime::Tap) {
/// for channel in tap.channels() {
///     println!("{} of {}: {} lost", channel.descriptor.name(), channel.owner, channel.dropped);
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TapChannel {
    /// The cycle or source that provides it.
    pub owner: Arc<str>,
    /// What it is.
    pub descriptor: &'static RepresentationDescriptor,
    /// The least distance of two values on the robot's clock; zero where all are passed on.
    pub period: Duration,
    /// Values that found no room, and are lost to the recorder.
    pub dropped: u64,
}

/// A value that stays as it is until this is dropped.
pub struct TappedValue<'t> {
    line: &'t TapLine,
    channel: usize,
    passed: Passed,
}

impl TappedValue<'_> {
    /// The value.
    pub fn value(&self) -> &AnyRepresentation {
        self.passed.held.as_ref().map(Held::value).expect("it is held until this is dropped")
    }

    /// Its name.
    pub fn representation(&self) -> &'static str {
        self.store().descriptor().name()
    }

    /// Its number within [`Tap::channels`].
    pub fn channel(&self) -> usize {
        self.channel
    }

    /// Its number among those that were to be passed on: where one is missing, it was dropped.
    pub fn sequence(&self) -> u32 {
        self.passed.sequence
    }

    /// The number of its cycle's run, or of its source's sample.
    pub fn run(&self) -> u32 {
        self.passed.run
    }

    /// What the cycle's clock showed in that run; a source's sample's own time.
    pub fn now(&self) -> Time {
        self.passed.now
    }

    /// When the newest sample was taken that it derives from.
    pub fn stamp(&self) -> Time {
        self.passed.stamp
    }

    fn store(&self) -> &crate::blackboard::store::Store {
        self.line.blackboard.store(self.line.stores[self.passed.entry as usize].0)
    }
}

impl Drop for TappedValue<'_> {
    fn drop(&mut self) {
        drop(self.passed.held.take());
        self.line.shared.counts[self.passed.entry as usize].held.leave();
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.set(State::Closed);
    }
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.channels()).finish()
    }
}
