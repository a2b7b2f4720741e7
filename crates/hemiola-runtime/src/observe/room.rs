//! How many values a recorder holds, so that a provider never looks in vain for a slot.
//!
//! A store has as many slots more as values may be on their way to the recorder. The provider of the values counts up before it passes one on;
//! who has read it releases its slot, then counts down.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | provider | reads the count; full if it is the capacity | acquire: the slots of all that are no longer counted are seen released |
//! | provider | holds the value, adds one, passes it on | relaxed: nobody else adds |
//! | recorder | releases the slot, then subtracts one | release: who sees the one sees the other |

use crate::sync::{AtomicU32, Ordering};

/// See the module.
pub struct Room(AtomicU32);

impl Default for Room {
    fn default() -> Self {
        Self(AtomicU32::new(0))
    }
}

impl Room {
    /// Whether so many values are on their way. Only for the provider.
    pub fn is_full(&self, capacity: u32) -> bool {
        self.0.load(Ordering::Acquire) >= capacity
    }

    /// One more is. Only for the provider.
    pub fn enter(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One less is, and its slot has been released.
    pub fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(all(test, loom))]
#[expect(unsafe_code, reason = "loom checks what it promises")]
mod tests {
    use hemiola_bus::exchange::queue;
    use loom::thread;

    use super::Room;
    use crate::sync::{Arc, AtomicU32, Ordering, UnsafeCell};

    /// A value, and how often it is held; as a store has them.
    struct Slot(UnsafeCell<u32>, AtomicU32);

    struct Slots(Vec<Slot>, Room);

    // SAFETY: a value is written while nobody holds it, which is what the model checks.
    unsafe impl Sync for Slots {}
    // SAFETY: as above.
    unsafe impl Send for Slots {}

    #[test]
    fn loom_a_provider_finds_a_free_slot_and_writes_where_nobody_reads() {
        loom::model(|| {
            // One that is on its way, the current one, and one to be written.
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
            let mut current = 0;
            for run in 1..=3 {
                let is_free = |number: &usize| *number != current && slots.0[*number].1.load(Ordering::Acquire) == 0;
                let free = (0..slots.0.len()).find(is_free).expect("there is a free slot");
                // SAFETY: nobody sees it.
                slots.0[free].0.with_mut(|value| unsafe { *value = run });
                current = free;
                if !slots.1.is_full(1) {
                    slots.0[free].1.fetch_add(1, Ordering::Relaxed);
                    slots.1.enter();
                    values.push(free).expect("there is room for all that can be held");
                }
            }
            recorder.join().unwrap();
        });
    }
}
