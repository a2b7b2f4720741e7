//! Hands over values to an observer: references, not copies.
//!
//! At the end of a run, a cycle (and a source, when it has delivered) holds the requested values
//! and passes on references to them. They stay unchanged until the observer has released them.
//! Nothing waits for an observer: of each representation at most the values of a fifth of a second
//! are held, of sources those of a second ([`depth`]), and those beyond that are counted as
//! dropped. Only a stepped robot waits, for observers that want everything: its clock stands still
//! meanwhile.

use std::sync::Arc;
use std::time::Duration;

use hemiola_model::module::BetweenRuns;
use hemiola_model::{AnyRepresentation, RepresentationDescriptor, Time};
use hemiola_trace::Ticks;

use super::hand_over::{Giver, Presence, Taker, WhenFull, hand_over};
use super::reserve::Reservation;
use super::room::{Passed, Room};
use crate::blackboard::Blackboard;
use crate::blackboard::slot::Held;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Returns how many values of a representation can be in transit to an observer that may be away
/// for that long. Without a known period, it is the number at 160 Hz.
pub fn depth(period: Option<Duration>, away: Duration) -> usize {
    let values = away.as_secs_f64() / period.unwrap_or(UNKNOWN).as_secs_f64();
    values.clamp(FEWEST, MOST) as usize
}

/// The time for which an observer may be away without losing what a cycle computes.
pub const AWAY: Duration = Duration::from_millis(200);
/// The time for which an observer may be away without losing what a source delivers, which cannot
/// be computed again.
pub const AWAY_FROM_SOURCE: Duration = Duration::from_secs(1);
/// The minimum number of values: images are large and come at 30 Hz.
const FEWEST: f64 = 8.0;
/// The maximum number of values: each may take a slot of its own.
const MOST: f64 = 128.0;
const UNKNOWN: Duration = Duration::from_micros(6250);

/// A representation of one blackboard that is requested.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub store: usize,
    /// The minimum time between two values.
    pub period: Duration,
    /// The number of values that may be held.
    pub depth: usize,
}

/// Creates both ends for the requested values of one blackboard.
pub fn values(
    owner: &Arc<str>,
    blackboard: &Arc<Blackboard>,
    wanted: &[Wanted],
    presence: &Arc<Presence>,
    full: WhenFull,
    reservation: &Arc<Reservation>,
) -> (ValueWriter, ValueLine) {
    let counts: Arc<[Count]> = wanted.iter().map(|_| Count::default()).collect();
    let (giver, values) = hand_over(presence, wanted.iter().map(|wanted| wanted.depth).sum(), full);
    let entries = wanted.iter().map(|&Wanted { store, period, depth }| Entry {
        store,
        depth: depth as u32,
        period,
        due: Time::ZERO,
        commits: 0,
        sequence: 0,
        is_behind: true,
        since: None,
        passed: Passed::default(),
    });
    let writer =
        ValueWriter { giver, entries: entries.collect(), counts: counts.clone(), _reservation: reservation.clone() };
    let channels = wanted.iter().map(|wanted| ValueChannel {
        owner: owner.clone(),
        descriptor: blackboard.store(wanted.store).descriptor(),
        period: wanted.period,
        dropped: 0,
    });
    let held = wanted.iter().map(|wanted| Taken { store: wanted.store, count: 0 });
    (
        writer,
        ValueLine {
            values,
            later: None,
            until: None,
            complete: Arc::default(),
            kept: None,
            channels: channels.collect(),
            counts,
            taken: held.collect(),
            reservation: reservation.clone(),
        },
    )
}

/// The cycle's or source's end of values.
pub struct ValueWriter {
    giver: Giver<PassedValue>,
    entries: Box<[Entry]>,
    counts: Arc<[Count]>,
    /// The right to slots, which is given back after the values that are still in transit.
    _reservation: Arc<Reservation>,
}

struct Entry {
    store: usize,
    /// The number of values that may be held.
    depth: u32,
    /// The minimum time between two values.
    period: Duration,
    due: Time,
    /// The store's count of commits when a value was last passed on.
    commits: u32,
    /// The number of the next value; dropped values are counted as well.
    sequence: u32,
    /// Set if nothing was passed on yet, or the last value was dropped.
    is_behind: bool,
    /// The time at which the first value since the last one that was passed on was handed over.
    since: Option<Ticks>,
    passed: Passed,
}

#[derive(Default)]
struct Count {
    /// The count of values that the observer has released.
    room: Room,
    dropped: AtomicU64,
}

/// A value in transit.
pub struct PassedValue {
    held: Held,
    entry: u32,
    sequence: u32,
    run: u32,
    now: Time,
    /// The time at which it was handed over, or the first one of those that it replaces.
    at: Ticks,
}

/// The end of a run, or of taking a sample, which provided values.
#[derive(Clone, Copy)]
pub struct Provided {
    /// The number of the run or sample.
    pub run: u32,
    /// The time of the run, or of the sample.
    pub now: Time,
    /// The time at which it ended.
    pub at: Ticks,
}

