//! The record of what each run of a cycle began with, so that it can be repeated.
//!
//! A run computes from representations, the cycle's clock and the state of its modules, and from
//! nothing else. The state comes from the runs before it; so a run is repeated by giving it what it
//! *began* with: the clock, the safe state, which snapshot each import read, which samples it found
//! in its queues, and which messages its subscriptions. On threads of their own this depends on who
//! is faster. It is recorded here: a few words per run, handed over to observers like
//! [values](crate::observe::values), and read back by the [`Script`](crate::Script) that a replay
//! follows.
//!
//! # The order of the runs
//! A replay runs one cycle at a time. That this is possible, and in which order, follows from one
//! counter that all cycles share: a run takes its number *after* it has read all its inputs and
//! *before* its first task begins. If run B found what run A published, then A's number was taken
//! before A published, that before B found it, and that before B took its number; each of these
//! happens before the next (the program's order, and the release and acquire of the hand-over). Two
//! changes of one word of which one happens before the other have that order among all changes of
//! the word, however relaxed. So A has the lower number: in the order of the numbers every run
//! finds what it needs already published. A number taken before the inputs would not do: between
//! the two another cycle may begin and publish.
//!
//! In that order there is more than a run needs: what others published after it had read its
//! inputs. So a replay passes on what was read and nothing else
//! ([`Recorded`](crate::blackboard::channel::Recorded)). Samples of sources need no place in the
//! order: they come from the log, by their number, when the first run needs them.
//!
//! What is published in the middle of a run needs no care either: a run publishes once to each
//! consumer, and what it publishes is the same when the rest of the run comes before the consumer.
//! Messages of topics stay in order, one publisher after the other, so of those of cycles it
//! suffices to know how many of each there were. What sources, links, callbacks and other threads
//! have published is not computed by any run: the messages themselves are in the log, with their
//! publishers and numbers, and it is known from which number on a run received them. So a replay
//! publishes them again just before that run (`follow/stand_ins.rs`).
//!
//! # Changes from outside
//! Parameters, providers and the like change between two runs of a cycle. Each change has a number:
//! the journal records the change, and the transcript records with which run of each cycle it came
//! into force; a replay makes it before that run. Changes are made one after the other, and a
//! thread that makes one waits until all cycles have applied it.

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::module::{BetweenRuns, SafeState};

use super::hand_over::{Giver, Presence, Taker, WhenFull, circulating};
use crate::program::{Received, World};
use crate::record::{
    ChangeNumber, InputRecord, MOST_CHANGES, MessageRecord, NO_SNAPSHOT, NewChanges, RunRecord, SampleSpan,
};
use crate::run::Beginning;

/// The maximum number of publishers whose messages are recorded; a run that receives those of more
/// is not recorded.
const MOST_MESSAGES: usize = 16;
/// The number of runs that can be in transit to an observer: at 100 Hz it may be away for five
/// seconds.
const DEPTH: usize = 512;

/// The end of a cycle that records its runs.
pub struct RunWriter(Giver<Box<Page>>);

/// A run in transit to an observer, which comes back to be filled again.
struct Page {
    run: u32,
    now: Time,
    order: u64,
    safe_state: SafeState,
    /// Set if it contains all messages and changes; cleared if there was no room for some.
    is_whole: bool,
    /// The words that [`Import::write_down`](crate::blackboard::channel::Import::write_down)
    /// writes, one import after the other.
    words: Box<[u32]>,
    messages: [Received; MOST_MESSAGES],
    /// The number of messages.
    filled: usize,
    changes: [ChangeNumber; MOST_CHANGES],
    changed: usize,
}

impl Page {
    fn new(words: usize) -> Self {
        Self {
            run: 0,
            now: Time::ZERO,
            order: 0,
            safe_state: SafeState::Inactive,
            is_whole: false,
            words: vec![0; words].into(),
            messages: [Received::default(); MOST_MESSAGES],
            filled: 0,
            changes: [0; MOST_CHANGES],
            changed: 0,
        }
    }

    /// Fills the page; returns `false` if there is no room.
    fn fill(
        &mut self,
        changes: &NewChanges,
        World { imports, program, .. }: World<'_>,
        between: &BetweenRuns<'_>,
    ) -> bool {
        let Self { words, messages, filled, .. } = self;
        imports.iter().fold(&mut **words, |words, import| import.import.write_down(words));
        *filled = 0;
        let mut write_down = |received| {
            if let Some(place) = messages.get_mut(*filled) {
                *place = received;
            }
            *filled += 1;
        };
        program.received(between, &mut write_down);
        let has_room = *filled <= MOST_MESSAGES;
        let numbers = changes.numbers().unwrap_or_default();
        self.changes[..numbers.len()].copy_from_slice(numbers);
        self.changed = numbers.len();
        has_room && changes.numbers().is_some()
    }
}

/// The observer's end of a cycle's runs.
pub struct RunLine {
    cycle: Arc<str>,
    inputs: Vec<InputRecord>,
    pages: Taker<Box<Page>>,
}

/// Creates both ends for a cycle that reads from these inputs, which are given as [`InputRecord`]s
/// with nothing read.
pub fn runs(
    cycle: &Arc<str>,
    inputs: Vec<InputRecord>,
    presence: &Arc<Presence>,
    full: WhenFull,
) -> (RunWriter, RunLine) {
    let width = inputs.iter().map(|input| 1 + 2 * input.samples.len()).sum();
    let empty = (0..DEPTH).map(|_| Box::new(Page::new(width))).collect();
    let (giver, pages) = circulating(presence, empty, full);
    (RunWriter(giver), RunLine { cycle: cycle.clone(), inputs, pages })
}

impl RunWriter {
    /// Records a run, after the inputs have been read and before the tasks have begun. No
    /// allocation, no lock, no system call.
    pub fn write_down(&mut self, order: u64, beginning: &Beginning<'_>, world: World<'_>, between: &BetweenRuns<'_>) {
        let Some(mut page) = self.0.empty() else { return };
        let &Beginning { run, due: now, safe_state, changes, .. } = beginning;
        (page.run, page.now, page.order, page.safe_state) = (run, now, order, safe_state);
        page.is_whole = page.fill(changes, world, between);
        // The queue has room for all pages.
        self.0.give(page);
    }
}

impl RunLine {
    /// Returns the next run. Allocates.
    pub fn next(&mut self) -> Option<RunRecord> {
        let page = self.pages.take()?;
        if !page.is_whole {
            self.pages.count_dropped();
            self.pages.give_back(page);
            return self.next();
        }
        let changes = page.changes[..page.changed].to_vec();
        let mut inputs = self.inputs.clone();
        let mut values = page.words.iter().copied();
        for input in &mut inputs {
            input.snapshot = values.next().filter(|&snapshot| snapshot != NO_SNAPSHOT);
            for samples in &mut input.samples {
                samples.span =
                    SampleSpan { first: values.next().unwrap_or_default(), count: values.next().unwrap_or_default() };
            }
        }
        let messages =
            page.messages[..page.filled].iter().map(|&Received { topic, subscriber, inlet }| MessageRecord {
                topic: topic.into(),
                subscriber,
                publisher: inlet.place,
                first: inlet.first,
                count: inlet.count,
            });
        let messages = messages.collect();
        let Page { run, now, order, safe_state, .. } = *page;
        self.pages.give_back(page);
        Some(RunRecord { cycle: self.cycle.clone(), run, now, order, safe_state, changes, inputs, messages })
    }

    /// Returns the number of runs for which there was no room.
    pub fn dropped(&self) -> u64 {
        self.pages.dropped()
    }
}
