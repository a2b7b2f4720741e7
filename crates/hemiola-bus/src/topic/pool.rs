//! The slots of one publisher: a message is written once, into a slot, and shared by reference.
//!
//! # Protocol
//! The publisher counts the references to a slot that it has given out. There are three ways back:
//!
//! | given to | comes back | who writes what |
//! |---|---|---|
//! | a [lane](super::lane) | as the lane's receiver goes on: its publisher takes it back by itself, see [`ledger`](super::ledger) | the publisher, in `given`: one less |
//! | a [cell](super::cell), as a [`Held`] | when its holder releases it | the holder, in `let_go`: one more |
//! | the [place of the newest](super::newest), as a [`Held`] | there, when another is put in: whoever publishes that gets it | that publisher, in `given`: one less, if it is its own and was the only reference; otherwise as above |
//!
//! If the numbers are equal the slot is the publisher's, which alone may write it; otherwise the
//! holders', who only read. So what goes through lanes is counted by one thread only, and the
//! publisher reads nothing that a receiver has touched.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | publisher | finds a slot whose numbers are equal, going on where it found the last one, so that slots are used in turn | acquire: whoever held it is done |
//! | publisher | fills it, and counts the references that it gives out | none: the way to the receiver releases |
//! | holder | lets go: adds one | release |
//!
//! A holder that is the only one there can be, of a message that went nowhere else, adds by a load
//! and a store: those do not wait for what was stored before. A lane that is dropped with
//! references in it is a holder, too.
//!
//! **A publisher always finds a slot**: whoever may hold messages reserves as many slots as it can
//! hold before the publisher learns of it. Slots never move and live as long as the pool.
//! References are kept only by those who keep the pool alive.
#![expect(unsafe_code, reason = "slots are shared between threads as the protocol above says")]

use super::copies::Copies;
use crate::roster::{Roster, RosterReader};
use crate::sync::{self, AtomicU32, AtomicUsize, CellAccess, Line, Ordering, UnsafeCell};
use hemiola_model::module::Place;
use hemiola_trace::Ticks;
use std::ptr::NonNull;
use std::sync::Arc;

pub(crate) struct Slot<T> {
    /// The reference count, which lies in the slot's segment.
    count: NonNull<Count>,
    envelope: UnsafeCell<Envelope<T>>,
}

/// A message with its metadata.
pub(crate) struct Envelope<T> {
    pub(crate) header: Header,
    /// Set if there is one [`Held`] of this message, and no other reference.
    single: bool,
    pub(crate) value: T,
}

/// The metadata of a message.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    /// The place of its publisher, which all messages of a pool share.
    pub(crate) place: Place,
    pub(crate) sequence: u64,
    /// The time of publication, or zero if the bus does not measure time.
    pub(crate) published: Ticks,
}

// SAFETY: by the protocol, writing is exclusive (T: Send) and reading shared (T: Sync).
unsafe impl<T: Send + Sync> Sync for Slot<T> {}
// SAFETY: the count that it points to can be used from everywhere.
unsafe impl<T: Send> Send for Slot<T> {}

impl<T> Slot<T> {
    #[inline]
    fn count(&self) -> &Count {
        // SAFETY: it is in the segment that owns this slot, and does not move.
        unsafe { self.count.as_ref() }
    }
}

/// The reference counts of a slot: how many were given out, less those that were taken back, and
/// how many were ever released.
pub(crate) struct Count {
    given: AtomicU32,
    let_go: AtomicU32,
}

impl Count {
    /// Returns whether nobody refers to the slot. Only for the publisher.
    #[inline]
    fn is_free(&self) -> bool {
        // Acquire: whoever let the slot go is done with it.
        self.let_go.load(Ordering::Acquire) == self.given.load(Ordering::Relaxed)
    }

