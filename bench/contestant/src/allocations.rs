//! Counts the allocations of all threads, and the memory that they hold, while an activity is
//! measured.
#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::sync::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// The system's allocator, which counts while a contestant is measured in
/// [`Mode::Allocations`](crate::Mode::Allocations).
///
/// ```
/// use hemiola_bench_contestant::CountAllocations;
///
/// #[global_allocator]
/// static ALLOCATOR: CountAllocations = CountAllocations;
///
/// assert_eq!(CountAllocations::during(|| drop(Box::new(1))), 1);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CountAllocations;

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
/// The bytes that are allocated, less those that were allocated before counting began and freed
/// since.
static HELD: AtomicI64 = AtomicI64::new(0);
static MOST_HELD: AtomicI64 = AtomicI64::new(0);

/// The memory that an activity took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// The number of times that any thread of the process allocated or reallocated.
    pub allocations: u64,
    /// The most bytes that were held at the same time, beyond those from before; the allocator's
    /// own records do not count.
    pub peak_bytes: u64,
}

impl CountAllocations {
    /// Returns how often any thread of the process allocates or reallocates while `activity` goes
    /// on.
    pub fn during(activity: impl FnOnce()) -> u64 {
        let before = ALLOCATIONS.load(Ordering::SeqCst);
        COUNTING.store(true, Ordering::SeqCst);
        activity();
        COUNTING.store(false, Ordering::SeqCst);
        ALLOCATIONS.load(Ordering::SeqCst) - before
    }

    /// Returns the memory that all threads of the process allocate while `activity` goes on.
    ///
    /// ```standalone_crate
    /// use hemiola_bench_contestant::{CountAllocations, Memory};
    ///
    /// #[global_allocator]
    /// static ALLOCATOR: CountAllocations = CountAllocations;
    ///
    /// let one_after_the_other = CountAllocations::memory(|| (1..=3).for_each(|size| drop(vec![0_u8; 100 * size])));
    /// assert_eq!(one_after_the_other, Memory { allocations: 3, peak_bytes: 300 });
    /// ```
    pub fn memory(activity: impl FnOnce()) -> Memory {
        HELD.store(0, Ordering::SeqCst);
        MOST_HELD.store(0, Ordering::SeqCst);
        let allocations = Self::during(activity);
        Memory { allocations, peak_bytes: MOST_HELD.load(Ordering::SeqCst).max(0) as u64 }
    }
}

/// Counts an allocation of `added` bytes in exchange for `freed` ones.
fn count(added: usize, freed: usize) {
    if COUNTING.load(Ordering::Relaxed) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        let change = added as i64 - freed as i64;
        MOST_HELD.fetch_max(HELD.fetch_add(change, Ordering::Relaxed) + change, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged; counting touches static integers and cannot fail.
unsafe impl GlobalAlloc for CountAllocations {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps `GlobalAlloc`'s contract, which is the system's, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size, layout.size());
        // SAFETY: as in `alloc`; every block comes from the system's allocator.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if COUNTING.load(Ordering::Relaxed) {
            HELD.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        }
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
