//! Counts the allocations of all threads while an activity is measured.
#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::sync::{AtomicBool, AtomicU64, Ordering};

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
}

fn count() {
    if COUNTING.load(Ordering::Relaxed) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged; counting touches two static integers and cannot
// fail.
unsafe impl GlobalAlloc for CountAllocations {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps `GlobalAlloc`'s contract, which is the system's, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: as in `alloc`; every block comes from the system's allocator.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
