//! Fork and join inside an update.
//!
//! Everything is built on one primitive, [`Crew::run`]: call a function once for each index of a
//! range, on whatever workers are free. The splitting of slices below relies on "once for each
//! index" alone: index `i` is the only one that touches part `i`, which is why the `unsafe` blocks
//! here are sound for any correct crew.
#![expect(unsafe_code, reason = "slices are split among threads by their indices")]

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;

/// Fork and join inside an update, on the cycle's workers at the cycle's priority: an update
/// receives it as a `&Scope` argument.
///
/// The calling worker takes part, so that it only waits for work that has begun, and all of it runs
/// there if no other worker is free. Closures borrow locals. Scopes nest. A panic in a closure ends
/// the whole call and is resumed in the caller. The order of execution is not defined; results must
/// not depend on it (write each to its own place).
///
/// ```
/// use hemiola_model::module::Scope;
///
/// fn update(scope: &Scope) {
///     let mut scores = [0; 100];
///     scope.for_each(&mut scores, |index, score| *score = index * index);
///     let (odd, even) = scope.join(|| scores.iter().filter(|s| *s % 2 == 1).count(), || scores.iter().filter(|s| *s % 2 == 0).count());
///     assert_eq!((odd, even), (50, 50));
/// }
/// update(&Scope::default()); // without a running robot: on this thread alone
/// ```
#[derive(Clone, Copy)]
pub struct Scope<'c> {
    crew: &'c dyn Crew,
}

/// The threads that execute the work of a scope.
///
/// # Safety
/// `run` calls `work` exactly once for each index below `count` (or, if a call panics, at most
/// once), has returned from all calls before it returns itself, and propagates a panic.
///
/// ```
/// use hemiola_model::module::{Crew, Scope};
///
/// struct OneThreadEach;
///
/// // SAFETY: each index has one thread; the scope waits for all of them and passes a panic on.
/// unsafe impl Crew for OneThreadEach {
///     fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| (0..count).for_each(|index| _ = scope.spawn(move || work(index))));
///     }
/// }
///
/// let mut squares = [0; 4];
/// Scope::new(&OneThreadEach).for_each(&mut squares, |index, square| *square = index * index);
/// assert_eq!(squares, [0, 1, 4, 9]);
/// ```
pub unsafe trait Crew: Sync {
    /// Calls `work` for each index below `count`.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// A crew of the calling thread alone.
struct Alone;

// SAFETY: a plain loop calls `work` once for each index and returns when all calls have.
unsafe impl Crew for Alone {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }
}

impl<'c> Scope<'c> {
    /// Creates a scope whose work this crew executes.
    pub fn new(crew: &'c dyn Crew) -> Self {
        Self { crew }
    }

    /// Runs both closures, possibly at the same time, and returns both results.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let first = Once::new(first);
        let second = Once::new(second);
        self.crew.run(2, &|index| {
            // SAFETY: the crew calls this once with 0 and once with 1.
            unsafe {
                match index {
                    0 => first.run(),
                    _ => second.run(),
                }
            }
        });
        (first.finish(), second.finish())
    }

    /// Calls `work` for each index below `count`.
    pub fn for_each_index(&self, count: usize, work: impl Fn(usize) + Sync) {
        self.crew.run(count, &work);
    }

    /// Calls `work` with the index and the item, for each item.
    pub fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        let parts = Parts::new(items);
        // SAFETY: the crew calls this once for each index, so that no two calls see the same item.
        self.crew.run(parts.length, &|index| work(index, unsafe { parts.item(index) }));
    }

    /// Calls `work` with the index of the chunk and its items, for each chunk of `size` items (the
    /// last may be shorter).
    ///
    /// It is for items that are too little work to be shared one by one: choose a size that makes a
    /// chunk worth tens of microseconds.
    ///
    /// # Panics
    /// Panics if `size` is zero.
    pub fn for_each_chunk<T: Send>(&self, items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        assert!(size > 0, "a chunk must have at least one item");
        let parts = Parts::new(items);
        self.crew.run(parts.length.div_ceil(size), &|index| {
            // SAFETY: the crew calls this once for each index, and chunks of different indices do
            // not overlap.
            work(index, unsafe { parts.chunk(index * size, size) });
        });
    }
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Self { crew: &Alone }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Scope")
    }
}

/// A slice that several threads divide among themselves.
struct Parts<'s, T> {
    start: *mut T,
    length: usize,
    slice: PhantomData<&'s mut [T]>,
}

// SAFETY: each item is given to one thread only (see the users above), and T may be sent there.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'s, T> Parts<'s, T> {
    fn new(items: &'s mut [T]) -> Self {
        Self { start: items.as_mut_ptr(), length: items.len(), slice: PhantomData }
    }

    /// # Safety
    /// `index` is below the length, and nobody else gets this item.
    #[expect(clippy::mut_from_ref, reason = "each item is given away once; the caller promises it")]
    unsafe fn item(&self, index: usize) -> &mut T {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.start.add(index) }
    }

    /// Returns at most `size` items from `start`.
    ///
    /// # Safety
    /// `start` is below the length, and nobody else gets these items.
    #[expect(clippy::mut_from_ref, reason = "each item is given away once; the caller promises it")]
    unsafe fn chunk(&self, start: usize, size: usize) -> &mut [T] {
        // SAFETY: promised by the caller; the length stays within the slice.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(start), size.min(self.length - start)) }
    }
}

/// A function that is called once by whoever gets it, and its result.
struct Once<F, R> {
    function: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<R>>,
}

// SAFETY: one thread calls `run`, and the caller of the crew reads the result when that has
// returned.
unsafe impl<F: Send, R: Send> Sync for Once<F, R> {}

impl<F: FnOnce() -> R, R> Once<F, R> {
    fn new(function: F) -> Self {
        Self { function: UnsafeCell::new(Some(function)), result: UnsafeCell::new(None) }
    }

    /// # Safety
    /// It is called by one thread, once.
    unsafe fn run(&self) {
        // SAFETY: promised by the caller.
        unsafe {
            if let Some(function) = (*self.function.get()).take() {
                *self.result.get() = Some(function());
            }
        }
    }

    fn finish(self) -> R {
        self.result.into_inner().expect("a crew calls its work for each index before it returns")
    }
}
