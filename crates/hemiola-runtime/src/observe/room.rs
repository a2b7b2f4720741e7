//! Counts of the values that an observer holds, so that a provider always finds a free slot.
//!
//! A store has as many additional slots as values may be in transit to observers. The provider
//! counts the values that it passes on; an observer that has read one releases its slot, then
//! counts it as released.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | provider | reads how many were released; full if as many others as fit were passed on | acquire: the slots of all released values are seen free |
//! | provider | holds the value, counts it, passes it on | its own count: nobody else adds |
//! | observer | releases the slot, then adds one to the count of released ones | release: whoever sees the one sees the other |

use crate::sync::{AtomicU32, Ordering};

/// The observer's count of released values.
pub struct Room(AtomicU32);

/// The provider's count of values that it passed on.
#[derive(Default)]
pub struct Passed(u32);

impl Default for Room {
    fn default() -> Self {
        Self(AtomicU32::new(0))
    }
}

impl Room {
    /// Counts one more value as released, whose slot is free already.
    pub fn leave(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

impl Room {
    /// Returns the number of released values.
    pub fn left(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
}

impl Passed {
    /// Returns whether that many values are in transit.
    #[inline]
    pub fn is_full(&self, room: &Room, capacity: u32) -> bool {
        self.0.wrapping_sub(room.0.load(Ordering::Acquire)) >= capacity
    }

    /// Counts one more value as passed on.
    #[inline]
    pub fn enter(&mut self) {
        self.0 = self.0.wrapping_add(1);
    }
}

#[cfg(all(test, loom))]
#[expect(unsafe_code, reason = "loom checks what it promises")]
mod tests {
    use hemiola_bus::exchange::queue;
    use loom::thread;

    use super::{Passed, Room};
    use crate::sync::{Arc, AtomicU32, Ordering, UnsafeCell};

    /// A value, and how often it is held, as in a store.
    struct Slot(UnsafeCell<u32>, AtomicU32);

    struct Slots(Vec<Slot>, Room);

    // SAFETY: a value is written while nobody holds it, which is what the model checks.
    unsafe impl Sync for Slots {}
    // SAFETY: as above.
    unsafe impl Send for Slots {}

    #[test]
    fn loom_a_provider_finds_a_free_slot_and_writes_where_nobody_reads() {
        loom::model(|| {
            // There is a slot for a value in transit, for the current one, and for one to be
            // written.
            let slots = [(); 3].map(|()| Slot(UnsafeCell::new(0), AtomicU32::new(0)));
            let slots = Arc::new(Slots(slots.into(), Room::default()));
            let (mut values, mut reader) = queue::<usize>(1);
            let recorder = {
                let slots = slots.clone();
                thread::spawn(move || {
                    for _ in 0..2 {
                        let Some(number) = reader.pop() else { continue };
                        let Slot(value, holds) = &slots.0[number];
                        // SAFETY: it is held.
                        value.with(|value| assert!(unsafe { *value } > 0));
                        holds.fetch_sub(1, Ordering::Release);
                        slots.1.leave();
                    }
                })
            };
            let (mut current, mut passed) = (0, Passed::default());
            for run in 1..=3 {
                let is_free = |number: &usize| *number != current && slots.0[*number].1.load(Ordering::Acquire) == 0;
                let free = (0..slots.0.len()).find(is_free).expect("there is a free slot");
                // SAFETY: nobody sees it.
                slots.0[free].0.with_mut(|value| unsafe { *value = run });
                current = free;
                if !passed.is_full(&slots.1, 1) {
                    slots.0[free].1.fetch_add(1, Ordering::Relaxed);
                    passed.enter();
                    values.push(free).expect("there is room for all that can be held");
                }
            }
            recorder.join().unwrap();
        });
    }
}
