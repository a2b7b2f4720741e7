//! How many values of each representation observers may hold, and that stores have slots for all of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The slots of one blackboard's stores that observers may hold.
#[derive(Default)]
pub struct Reserve(Mutex<Vec<Slots>>);

/// Of one store.
#[derive(Clone, Copy, Default)]
struct Slots {
    /// All that there are besides the store's own.
    made: usize,
    /// Those that somebody may hold.
    reserved: usize,
}

/// The right to hold so many values of these stores; given back when it is dropped. Shared by both ends of what it is for, so that the slots are
/// free when both have let go.
pub struct Reservation {
    reserve: Arc<Reserve>,
    holds: Vec<(usize, usize)>,
}

impl Reserve {
    /// For a blackboard of so many stores.
    pub fn new(stores: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(vec![Slots::default(); stores])))
    }

    /// Reserves slots, so many of each store, and has those made that are missing: of which store how many, when so many were made before. While `make` makes them, and posts them to the blackboard's
    /// owner, nobody else reserves: who comes next relies on them.
    ///
    /// # Errors
    /// That of `make`; then nothing is reserved.
    pub fn reserve<R, E>(
        self: &Arc<Self>,
        holds: Vec<(usize, usize)>,
        make: impl FnOnce(&[(usize, usize, usize)], &Arc<Reservation>) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut all = self.lock();
        let mut missing = Vec::new();
        for &(store, count) in &holds {
            let slots = &mut all[store];
            slots.reserved += count;
            let lacking = slots.reserved.saturating_sub(slots.made);
            if lacking > 0 {
                missing.push((store, lacking, slots.made));
            }
        }
        let reservation = Arc::new(Reservation { reserve: self.clone(), holds });
        let made = make(&missing, &reservation);
        if made.is_ok() {
            missing.iter().for_each(|&(store, count, _)| all[store].made += count);
        }
        // Before the reservation may be dropped.
        drop(all);
        made
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slots>> {
        // Numbers are whole even if somebody panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut all = self.reserve.lock();
        self.holds.iter().for_each(|&(store, count)| all[store].reserved -= count);
    }
}
