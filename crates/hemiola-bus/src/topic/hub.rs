//! The hub of a topic: the publishers and receivers that have joined, and what connects them. It is
//! behind a lock, for threads that may wait; on the real-time threads, publishers and receivers
//! read the rosters that are changed here.
//!
//! The order matters: slots are made before anybody gets a lane; a receiver gets a lane before its
//! publisher does, so that it checks the lane for which it is signalled; a receiver that leaves
//! releases what it holds, closes its lanes, removes them from their publishers, and then empties
//! them.
//!
//! Slots are filled with messages' defaults, which is foreign code. If that panics, the newcomer
//! has not joined, and all others are connected as before.

use super::Message;
use super::cell::MessageCell;
use super::copies::IsCopy;
use super::lane::Lane;
use super::latest::{Word, WordWriter};
use super::pool::{Held, Pool, Received, Reservation};
use super::seat::Seat;
use crate::roster::Roster;
use crate::signal::Signal;
use crate::statistics::{Latencies, Receives, SubscriberReport, TopicReport};
use crate::sync::{self, AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering, fence};
use crate::when_full::WhenFull;
use hemiola_model::module::Place;
use hemiola_realtime::monotonic_now;
use hemiola_trace::{TickScale, Ticks};
use std::any::type_name;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, PoisonError};

/// The shared state of a topic.
pub(crate) struct Hub<T> {
    name: String,
    /// Set if the bus measures time.
    scale: Option<TickScale>,
    members: Mutex<Members<T>>,
}

struct Members<T> {
    outlets: Vec<Arc<Outlet<T>>>,
    /// The outlets whose publisher has left; they are in `outlets`, too.
    vacant: Vec<Arc<Outlet<T>>>,
    inlets: Vec<Arc<Inlet<T>>>,
    words: Vec<sync::Arc<Word<T>>>,
    keeps_last: bool,
    /// The number of messages that were dropped by queues that have left.
    dropped: u64,
}

/// The end of a topic through which a publisher publishes. When the publisher leaves, it stays with
/// the topic, with all messages that are on their way, and the next publisher that joins takes it
/// over. So nobody ever needs to check whether the memory of a message is still there.
pub(crate) struct Outlet<T> {
    pub(crate) lanes: Roster<Lane<T>>,
    pub(crate) words: Roster<WordWriter<T>>,
    pub(crate) published: AtomicU64,
    pub(crate) last: MessageCell<T>,
    keeps_last: AtomicBool,
    /// The slots. The field stands below `last`, to be dropped after it.
    pub(crate) pool: Arc<Pool<T>>,
}

/// The end of a topic through which a queue receives.
pub(crate) struct Inlet<T> {
    pub(crate) capacity: usize,
    pub(crate) when_full: WhenFull,
    pub(crate) signal: Signal,
    /// Set if messages are copied into its lanes.
    gets_copies: Option<IsCopy<T>>,
    latencies: Option<Latencies>,
    pub(crate) lanes: Roster<Lane<T>>,
}

