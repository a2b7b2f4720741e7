//! Hand-overs from a cycle, a source or the thread that gathers events to one observer.
//!
//! The giver never waits, unless it is asked to and its clock stands still; items for which there
//! is no room are counted, and lost to this observer alone. Items that own memory are boxes that
//! circulate: the giver gets an empty one, fills it and passes it on, and the taker returns it.
//!
//! | the observer is | set by | what the giver does |
//! |---|---|---|
//! | expected | whoever created it | nothing: it has not attached it yet |
//! | attached | the giver, when it finds it | passes items on |
//! | gone | the observer, when it is dropped | nothing any more; items in transit are freed with the last end |
//!
//! All hand-overs of an observer share this state ([`Presence`]). An observer that is forgotten
//! (`mem::forget`) instead of dropped stays attached: its queues fill up, and later items are
//! counted as dropped.

use std::sync::Arc;

use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_realtime::Wakeup;

use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, yield_now};

/// The presence of an observer, shared by all its ends.
pub struct Presence {
    is_gone: AtomicBool,
    /// The number of givers that have attached the observer.
    attached: AtomicU32,
    /// The event that is notified when something was passed on.
    wakeup: Option<Arc<Wakeup>>,
}

impl Presence {
    pub fn new() -> Arc<Self> {
        Self::notifying(None)
    }

    /// Creates the presence of an observer that is notified when something was passed on.
    pub fn notifying(wakeup: Option<Arc<Wakeup>>) -> Arc<Self> {
        Arc::new(Self { is_gone: AtomicBool::new(false), attached: AtomicU32::new(0), wakeup })
    }

    /// Notifies the observer, if it wants that: one atomic addition, and a system call only if
    /// somebody sleeps.
    #[inline]
    pub fn notify(&self) {
        if let Some(wakeup) = &self.wakeup {
            wakeup.notify_all();
        }
    }

    /// Returns whether the observer was dropped.
    #[inline]
    pub fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// Notes that the observer is gone.
    pub fn leave(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }

    /// Notes that one more giver passes items on from now on.
    pub fn attach(&self) {
        self.attached.fetch_add(1, Ordering::Release);
    }

    /// Returns the number of givers that pass items on.
    pub fn attached(&self) -> u32 {
        self.attached.load(Ordering::Acquire)
    }
}

/// The behaviour of a giver without room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The giver drops, on threads that must not wait, and for observers that do not need
    /// everything.
    Drop,
    /// The giver waits, while the clock stands still.
    Wait,
}

/// The end that passes on.
pub struct Giver<T> {
    things: QueueWriter<T>,
    empty: Option<QueueReader<T>>,
    shared: Arc<Shared>,
    full: WhenFull,
}

/// The observer's end.
pub struct Taker<T> {
    things: QueueReader<T>,
    empty: Option<QueueWriter<T>>,
    shared: Arc<Shared>,
}

struct Shared {
    presence: Arc<Presence>,
    dropped: AtomicU64,
}

/// Creates both ends of a hand-over of which `capacity` items can be in transit.
pub fn hand_over<T>(presence: &Arc<Presence>, capacity: usize, full: WhenFull) -> (Giver<T>, Taker<T>) {
    let (writer, reader) = queue(capacity.max(1));
    let shared = Arc::new(Shared { presence: presence.clone(), dropped: AtomicU64::new(0) });
    (Giver { things: writer, empty: None, shared: shared.clone(), full }, Taker { things: reader, empty: None, shared })
}

/// Creates both ends of a hand-over of these items, which circulate: they come back to be filled
/// again.
pub fn circulating<T>(presence: &Arc<Presence>, empty: Vec<T>, full: WhenFull) -> (Giver<T>, Taker<T>) {
    let (mut giver, mut taker) = hand_over(presence, empty.len(), full);
    let (mut back, reader) = queue(empty.len().max(1));
    // The queue has room for all of them.
    empty.into_iter().for_each(|empty| _ = back.push(empty));
    giver.empty = Some(reader);
    taker.empty = Some(back);
    (giver, taker)
}

impl<T> Giver<T> {
    /// Returns whether the observer is gone, so that nothing is received any more.
    #[inline]
    pub fn is_gone(&self) -> bool {
        self.shared.presence.is_gone()
    }

    /// Returns whether the robot waits for its observer.
    pub fn wants_everything(&self) -> bool {
        self.full == WhenFull::Wait
    }

    /// Waits while there is no room, if it is asked to and the observer is there; returns whether
    /// there is room.
    #[inline]
    pub fn wait_for(&self, has_room: impl Fn() -> bool) -> bool {
        while !has_room() {
            if self.full == WhenFull::Drop || self.is_gone() {
                return false;
            }
            self.wait_for_observer();
        }
        true
    }

