//! The slots of one publisher: a message is written once, into a slot, and shared by reference.
//!
//! # Protocol
//! The publisher notes how many references to a slot it has ever given out, the holders count how many they have let go. If these are equal
//! the slot is the publisher's, which alone may write it; otherwise the holders', who only read. So only one side writes each number.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | publisher | finds a slot of which all references were let go, going on where it found the last one, so that slots are used in turn | acquire: whoever held it is done |
//! | publisher | fills it, and notes how many references it gives out | none: the way to the receiver releases |
//! | holder | lets go: adds one | release |
//!
//! A holder that is the only one there can be adds by a load and a store: those do not wait for what was stored before.
//!
//! **A publisher always finds a slot**: whoever may hold messages reserves as many slots as it can hold before the publisher learns of it.
//! Slots never move and live as long as the pool. A [`Claimed`] or [`Held`] is kept only by those who keep the pool alive.

use crate::roster::{Roster, RosterReader};
use crate::sync::{AtomicU32, AtomicUsize, CellAccess, Line, Ordering, UnsafeCell};
use hemiola_trace::Ticks;
use std::ptr::NonNull;
use std::sync::Arc;

pub(crate) struct Slot<T> {
    /// How many references were let go, ever; in the slot's segment.
    let_go: NonNull<AtomicU32>,
    envelope: UnsafeCell<Envelope<T>>,
}

/// A message and what is known of it.
#[derive(Default)]
pub(crate) struct Envelope<T> {
    pub(crate) sequence: u64,
    /// Zero if the bus does not measure time.
    pub(crate) published: Ticks,
    /// How many references were given out, ever.
    given: u32,
    /// Whether there is only one reference to this message, and will be.
    single: bool,
    pub(crate) value: T,
}

// SAFETY: by the protocol, writing is exclusive (T: Send) and reading shared (T: Sync).
unsafe impl<T: Send + Sync> Sync for Slot<T> {}
// SAFETY: the count that it points to can be used from everywhere.
unsafe impl<T: Send> Send for Slot<T> {}

impl<T> Slot<T> {
    #[inline]
    fn let_go(&self) -> &AtomicU32 {
        // SAFETY: it is in the segment that owns this slot, and does not move.
        unsafe { self.let_go.as_ref() }
    }

    /// Whether nobody refers to it. Only for the publisher.
    #[inline]
    fn is_free(&self) -> bool {
        // SAFETY: only the publisher writes, and it is elsewhere.
        let given = self.envelope.look(|envelope| unsafe { (*envelope).given });
        // Acquire: whoever held the slot is done with it.
        self.let_go().load(Ordering::Acquire) == given
    }
}

/// All slots of a publisher.
pub(crate) struct Pool<T> {
    segments: Roster<Segment<T>>,
    /// How many slots those who are there may hold at once, the publisher included.
    reserved: AtomicUsize,
}

/// Slots that were made at once, and their counts. Those are apart from the messages, and next to each other: so a receiver that lets go
/// one message after another disturbs its publisher only once in a while.
struct Segment<T> {
    slots: Box<[Slot<T>]>,
    _counts: Box<[Line<[AtomicU32; COUNTS]>]>,
}

/// As many as fit.
const COUNTS: usize = size_of::<Line<u8>>() / size_of::<u32>();

impl<T: Default> Pool<T> {
    pub(crate) fn new() -> Self {
        Self { segments: Roster::new(), reserved: AtomicUsize::new(0) }
    }

    /// Reserves slots for good, and makes what is missing. Not for real-time threads.
    pub(crate) fn reserve(&self, slots: usize) {
        // Acquire: slots that others no longer need are free.
        let reserved = self.reserved.fetch_add(slots, Ordering::Acquire) + slots;
        let made = self.segments.look(|segments| segments.iter().map(|segment| segment.slots.len()).sum::<usize>());
        if made < reserved {
            self.segments.change(|segments| segments.push(Segment::new(reserved - made).into()));
        }
    }
}

impl<T: Default> Segment<T> {
    fn new(slots: usize) -> Self {
        let line = || Line(std::array::from_fn(|_| AtomicU32::new(0)));
        let counts: Box<[_]> = (0..slots.div_ceil(COUNTS)).map(|_| line()).collect();
        let slot = |count: &AtomicU32| Slot { let_go: count.into(), envelope: UnsafeCell::new(Envelope::default()) };
        Self { slots: counts.iter().flat_map(|line| &**line).take(slots).map(slot).collect(), _counts: counts }
    }
}

/// Slots reserved for as long as this lives. It keeps the pool alive.
pub(crate) struct Reservation<T> {
    pool: Arc<Pool<T>>,
    slots: usize,
}

impl<T: Default> Reservation<T> {
    pub(crate) fn new(pool: &Arc<Pool<T>>, slots: usize) -> Self {
        pool.reserve(slots);
        Self { pool: pool.clone(), slots }
    }
}

impl<T> Drop for Reservation<T> {
    fn drop(&mut self) {
        // Release: what was held on this reservation has been let go.
        self.pool.reserved.fetch_sub(self.slots, Ordering::Release);
    }
}