    /// Counts a reference that is given out. Only for the publisher.
    #[inline]
    fn give(&self) {
        self.given.store(self.given.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Counts a reference that comes back from a lane. Only for the publisher that has given it.
    #[inline]
    pub(crate) fn take_back(&self) {
        self.given.store(self.given.load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
    }

    /// Counts a reference that is released. For all threads but the publisher's.
    #[inline]
    pub(crate) fn let_go(&self) {
        self.let_go.fetch_add(1, Ordering::Release);
    }
}

/// All slots of a publisher.
pub(crate) struct Pool<T> {
    /// The publisher's place in the topic.
    pub(crate) place: Place,
    /// The place in a recording for which it stands in, if it does.
    pub(crate) stands_for: Option<Place>,
    segments: Roster<Segment<T>>,
    /// The number of slots that all members may hold at once, the publisher included.
    reserved: AtomicUsize,
}

/// Slots that were made at once, and their counts. Those are apart from the messages, which
/// receivers touch.
struct Segment<T> {
    slots: Box<[Slot<T>]>,
    counts: Box<[Line<[Count; COUNTS]>]>,
}

/// The number of counts that fit into a line.
const COUNTS: usize = size_of::<Line<u8>>() / size_of::<[u32; 2]>();

impl<T: Default> Pool<T> {
    pub(crate) fn new(place: Place, stands_for: Option<Place>) -> Self {
        Self { place, stands_for, segments: Roster::new(), reserved: AtomicUsize::new(0) }
    }

    /// Reserves slots permanently, and makes those that are missing. Not for real-time threads.
    pub(crate) fn reserve(&self, slots: usize) {
        // Acquire: slots that others no longer need are free.
        let reserved = self.reserved.fetch_add(slots, Ordering::Acquire) + slots;
        let in_vain = InVain { pool: self, slots };
        let made = self.segments.look(|segments| segments.iter().map(|segment| segment.slots.len()).sum::<usize>());
        if made < reserved {
            // Messages are made by foreign code.
            let segment = Segment::new(reserved - made, self.place);
            self.segments.change(|segments| segments.push(segment.into()));
        }
        std::mem::forget(in_vain);
    }
}

/// Takes back a reservation for which slots could not be made.
struct InVain<'a, T> {
    pool: &'a Pool<T>,
    slots: usize,
}

impl<T> Drop for InVain<'_, T> {
    fn drop(&mut self) {
        self.pool.reserved.fetch_sub(self.slots, Ordering::Relaxed);
    }
}

impl<T: Default> Segment<T> {
    fn new(slots: usize, place: Place) -> Self {
        let count = || Count { given: AtomicU32::new(0), let_go: AtomicU32::new(0) };
        let line = || Line(std::array::from_fn(|_| count()));
        let counts: Box<[Line<[Count; COUNTS]>]> = (0..slots.div_ceil(COUNTS)).map(|_| line()).collect();
        let header = || Header { place, sequence: 0, published: Ticks::default() };
        let envelope = || Envelope { header: header(), single: false, value: T::default() };
        let slot = |count: &Count| Slot { count: count.into(), envelope: UnsafeCell::new(envelope()) };
        let mut made = Vec::with_capacity(slots);
        made.extend(counts.iter().flat_map(|line| &**line).take(slots).map(slot));
        Self { slots: made.into(), counts }
    }
}

impl<T> Segment<T> {
    /// Returns a slot and its count, without reading the slot.
    #[inline]
    fn slot(&self, place: usize) -> Option<(&Slot<T>, &Count)> {
        Some((self.slots.get(place)?, &self.counts[place / COUNTS][place % COUNTS]))
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

impl<T> Reservation<T> {
    /// Returns the pool.
    pub(crate) fn pool(&self) -> &Pool<T> {
        &self.pool
    }

    /// Returns how many slots are reserved.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }
}

impl<T> Drop for Reservation<T> {
    fn drop(&mut self) {
        // Release: what was held on this reservation has been let go.
        self.pool.reserved.fetch_sub(self.slots, Ordering::Release);
    }
}

/// The publisher's end of its pool.
pub(crate) struct Slots<T> {
    segments: RosterReader<Segment<T>>,
    /// The segment from which the next slot comes. It is at hand, so that a publisher that rarely
    /// publishes finds fewer lines out of its cache.
    here: sync::Arc<Segment<T>>,
    segment: usize,
    place: usize,
    /// A slot that is known to be free: the last one that came back by itself. It is used first,
    /// because of all slots it is the likeliest to be in the publisher's cache.
    spare: Option<Claimed<T>>,
    /// The pool, which the reader of the list does not keep alive.
    pool: Arc<Pool<T>>,
}

impl<T> Slots<T> {
    /// Creates the publisher's end of a pool in which slots have been reserved.
    pub(crate) fn new(pool: Arc<Pool<T>>) -> Self {
        let segments = pool.segments.reader();
        let here = segments.entries()[0].clone();
        Self { segments, here, segment: 0, place: 0, spare: None, pool }
    }

    /// Updates the list of segments.
    pub(crate) fn refresh(&mut self) {
        self.segments.refresh();
    }

    /// Returns a free slot. Checks each slot at most once or twice; usually it checks one.
    #[inline(always)]
    pub(crate) fn claim(&mut self) -> Claimed<T> {
        // Where nothing comes back, nothing is stored.
        if self.spare.is_some()
            && let Some(spare) = self.spare.take()
        {
            return spare;
        }
        match self.here.slot(self.place) {
            Some((slot, count)) if count.is_free() => {
                self.place += 1;
                Claimed { slot: slot.into(), count: count.into() }
            }
            _ => self.search(),
        }
    }

    /// Releases a message, whose slot is used next if it is a free one of this pool now.
    #[inline]
    pub(crate) fn reuse(&mut self, message: Held<T>) {
        let Envelope { header, single, .. } = message.envelope();
        if *single && header.place == self.pool.place {
            let Reference { slot, count } = message.into_reference();
            let slot = Claimed { slot, count };
            slot.count().take_back();
            self.spare = Some(slot);
        }
    }

    /// Searches for a free slot. This ends in the second round at the latest (the first may begin
    /// in the middle), because whoever holds messages has reserved slots for them.
    #[inline(never)]
    fn search(&mut self) -> Claimed<T> {
        let Self { segments, here, segment, place, .. } = self;
        let segments = segments.entries();
        loop {
            while let Some((slot, count)) = here.slot(*place) {
                *place += 1;
                if count.is_free() {
                    return Claimed { slot: slot.into(), count: count.into() };
                }
            }
            let next = if *segment + 1 == segments.len() { 0 } else { *segment + 1 };
            if next != *segment {
                *here = segments[next].clone();
            }
            (*segment, *place) = (next, 0);
        }
    }
}

/// A slot that belongs to the publisher.
pub(crate) struct Claimed<T> {
    slot: NonNull<Slot<T>>,
    count: NonNull<Count>,
}

// SAFETY: it gives exclusive access to a T.
unsafe impl<T: Send> Send for Claimed<T> {}
// SAFETY: it gives shared access to a T.
unsafe impl<T: Sync> Sync for Claimed<T> {}

impl<T> Claimed<T> {
    #[inline]
    fn count(&self) -> &Count {
        // SAFETY: the pool lives, and counts do not move.
        unsafe { self.count.as_ref() }
    }

    #[inline]
    pub(crate) fn envelope(&self) -> &Envelope<T> {
        // SAFETY: the pool lives; nobody refers to the slot, and `self` is the publisher's only
        // handle.
        unsafe { self.slot.as_ref().envelope.look(|envelope| &*envelope) }
    }

    #[inline]
    pub(crate) fn envelope_mut(&mut self) -> &mut Envelope<T> {
        // SAFETY: as above.
        unsafe { self.slot.as_ref().envelope.change(|envelope| &mut *envelope) }
    }

    /// Completes a message for at most `lanes` lanes and `cells` cells.
    #[inline]
    pub(crate) fn complete(mut self, lanes: usize, cells: usize) -> Complete<T> {
        // The holder of a message from a cell reads this flag. Only the publisher can know that
        // there is no other reference: a lane's last reference to a message may be let go at the
        // same time.
        if cells > 0 {
            self.envelope_mut().single = cells == 1 && lanes == 0;
        }
        Complete(Reference { slot: self.slot, count: self.count })
    }
}

/// A message that can be given to its receivers.
pub(crate) struct Complete<T>(Reference<T>);

impl<T> Complete<T> {
    #[inline]
    pub(crate) fn envelope(&self) -> &Envelope<T> {
        // SAFETY: the pool lives; only the publisher writes, and it is about to share this.
        unsafe { self.0.slot.as_ref().envelope.look(|envelope| &*envelope) }
    }

    /// Creates a reference for a lane.
    #[inline]
    pub(crate) fn give(&self) -> Reference<T> {
        let Reference { slot, count } = self.0;
        // SAFETY: the pool lives, and counts do not move.
        unsafe { count.as_ref() }.give();
        Reference { slot, count }
    }

    /// Creates a reference for a cell.
    #[inline]
    pub(crate) fn hold(&self) -> Held<T> {
        Held(self.give().slot)
    }
}

/// A counted reference that goes through a lane.
pub(crate) struct Reference<T> {
    pub(crate) slot: NonNull<Slot<T>>,
    pub(crate) count: NonNull<Count>,
}

/// A message that was received. One that came through a lane is valid until the lane's receiver has
/// taken as many more out of it as the lane has room for; any other, as long as its [`Held`].
pub(crate) enum Received<T> {
    /// The message is in a slot.
    Reference(NonNull<Slot<T>>),
    /// The message is a copy in the lane, with that number.
    Copy(NonNull<Copies<T>>, u64),
}

// SAFETY: it gives shared access to a T.
unsafe impl<T: Send + Sync> Send for Received<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Received<T> {}

impl<T> Received<T> {
    /// # Safety
    /// The slot came through a lane, to its receiver, who gives up what this gives before it has
    /// taken as many more out of the lane as that has room for.
    #[inline]
    pub(crate) unsafe fn new(slot: *mut Slot<T>) -> Self {
        // SAFETY: what goes through a lane is not null.
        Self::Reference(unsafe { NonNull::new_unchecked(slot) })
    }

    /// # Safety
    /// The message came through the lane of these copies, to its receiver, who gives it up as
    /// above.
    #[inline(always)]
    pub(crate) unsafe fn copy(copies: &Copies<T>, number: u64) -> Self {
        Self::Copy(copies.into(), number)
    }

    #[inline]
    pub(crate) fn value(&self) -> &T {
        match self {
            // SAFETY: the pool lives, and the lane's reference keeps the publisher from writing.
            Self::Reference(slot) => unsafe { slot.as_ref().envelope.look(|envelope| &(*envelope).value) },
            // SAFETY: the lane lives, and the message is not released.
            Self::Copy(copies, number) => unsafe { copies.as_ref().value(*number) },
        }
    }

    /// Returns the metadata.
    #[inline]
    pub(crate) fn header(&self) -> Header {
        match self {
            // SAFETY: as above.
            Self::Reference(slot) => unsafe { slot.as_ref().envelope.look(|envelope| (*envelope).header) },
            // SAFETY: as above.
            Self::Copy(copies, number) => unsafe { copies.as_ref() }.header(*number),
        }
    }
}

/// A counted reference to a message, which any thread may release.
pub(crate) struct Held<T>(NonNull<Slot<T>>);

// SAFETY: it gives shared access to a T, and whoever holds it may be the one who lets it go.
unsafe impl<T: Send + Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T> Held<T> {
    #[inline]
    pub(crate) fn envelope(&self) -> &Envelope<T> {
        // SAFETY: the pool lives, and the count, of which one is ours, keeps the publisher from
        // writing.
        unsafe { self.slot().envelope.look(|envelope| &*envelope) }
    }

    /// Creates another reference; returns `None` for a message that can have only one.
    pub(crate) fn share(&self) -> Option<Held<T>> {
        if self.envelope().single {
            return None;
        }
        // This undoes one release. Relaxed: our own reference keeps the slot from being free.
        self.slot().count().let_go.fetch_sub(1, Ordering::Relaxed);
        Some(Held(self.0))
    }

    /// Returns the message as one that was received. It is valid as long as this lives.
    #[inline]
    pub(crate) fn received(&self) -> Received<T> {
        Received::Reference(self.0)
    }

    /// Turns this into a reference for a lane of the publisher.
    pub(crate) fn into_reference(self) -> Reference<T> {
        let reference = Reference { slot: self.0, count: self.slot().count };
        std::mem::forget(self);
        reference
    }

    /// Turns this into a pointer for a cell that carries it from one thread to another.
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
        let count = self.slot().count();
        if self.envelope().single {
            let let_go = &count.let_go;
            let_go.store(let_go.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        } else {
            count.let_go();
        }
    }
}

#[cfg(all(test, loom))]
impl<T> Pool<T> {
    /// Returns how many slots somebody refers to.
    pub(crate) fn in_use(&self) -> usize {
        self.segments.look(|segments| {
            let counts = segments.iter().flat_map(|segment| &segment.counts).flat_map(|line| &**line);
            counts.filter(|count| !count.is_free()).count()
        })
    }
}
