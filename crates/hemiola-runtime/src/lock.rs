//! Locks for threads that must not wait, and locks under which user code may be called.

use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::sync::{AtomicUsize, Ordering};

/// Acquires a lock, unless it is held.
pub fn lock_if_free<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Returns the value of a lock that no other thread can access.
pub fn own<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// A lock under which user code is called, such as constructors and defaults while a robot is
/// changed. If such code tried to acquire the same lock, its thread would wait for itself: it
/// panics instead, within the containment in which it is called.
pub struct Reentered<T> {
    value: Mutex<T>,
    /// The thread that holds the lock, or 0.
    owner: AtomicUsize,
}

/// The interval between two attempts to acquire a lock that is held.
const LOOK_PERIOD: Duration = Duration::from_millis(1);

/// The guard of the lock.
pub struct Locked<'l, T> {
    value: MutexGuard<'l, T>,
    owner: &'l AtomicUsize,
}

impl<T> Reentered<T> {
    pub fn new(value: T) -> Self {
        Self { value: Mutex::new(value), owner: AtomicUsize::new(0) }
    }

    /// Acquires the lock, and waits while another thread holds it. A panic of a holder does no
    /// harm: what it left behind is consistent, as the users of the lock explain.
    ///
    /// # Panics
    /// Panics if this thread holds the lock.
    pub fn lock(&self) -> Locked<'_, T> {
        // Relaxed: only this thread itself writes its own number here.
        assert!(
            self.owner.load(Ordering::Relaxed) != this_thread(),
            "this code is called while its robot is being changed, and tries to access or change the robot: do that on another \
             thread"
        );
        self.owned(self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock, unless it is held.
    pub fn lock_if_free(&self) -> Option<Locked<'_, T>> {
        lock_if_free(&self.value).map(|value| self.owned(value))
    }

    /// Acquires the lock, unless it is held for the whole time; tries repeatedly.
    pub fn lock_within(&self, patience: Duration) -> Option<Locked<'_, T>> {
        let end = Instant::now() + patience;
        loop {
            let locked = self.lock_if_free();
            if locked.is_some() || Instant::now() >= end {
                return locked;
            }
            thread::sleep(LOOK_PERIOD);
        }
    }

    fn owned<'l>(&'l self, value: MutexGuard<'l, T>) -> Locked<'l, T> {
        self.owner.store(this_thread(), Ordering::Relaxed);
        Locked { value, owner: &self.owner }
    }
}

impl<T> Drop for Locked<'_, T> {
    fn drop(&mut self) {
        // The owner is cleared before the lock is released.
        self.owner.store(0, Ordering::Relaxed);
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Returns a number that no other living thread has; not 0.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}