impl ValueWriter {
    /// Passes on what is provided from now on, beginning with what was provided last if
    /// `with_present`. The next value gets this number.
    pub fn begin(&mut self, blackboard: &Blackboard, sequence: u32, with_present: bool) {
        for entry in &mut self.entries {
            entry.commits = blackboard.store(entry.store).commits().wrapping_sub(u32::from(with_present));
            entry.sequence = sequence;
            entry.is_behind = true;
            entry.since = None;
        }
    }

    /// Passes on what was provided since the last time, and returns whether there was something. No
    /// allocation, no lock, no system call.
    pub fn pass_on(&mut self, blackboard: &Blackboard, provided: Provided, between: &BetweenRuns<'_>) -> bool {
        let Self { giver, entries, counts, .. } = self;
        let mut is_passed = false;
        for (number, entry) in entries.iter_mut().enumerate() {
            let commits = blackboard.store(entry.store).commits();
            if commits == entry.commits {
                continue;
            }
            entry.since.get_or_insert(provided.at);
            if provided.now < entry.due {
                continue;
            }
            let sequence = entry.count(commits, provided.now);
            let count = &counts[number];
            entry.is_behind = !giver.wait_for(|| !entry.passed.is_full(&count.room, entry.depth));
            if entry.is_behind {
                count.dropped.fetch_add(1, Ordering::Relaxed);
            } else {
                entry.give(giver, blackboard, number, (sequence, provided), between);
                is_passed = true;
            }
        }
        is_passed
    }

    /// Passes on the present value if it was dropped, or was not due: an observer of a robot that
    /// stands still sees its state. An observer that wants everything has it already.
    pub fn show_present(&mut self, blackboard: &Blackboard, provided: Provided, between: &BetweenRuns<'_>) -> Shown {
        let Self { giver, entries, counts, .. } = self;
        let mut shown = Shown { is_new: false, is_complete: true };
        if giver.wants_everything() {
            return shown;
        }
        for (number, entry) in entries.iter_mut().enumerate() {
            let commits = blackboard.store(entry.store).commits();
            if commits == entry.commits && !entry.is_behind {
                continue;
            }
            if entry.passed.is_full(&counts[number].room, entry.depth) {
                shown.is_complete = false;
                continue;
            }
            let sequence = entry.count(commits, provided.now);
            entry.is_behind = false;
            entry.give(giver, blackboard, number, (sequence, provided), between);
            shown.is_new = true;
        }
        shown
    }
}

/// The outcome of showing an observer the present values.
#[derive(Clone, Copy)]
pub struct Shown {
    /// Set if a value was passed on.
    pub is_new: bool,
    /// Set if no value remains for which there was no room.
    pub is_complete: bool,
}

impl Entry {
    /// Counts the present value of the store, and returns its number.
    fn count(&mut self, commits: u32, now: Time) -> u32 {
        self.commits = commits;
        self.due = now + self.period;
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        sequence
    }

    fn give(
        &mut self,
        giver: &mut Giver<PassedValue>,
        blackboard: &Blackboard,
        number: usize,
        (sequence, Provided { run, now, at }): (u32, Provided),
        between: &BetweenRuns<'_>,
    ) {
        self.passed.enter();
        let held = blackboard.store(self.store).hold(between);
        // The queue has room for all values that can be held.
        let at = self.since.take().unwrap_or(at);
        giver.give(PassedValue { held, entry: number as u32, sequence, run, now, at });
    }
}

/// The observer's end of what one blackboard passes on.
pub struct ValueLine {
    values: Taker<PassedValue>,
    /// The first value of a later run than those that are read.
    later: Option<PassedValue>,
    /// The last run whose values are read; `None`: all.
    until: Option<u32>,
    /// The last run of which everything has been passed on to all observers.
    complete: Arc<AtomicU32>,
    /// The value that was kept as the newest, which comes before those in transit.
    kept: Option<PassedValue>,
    channels: Vec<ValueChannel>,
    counts: Arc<[Count]>,
    taken: Box<[Taken]>,
    /// The right to slots, which is given back after the values that are still in transit.
    reservation: Arc<Reservation>,
}

/// The number of values of a store that the observer has received.
struct Taken {
    store: usize,
    count: u32,
}

impl ValueLine {
    /// Sets the counter of the last run of which everything has been passed on.
    pub fn completed_by(mut self, complete: &Arc<AtomicU32>) -> Self {
        self.complete = complete.clone();
        self
    }

    /// Returns the last run of which everything has been passed on to all observers.
    pub fn complete(&self) -> u32 {
        // Acquire: what was passed on before can be dequeued.
        self.complete.load(Ordering::Acquire)
    }

    /// Leaves the values of later runs in the queue.
    pub fn read_until(&mut self, run: u32) {
        self.until = Some(run);
    }

    /// Dequeues the next value.
    pub fn take(&mut self) -> Option<PassedValue> {
        let passed = self.kept.take().or_else(|| self.arrived())?;
        self.note_taken(&passed);
        Some(passed)
    }