impl<T: Message> Hub<T> {
    pub(crate) fn new(name: String, scale: Option<TickScale>) -> Self {
        let members = Members {
            outlets: Vec::new(),
            vacant: Vec::new(),
            inlets: Vec::new(),
            words: Vec::new(),
            keeps_last: false,
            dropped: 0,
        };
        Self { name, scale, members: Mutex::new(members) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn measures_time(&self) -> bool {
        self.scale.is_some()
    }

    /// Returns new statistics for a receiver, if the bus measures time.
    pub(crate) fn latencies(&self) -> Option<Latencies> {
        self.scale.clone().map(Latencies::new)
    }

    pub(crate) fn join_publisher(&self, seat: Seat) -> Arc<Outlet<T>> {
        let members = &mut *self.members();
        let is_free = |outlet: &Arc<Outlet<T>>| seat.has(outlet.place()) && outlet.pool.stands_for.is_none();
        if let Some(vacant) = members.vacant.iter().rposition(is_free) {
            return members.vacant.remove(vacant);
        }
        let place = seat.next(members.outlets.iter().map(|outlet| outlet.place()));
        let outlet = Arc::new(Outlet::new(place, seat.stands_for()));
        // A publisher needs one slot to fill, and one of every other publisher while it replaces
        // that one's message in a cell.
        let others = members.outlets.len();
        let joined = catch_unwind(AssertUnwindSafe(|| {
            members.outlets.iter().for_each(|other| other.pool.reserve(1));
            outlet.pool.reserve(others + 1);
            if members.keeps_last {
                outlet.keep_last();
            }
            members.inlets.iter().for_each(|inlet| outlet.connect(inlet));
            members.words.iter().for_each(|word| outlet.connect_word(word));
        }));
        if let Err(panic) = joined {
            members.inlets.iter().for_each(|inlet| inlet.lanes.change(|lanes| lanes.truncate(others)));
            resume_unwind(panic);
        }
        members.outlets.push(outlet.clone());
        outlet
    }

    /// Removes a publisher. Must be called after the publisher's own readers of the rosters are
    /// dropped.
    pub(crate) fn leave_publisher(&self, outlet: &Arc<Outlet<T>>) {
        let members = &mut *self.members();
        // Nobody else will take back the messages in lanes that the publisher was the last to see.
        outlet.lanes.forget_readers();
        outlet.words.forget_readers();
        members.vacant.push(outlet.clone());
    }

    pub(crate) fn join_queue(&self, inlet: &Arc<Inlet<T>>) {
        let mut members = self.members();
        let connect = || members.outlets.iter().for_each(|outlet| outlet.connect(inlet));
        let joined = catch_unwind(AssertUnwindSafe(connect));
        members.inlets.push(inlet.clone());
        if let Err(panic) = joined {
            drop(members);
            self.leave_queue(inlet);
            resume_unwind(panic);
        }
    }

    pub(crate) fn leave_queue(&self, inlet: &Arc<Inlet<T>>) {
        let members = &mut *self.members();
        members.inlets.retain(|other| !Arc::ptr_eq(other, inlet));
        inlet.lanes.change(|lanes| {
            // The lanes are in the order of the outlets.
            for (lane, outlet) in lanes.drain(..).zip(&members.outlets) {
                outlet.disconnect(&lane);
                while lane.pop().is_some() {}
                members.dropped += lane.counts().dropped;
            }
        });
    }

    pub(crate) fn join_latest(&self, word: &sync::Arc<Word<T>>) {
        let mut members = self.members();
        let connect = || members.outlets.iter().for_each(|outlet| outlet.connect_word(word));
        let joined = catch_unwind(AssertUnwindSafe(connect));
        members.words.push(word.clone());
        if let Err(panic) = joined {
            drop(members);
            self.leave_latest(word);
            resume_unwind(panic);
        }
    }

    pub(crate) fn leave_latest(&self, word: &sync::Arc<Word<T>>) {
        let members = &mut *self.members();
        members.words.retain(|other| !sync::Arc::ptr_eq(other, word));
        word.close();
        members.outlets.iter().for_each(|outlet| outlet.disconnect_word(word));
    }

    pub(crate) fn keep_last(&self) {
        let members = &mut *self.members();
        if !members.keeps_last {
            members.outlets.iter().for_each(|outlet| outlet.keep_last());
            members.keeps_last = true;
        }
    }

    pub(crate) fn report(&self) -> TopicReport {
        let members = &*self.members();
        let queues = members.inlets.iter().map(|inlet| inlet.report());
        let subscribers: Vec<_> = queues.chain(members.words.iter().map(|word| word.report())).collect();
        let of_queues = &subscribers[..members.inlets.len()];
        TopicReport {
            name: self.name.clone(),
            type_name: type_name::<T>(),
            at: monotonic_now(),
            publishers: members.outlets.len() - members.vacant.len(),
            published: members.outlets.iter().map(|outlet| outlet.published.load(Ordering::Relaxed)).sum(),
            dropped: members.dropped + of_queues.iter().map(|queue| queue.dropped).sum::<u64>(),
            subscribers,
        }
    }

    fn members(&self) -> MutexGuard<'_, Members<T>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Message> Outlet<T> {
    fn new(place: Place, stands_for: Option<Place>) -> Self {
        Self {
            lanes: Roster::new(),
            words: Roster::new(),
            published: AtomicU64::new(0),
            last: MessageCell::new(),
            keeps_last: AtomicBool::new(false),
            pool: Arc::new(Pool::new(place, stands_for)),
        }
    }

    /// Returns the place of the publisher.
    pub(crate) fn place(&self) -> Place {
        self.pool.place
    }

    #[inline]
    pub(crate) fn keeps_last(&self) -> bool {
        self.keeps_last.load(Ordering::Acquire)
    }

    fn keep_last(&self) {
        // One slot is for the last message, the other for the one with which somebody who joins
        // compares it.
        self.pool.reserve(2);
        // Release: whoever sees this sees the slots.
        self.keeps_last.store(true, Ordering::Release);
    }

    /// Returns how many times a queue's capacity its lane has. A receiver whose lane was full when
    /// it took out what it held finds the same in a replay only if there is room for what others
    /// received a little later.
    fn depth(&self) -> usize {
        if self.pool.stands_for.is_some() { 4 } else { 1 }
    }

    /// Gives a queue a lane, which begins with the last message if that is kept.
    fn connect(&self, inlet: &Inlet<T>) {
        if let Some(is_copy) = inlet.gets_copies
            && !self.keeps_last()
        {
            let lane = sync::Arc::new(Lane::of_copies(is_copy, inlet, self.depth() * inlet.capacity, &self.pool));
            inlet.lanes.change(|lanes| lanes.push(lane.clone()));
            return self.lanes.change(|lanes| lanes.push(lane));
        }
        // A publisher that never rests would make this try forever; and after a message that is
        // missed, more are coming.
        const ATTEMPTS: usize = 16;
        for attempt in 1..=ATTEMPTS {
            let last = self.copy_last();
            // Half of the slots are for what is in the lane, half for a batch.
            let reservation = Reservation::new(&self.pool, 2 * self.depth() * inlet.capacity);
            let lane = sync::Arc::new(Lane::new(inlet, last.as_ref().and_then(Held::share), reservation));
            inlet.lanes.change(|lanes| lanes.push(lane.clone()));
            self.lanes.change(|lanes| lanes.push(lane.clone()));
            // This pairs with the fence in the publisher: a message that it does not put into the
            // lane is the last one now.
            fence(Ordering::SeqCst);
            let sequence = |message: Option<Held<T>>| message.map(|message| message.envelope().header.sequence);
            let last = sequence(last);
            if sequence(self.copy_last()) == last || attempt == ATTEMPTS {
                if last.is_some() {
                    inlet.signal.tell();
                }
                return;
            }
            inlet.lanes.change(Vec::pop);
            self.disconnect(&lane);
        }
    }

    /// Removes the lane from the publisher. Its receiver must have released what came through it.
    fn disconnect(&self, lane: &sync::Arc<Lane<T>>) {
        // This comes first: whoever sees the new list sees this.
        lane.close();
        self.lanes.change(|lanes| lanes.retain(|other| !sync::Arc::ptr_eq(other, lane)));
    }

    fn connect_word(&self, word: &sync::Arc<Word<T>>) {
        let writer = sync::Arc::new(WordWriter::new(word, &self.pool));
        self.words.change(|words| words.push(writer));
        // This pairs with the fence in the publisher, as that in `connect` does.
        fence(Ordering::SeqCst);
        if let Some(last) = self.copy_last() {
            word.newest.put_if_empty(last);
            word.signal.raise();
        }
    }

    fn disconnect_word(&self, word: &sync::Arc<Word<T>>) {
        self.words.change(|words| words.retain(|other| !sync::Arc::ptr_eq(&other.word, word)));
    }

    /// Returns the last message, if it is kept. Only under the lock.
    fn copy_last(&self) -> Option<Held<T>> {
        let last = self.last.take()?;
        let copy = last.share();
        // The last message is put back unless there is a newer one by now.
        drop(self.last.put_if_empty(last));
        copy
    }
}

impl<T> Inlet<T> {
    /// Creates the end for a queue, which gets copies if its type is one that can be copied, and it
    /// does not drop the oldest message.
    pub(crate) fn new(
        capacity: usize,
        when_full: WhenFull,
        signal: Signal,
        is_copy: Option<IsCopy<T>>,
        latencies: Option<Latencies>,
    ) -> Self {
        let gets_copies = is_copy.filter(|_| when_full != WhenFull::DropOldest);
        Self { capacity, when_full, signal, gets_copies, latencies, lanes: Roster::new() }
    }

    /// Returns whether the bus measures time.
    pub(crate) fn measures_time(&self) -> bool {
        self.latencies.is_some()
    }

    /// Records how long messages were on their way, if the bus measures time. Only for the
    /// receiver.
    #[inline]
    pub(crate) fn record_latencies(&self, received: &[Received<T>]) {
        if let Some(latencies) = &self.latencies {
            let now = Ticks::now();
            received.iter().for_each(|message| latencies.record(message.header().published, now));
        }
    }

    fn report(&self) -> SubscriberReport {
        let mut report = SubscriberReport {
            receives: Receives::All { capacity: self.capacity, when_full: self.when_full },
            delivered: 0,
            dropped: 0,
            depth: 0,
            deepest: 0,
            latency: self.latencies.as_ref().map(Latencies::summary),
        };
        self.lanes.look(|lanes| {
            for counts in lanes.iter().map(|lane| lane.counts()) {
                report.delivered += counts.delivered;
                report.dropped += counts.dropped;
                report.depth += counts.depth;
                report.deepest = report.deepest.max(counts.deepest);
            }
        });
        report
    }
}
