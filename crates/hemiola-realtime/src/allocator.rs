//! A counting allocator, for tests that prove that a thread does not allocate.
//!
//! # Safety
//! Every call is passed to [`System`] unchanged; counting accesses only thread-local cells of
//! integers, which are initialised at compile time and have no destructor, so that counting neither
//! allocates nor fails, not even while a thread ends.
#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::sync::{Ordering, StaticAtomicU64};

/// The system's allocator, with a count per thread of what was allocated and freed. It costs some
/// nanoseconds a call.
///
/// ```
/// use hemiola_realtime::{AllocationGuard, CountingAllocator};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let mut numbers = Vec::with_capacity(100);
/// let guard = AllocationGuard::new();
/// numbers.extend(0..100);
/// assert_eq!(guard.counted().calls(), 0); // the capacity sufficed
/// numbers.push(100);
/// assert_eq!(guard.counted().allocations, 1); // it did not
/// ```
#[derive(Debug, Default)]
pub struct CountingAllocator;

/// The number of a thread's allocations and deallocations.
///
/// See [`AllocationGuard`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allocations {
    /// The number of calls that obtained memory. Growing or shrinking a block is one.
    pub allocations: u64,
    /// The number of calls that freed memory.
    pub deallocations: u64,
    /// The number of bytes obtained; for a block that changes size, all of its new size.
    pub bytes: u64,
}

impl Allocations {
    /// Returns the number of calls to the allocator, of either kind. Both may take a lock or enter
    /// the kernel: a real-time thread makes none.
    pub fn calls(self) -> u64 {
        self.allocations + self.deallocations
    }

    const ZERO: Allocations = Allocations { allocations: 0, deallocations: 0, bytes: 0 };

    fn since(self, earlier: Allocations) -> Allocations {
        Allocations {
            allocations: self.allocations - earlier.allocations,
            deallocations: self.deallocations - earlier.deallocations,
            bytes: self.bytes.wrapping_sub(earlier.bytes),
        }
    }
}

thread_local! {
    static THIS_THREAD: Cell<Allocations> = const { Cell::new(Allocations::ZERO) };
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// The number of calls to the allocator by watched threads.
static CALLS_BY_WATCHED_THREADS: StaticAtomicU64 = StaticAtomicU64::new(0);

/// Returns what the calling thread has allocated and freed so far. All are zero unless
/// [`CountingAllocator`] is the global allocator.
pub fn allocations_on_this_thread() -> Allocations {
    THIS_THREAD.get()
}

/// A guard that counts what the calling thread allocates from here on.
///
/// ```
/// use hemiola_realtime::{AllocationGuard, CountingAllocator};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let mut joints = [0.3_f32, -0.1, 0.2];
/// let guard = AllocationGuard::new();
/// joints.sort_unstable_by(f32::total_cmp); // a stable sort may allocate
/// assert_eq!(guard.counted().calls(), 0);
/// ```
#[derive(Debug)]
pub struct AllocationGuard {
    start: Allocations,
}

impl AllocationGuard {
    /// Starts to count.
    #[expect(clippy::new_without_default, reason = "it notes the present, which is no default")]
    pub fn new() -> Self {
        AllocationGuard { start: allocations_on_this_thread() }
    }

    /// Returns what the calling thread has allocated and freed since. Call it on the thread that
    /// made the guard.
    pub fn counted(&self) -> Allocations {
        allocations_on_this_thread().since(self.start)
    }
}

/// Starts to count the calling thread's calls to the allocator for [`calls_by_watched_threads`],
/// too.
///
/// A test of a framework calls it within a module, and so watches threads that it did not start.
/// Calling it again does nothing.
///
/// ```
/// use hemiola_realtime::{CountingAllocator, calls_by_watched_threads, watch_this_thread};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// watch_this_thread();
/// let before = calls_by_watched_threads();
/// drop(Box::new(1));
/// assert_eq!(calls_by_watched_threads() - before, 2);
/// ```
pub fn watch_this_thread() {
    WATCHED.set(true);
}

/// Ends what [`watch_this_thread`] started: for threads that may allocate again, such as at
/// shutdown.
pub fn stop_watching_this_thread() {
    WATCHED.set(false);
}

/// Returns how often watched threads called the allocator so far.
pub fn calls_by_watched_threads() -> u64 {
    CALLS_BY_WATCHED_THREADS.load(Ordering::Relaxed)
}

// SAFETY: see the top of the file.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller keeps `GlobalAlloc`'s contract, which is the system's, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count_allocation(new_size);
        // SAFETY: as in `alloc`; every block comes from the system's allocator.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(Allocations { deallocations: 1, ..Allocations::ZERO });
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

fn count_allocation(bytes: usize) {
    count(Allocations { allocations: 1, deallocations: 0, bytes: bytes as u64 });
}

fn count(more: Allocations) {
    let so_far = THIS_THREAD.get();
    THIS_THREAD.set(Allocations {
        allocations: so_far.allocations + more.allocations,
        deallocations: so_far.deallocations + more.deallocations,
        bytes: so_far.bytes.wrapping_add(more.bytes),
    });
    if WATCHED.get() {
        CALLS_BY_WATCHED_THREADS.fetch_add(1, Ordering::Relaxed);
    }
}