    fn arrived(&mut self) -> Option<PassedValue> {
        let next = self.later.take().or_else(|| self.values.take())?;
        // The numbers of runs wrap around.
        let is_later = self.until.is_some_and(|until| next.run.wrapping_sub(until).cast_signed() > 0);
        if is_later {
            self.later = Some(next);
            return None;
        }
        Some(next)
    }

    /// Dequeues all values except the newest one, and releases them. Returns the number of released
    /// values.
    pub fn keep_newest(&mut self) -> u64 {
        let mut passed_over = 0;
        while let Some(mut newer) = self.arrived() {
            if let Some(older) = self.kept.take() {
                if older.entry == newer.entry {
                    newer.at = older.at;
                }
                self.note_taken(&older);
                drop(self.see(older, 0));
                passed_over += 1;
            }
            self.kept = Some(newer);
        }
        passed_over
    }

    fn note_taken(&mut self, passed: &PassedValue) {
        let taken = &mut self.taken[passed.entry as usize];
        taken.count = taken.count.wrapping_add(1);
    }

    /// Returns a value as an observer sees it; channels are counted from `first` on.
    pub fn see(&self, passed: PassedValue, first: usize) -> SeenValue<'_> {
        let entry = passed.entry as usize;
        SeenValue { room: &self.counts[entry].room, passed: Some(passed), channel: first + entry }
    }

    /// Returns the number of representations that it passes on.
    pub fn width(&self) -> usize {
        self.channels.len()
    }

    /// Returns the channels that it passes on.
    pub fn channels(&self) -> impl Iterator<Item = ValueChannel> {
        self.channels
            .iter()
            .zip(&*self.counts)
            .map(|(channel, count)| ValueChannel { dropped: count.dropped.load(Ordering::Relaxed), ..channel.clone() })
    }
}

impl Drop for ValueLine {
    fn drop(&mut self) {
        // A value that was forgotten (`mem::forget`) keeps its slot for good; a provider then needs
        // another one.
        for (Taken { store, count: taken }, Count { room, .. }) in self.taken.iter().zip(&*self.counts) {
            let forgotten = taken.wrapping_sub(room.left());
            if forgotten > 0 {
                self.reservation.lose(*store, forgotten as usize);
            }
        }
    }
}

/// One observed representation of one cycle or source.
///
/// ```
/// # fn show(seen: &hemiola_runtime::Observer) {
/// for channel in seen.channels() {
///     println!("{} of {}: {} lost", channel.descriptor.name(), channel.owner, channel.dropped);
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ValueChannel {
    /// The cycle or source that provides it.
    pub owner: Arc<str>,
    /// The descriptor of the representation.
    pub descriptor: &'static RepresentationDescriptor,
    /// The minimum time between two values on the robot's clock; zero if all are passed on.
    pub period: Duration,
    /// The number of values for which there was no room, and which are lost to this observer.
    pub dropped: u64,
}

/// A value that stays unchanged until this is dropped.
pub struct SeenValue<'o> {
    /// The value, until it is dropped.
    passed: Option<PassedValue>,
    room: &'o Room,
    channel: usize,
}

impl SeenValue<'_> {
    /// Returns the value.
    pub fn value(&self) -> &AnyRepresentation {
        self.passed().held.value()
    }

    /// Returns the value, if it is of this type.
    pub fn get<T: hemiola_model::Representation>(&self) -> Option<&T> {
        self.value().downcast_ref()
    }

    /// Returns the name of the representation.
    pub fn representation(&self) -> &'static str {
        self.value().descriptor().name()
    }

    /// Returns the number within [`Observer::channels`](crate::Observer::channels).
    pub fn channel(&self) -> usize {
        self.channel
    }

    /// Returns the number among the values that were to be passed on: a missing number was dropped.
    /// Values of a source are numbered like its samples.
    pub fn sequence(&self) -> u32 {
        self.passed().sequence
    }

    /// Returns the number of its cycle's run, or of its source's sample.
    pub fn run(&self) -> u32 {
        self.passed().run
    }

    /// Returns the time on the cycle's clock in that run, or the sample's own time; for a value
    /// that became [stale](Self::is_stale), the time at which it did.
    pub fn now(&self) -> Time {
        self.passed().now
    }

    /// Returns when it was handed over, at the end of its run or of taking its sample; if values
    /// before it were dropped or passed over, when the first of them was.
    pub fn handed_over(&self) -> Ticks {
        self.passed().at
    }

    /// Returns whether it repeats the previous value, which is stale now: whoever delivers the
    /// samples of its source is gone.
    pub fn is_stale(&self) -> bool {
        self.passed().held.stale
    }

    /// Returns the time stamp of the newest sample from which it derives.
    pub fn stamp(&self) -> Time {
        self.passed().held.stamp
    }

    fn passed(&self) -> &PassedValue {
        match &self.passed {
            Some(passed) => passed,
            None => unreachable!("it is there until this is dropped"),
        }
    }
}

impl Drop for SeenValue<'_> {
    fn drop(&mut self) {
        // The order matters: by the time there is room for another value, this one's slot is free.
        self.passed = None;
        self.room.leave();
    }
}

impl std::fmt::Debug for SeenValue<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} at {}", self.representation(), self.now())
    }
}
