//! Reservations: the number of values of each representation that observers may hold, so that
//! stores have slots for all of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The slots of one blackboard's stores that observers may hold.
#[derive(Default)]
pub struct Reserve(Mutex<Vec<Slots>>);

/// The slots of one store.
#[derive(Clone, Copy, Default)]
struct Slots {
    /// The slots that exist besides the store's own.
    made: usize,
    /// The slots that may be held.
    reserved: usize,
}

/// The right to hold that many values of these stores; it is given back when it is dropped. Both
/// ends of an observation share it, so that the slots are free when both have released them.
pub struct Reservation {
    reserve: Arc<Reserve>,
    holds: Vec<(usize, usize)>,
}

impl Reserve {
    /// Creates the reserve of a blackboard with that many stores.
    pub fn new(stores: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(vec![Slots::default(); stores])))
    }

    /// Reserves slots of stores. Missing ones are created by `make`, with nothing locked, because
    /// values are created by user code. Then `post` gets all of them for the blackboard's owner,
    /// for each store with the number that existed before; meanwhile nothing else is reserved,
    /// because the next reservation relies on them.
    ///
    /// # Errors
    /// Returns the error of `make`; then nothing is reserved.
    pub fn reserve<S, R, E>(
        self: &Arc<Self>,
        holds: Vec<(usize, usize)>,
        make: impl Fn(usize, usize) -> Result<S, E>,
        post: impl FnOnce(Vec<(usize, S, usize)>, &Arc<Reservation>) -> R,
    ) -> Result<R, E> {
        loop {
            let lacking = lacking(&self.lock(), &holds);
            let made = lacking.iter().map(|(&store, &count)| Ok((store, make(store, count)?)));
            let made = made.collect::<Result<Vec<_>, E>>()?;
            let mut all = self.lock();
            let enough = |(store, count)| lacking.get(store).is_some_and(|made| made >= count);
            if !self::lacking(&all, &holds).iter().all(enough) {
                // Another thread has reserved meanwhile.
                drop(all);
                continue;
            }
            holds.iter().for_each(|&(store, count)| all[store].reserved += count);
            let with_before = made.into_iter().map(|(store, slots)| {
                let before = all[store].made;
                all[store].made += lacking[&store];
                (store, slots, before)
            });
            let with_before = with_before.collect();
            let reservation = Arc::new(Reservation { reserve: self.clone(), holds });
            let posted = post(with_before, &reservation);
            // The lock is released before the reservation may be dropped.
            drop(all);
            return Ok(posted);
        }
    }

    /// Gives back slots that were created and did not get to the blackboard: `take_back` names the
    /// stores, and the number of slots of each. Meanwhile nothing else is reserved.
    pub fn return_slots<R>(&self, take_back: impl FnOnce(&mut dyn FnMut(usize, usize)) -> R) -> R {
        let mut all = self.lock();
        take_back(&mut |store, count| all[store].made -= count)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slots>> {
        // The numbers are consistent even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the stores that have too few slots for these holds, and the number of missing slots.
fn lacking(all: &[Slots], holds: &[(usize, usize)]) -> BTreeMap<usize, usize> {
    let mut wanted: BTreeMap<usize, usize> = BTreeMap::new();
    holds.iter().for_each(|&(store, count)| *wanted.entry(store).or_default() += count);
    let lacks = |(store, count): (usize, usize)| {
        let Slots { made, reserved } = all[store];
        Some((store, (reserved + count).checked_sub(made).filter(|&lacking| lacking > 0)?))
    };
    wanted.into_iter().filter_map(lacks).collect()
}

impl Reservation {
    /// Counts slots as lost: they are held by values that will never be dropped.
    pub fn lose(&self, store: usize, count: usize) {
        let mut all = self.reserve.lock();
        all[store].made = all[store].made.saturating_sub(count);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut all = self.reserve.lock();
        self.holds.iter().for_each(|&(store, count)| all[store].reserved -= count);
    }
}