/// A publisher's sight of its pool.
pub(crate) struct Slots<T> {
    segments: RosterReader<Segment<T>>,
    segment: usize,
    place: usize,
    /// The reader of the list does not keep the pool alive.
    _pool: Arc<Pool<T>>,
}

impl<T> Slots<T> {
    pub(crate) fn new(pool: Arc<Pool<T>>) -> Self {
        Self { segments: pool.segments.reader(), segment: 0, place: 0, _pool: pool }
    }

    /// Sees segments that were added.
    pub(crate) fn refresh(&mut self) {
        self.segments.refresh();
    }

    /// A free slot. Looks at each slot at most once or twice; usually at one.
    #[inline]
    pub(crate) fn claim(&mut self) -> Claimed<T> {
        let Self { segments, segment, place, .. } = self;
        segments.with_entries(|segments| {
            // One turn more than there are segments: the first may have begun in the middle.
            for _ in 0..=segments.len() {
                let here = &segments[*segment];
                while let Some(slot) = here.slots.get(*place) {
                    *place += 1;
                    if slot.is_free() {
                        return Claimed(slot.into());
                    }
                }
                *place = 0;
                *segment = if *segment + 1 == segments.len() { 0 } else { *segment + 1 };
            }
            unreachable!("whoever holds messages has reserved slots for them")
        })
    }
}

/// A slot that belongs to the publisher.
pub(crate) struct Claimed<T>(NonNull<Slot<T>>);

impl<T> Claimed<T> {
    #[inline]
    pub(crate) fn envelope(&self) -> &Envelope<T> {
        // SAFETY: the pool lives; nobody refers to the slot, and `self` is the publisher's only handle.
        unsafe { self.0.as_ref().envelope.look(|envelope| &*envelope) }
    }

    #[inline]
    pub(crate) fn envelope_mut(&mut self) -> &mut Envelope<T> {
        // SAFETY: as above.
        unsafe { self.0.as_ref().envelope.change(|envelope| &mut *envelope) }
    }

    /// Gives the slot to its receivers.
    #[inline]
    pub(crate) fn share(mut self, receivers: usize) -> Shares<T> {
        let left = u32::try_from(receivers).expect("fewer than 2^32 receivers");
        self.give(left, left == 1);
        Shares { slot: self.0, left }
    }

    /// Makes the slot a message of one reference, which [can be shared](Held::share).
    pub(crate) fn share_one(mut self) -> Held<T> {
        self.give(1, false);
        Held(self.0)
    }

    #[inline]
    fn give(&mut self, references: u32, single: bool) {
        let envelope = self.envelope_mut();
        envelope.given = envelope.given.wrapping_add(references);
        envelope.single = single;
    }
}

/// The references to one message, to be given out.
pub(crate) struct Shares<T> {
    slot: NonNull<Slot<T>>,
    left: u32,
}

impl<T> Iterator for Shares<T> {
    type Item = Held<T>;

    #[inline]
    fn next(&mut self) -> Option<Held<T>> {
        self.left = self.left.checked_sub(1)?;
        Some(Held(self.slot))
    }
}

impl<T> Drop for Shares<T> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

/// A reference to a message, counted.
pub(crate) struct Held<T>(NonNull<Slot<T>>);

// SAFETY: it gives shared access to a T, and whoever holds it may be the one who lets it go.
unsafe impl<T: Send + Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T> Held<T> {
    #[inline]
    pub(crate) fn envelope(&self) -> &Envelope<T> {
        // SAFETY: the pool lives, and the count, of which one is ours, keeps the publisher from writing.
        unsafe { self.slot().envelope.look(|envelope| &*envelope) }
    }

    /// Another reference. Only of what [`Claimed::share_one`] made.
    pub(crate) fn share(&self) -> Held<T> {
        debug_assert!(!self.envelope().single, "there will be only one reference to this message");
        // As if one less was let go. Relaxed: our own reference keeps the slot from being free.
        self.slot().let_go().fetch_sub(1, Ordering::Relaxed);
        Held(self.0)
    }

    /// For a cell that carries it from one thread to another.
    #[inline]
    pub(crate) fn into_raw(self) -> *mut Slot<T> {
        let slot = self.0.as_ptr();
        std::mem::forget(self);
        slot
    }

    /// # Safety
    /// The pointer came from [`into_raw`](Self::into_raw), and becomes a reference again only once.
    #[inline]
    pub(crate) unsafe fn from_raw(slot: *mut Slot<T>) -> Self {
        // SAFETY: what `into_raw` gave was not null.
        Self(unsafe { NonNull::new_unchecked(slot) })
    }

    #[inline]
    fn slot(&self) -> &Slot<T> {
        // SAFETY: the pool lives, and slots do not move.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Drop for Held<T> {
    #[inline]
    fn drop(&mut self) {
        let let_go = self.slot().let_go();
        if self.envelope().single {
            let_go.store(let_go.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        } else {
            let_go.fetch_add(1, Ordering::Release);
        }
    }
}

#[cfg(all(test, loom))]
impl<T> Pool<T> {
    /// How many slots somebody refers to.
    pub(crate) fn in_use(&self) -> usize {
        self.segments.look(|segments| {
            let slots = segments.iter().flat_map(|segment| &segment.slots);
            slots.filter(|slot| !slot.is_free()).count()
        })
    }
}