    /// Passes an item on, or counts it as dropped; returns whether it was passed on. No allocation,
    /// no lock, no system call.
    #[inline]
    pub fn give(&mut self, thing: T) -> bool {
        let mut thing = Some(thing);
        loop {
            match thing.take().map(|thing| self.things.push(thing)) {
                Some(Err(back)) if self.full == WhenFull::Wait && !self.is_gone() => thing = Some(back),
                Some(Err(_)) => {
                    self.count(1);
                    return false;
                }
                Some(Ok(())) | None => return true,
            }
            self.wait_for_observer();
        }
    }

    /// Lets the observer, which may sleep, receive what was passed on.
    #[cold]
    fn wait_for_observer(&self) {
        self.notify();
        yield_now();
    }

    /// Notifies the observer that something was passed on, if it wants that.
    pub fn notify(&self) {
        self.shared.presence.notify();
    }

    /// Returns an empty item to be filled; `None`, and counted as dropped, if none has come back.
    pub fn empty(&mut self) -> Option<T> {
        loop {
            if let Some(thing) = self.empty.as_mut()?.pop() {
                return Some(thing);
            }
            if self.full == WhenFull::Drop || self.shared.presence.is_gone() {
                self.shared.dropped.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            self.wait_for_observer();
        }
    }

    /// Counts items that should have been passed on, and are lost to the observer.
    pub fn count(&self, dropped: u64) {
        self.shared.dropped.fetch_add(dropped, Ordering::Relaxed);
    }
}

impl<T> Taker<T> {
    /// Dequeues the next item; `None` if there is none at present. Never waits.
    pub fn take(&mut self) -> Option<T> {
        self.things.pop()
    }

    /// Returns an item that was read to the giver, to be filled again.
    pub fn give_back(&mut self, empty: T) {
        if let Some(back) = &mut self.empty {
            // The queue has room for all items that circulate.
            _ = back.push(empty);
        }
    }

    /// Returns the number of items for which there was no room.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }

    /// Counts an item that arrived and is of no use as dropped.
    pub fn count_dropped(&self) {
        self.shared.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod tests {
    use loom::thread;

    use super::*;
    use crate::observe::stack::{Node, Stack};

    /// Counts how many values of this type are alive.
    struct Held(loom::sync::Arc<AtomicU32>);

    impl Held {
        fn new(alive: &loom::sync::Arc<AtomicU32>) -> Self {
            alive.fetch_add(1, Ordering::Relaxed);
            Self(alive.clone())
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn loom_whoever_goes_first_nothing_is_held_any_more_and_nothing_is_lost_uncounted() {
        loom::model(|| {
            let alive = loom::sync::Arc::new(AtomicU32::new(0));
            let inbox = loom::sync::Arc::new(Stack::<Giver<Held>>::default());
            let cycle = thread::spawn({
                let (alive, inbox) = (alive.clone(), inbox.clone());
                move || {
                    let mut attached: Option<Box<Node<Giver<Held>>>> = None;
                    let mut given = 0;
                    for _run in 0..2 {
                        if let Some(node) = inbox.take_all() {
                            node.item.shared.presence.attach();
                            attached = Some(node);
                        }
                        if attached.as_ref().is_some_and(|node| node.item.is_gone()) {
                            attached = None;
                        }
                        if let Some(node) = &mut attached {
                            given += u32::from(node.item.give(Held::new(&alive)));
                        }
                    }
                    given
                }
            });
            let presence = Presence::new();
            let (giver, mut taker) = hand_over(&presence, 1, WhenFull::Drop);
            inbox.post(Node::new(giver));
            let taken = u32::from(taker.take().is_some());
            presence.leave();
            drop(taker);
            let given = cycle.join().unwrap();
            assert!(taken <= given);
            drop(inbox);
            assert_eq!(alive.load(Ordering::Relaxed), 0, "all is let go of, {given} were given and {taken} taken");
        });
    }

    #[test]
    fn loom_what_goes_round_is_filled_by_one_at_a_time() {
        loom::model(|| {
            let presence = Presence::new();
            let (mut giver, mut taker) = circulating(&presence, vec![Box::new(0_u32)], WhenFull::Drop);
            let cycle = thread::spawn(move || {
                let mut given = 0;
                for run in 1..=2 {
                    if let Some(mut page) = giver.empty() {
                        *page = run;
                        given += u32::from(giver.give(page));
                    }
                }
                given
            });
            let mut taken = 0;
            for _ in 0..2 {
                if let Some(page) = taker.take() {
                    assert!(*page > taken);
                    taken = *page;
                    taker.give_back(page);
                }
            }
            let given = cycle.join().unwrap();
            assert_eq!(u64::from(given) + taker.dropped(), 2);
        });
    }
}
