//! Checks what the counting allocator counts, and that this crate's own hot paths call no
//! allocator.

use hemiola_realtime::{
    AdaptiveEarliness, AllocationGuard, Allocations, CountingAllocator, Reason, Wakeup, allocations_on_this_thread,
    calls_by_watched_threads, monotonic_now, sleep_until, stop_watching_this_thread, watch_this_thread,
};
use std::hint::black_box;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn allocations_growth_and_frees_are_counted_with_their_bytes() {
    let guard = AllocationGuard::new();
    let mut bytes: Vec<u8> = black_box(Vec::with_capacity(100));
    assert_eq!(guard.counted(), Allocations { allocations: 1, deallocations: 0, bytes: 100 });
    bytes.reserve_exact(300);
    assert_eq!(guard.counted(), Allocations { allocations: 2, deallocations: 0, bytes: 400 });
    drop(black_box(bytes));
    assert_eq!(guard.counted().deallocations, 1);
    let zeroed = black_box(vec![0u8; 50]);
    assert_eq!(guard.counted(), Allocations { allocations: 3, deallocations: 1, bytes: 450 });
    drop(zeroed);
    assert_eq!(guard.counted().calls(), 5);
}

#[test]
fn another_threads_allocations_are_not_counted_here() {
    let barrier = std::sync::Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            barrier.wait();
            let before = allocations_on_this_thread();
            drop(black_box(vec![1u8; 1000]));
            let bytes = allocations_on_this_thread().bytes - before.bytes;
            barrier.wait();
            bytes
        });
        let guard = AllocationGuard::new();
        barrier.wait();
        barrier.wait();
        assert_eq!(guard.counted().calls(), 0);
        assert_eq!(other.join().expect("it ends"), 1000);
    });
}

#[test]
fn only_watched_threads_add_to_the_common_count() {
    let before = calls_by_watched_threads();
    drop(black_box(Box::new(1)));
    assert_eq!(calls_by_watched_threads(), before);
    watch_this_thread();
    drop(black_box(Box::new(1)));
    stop_watching_this_thread();
    drop(black_box(Box::new(1)));
    assert_eq!(calls_by_watched_threads(), before + 2);
}

#[test]
fn waiting_waking_and_sleeping_call_no_allocator() {
    let wakeup = Wakeup::new();
    let mut earliness = AdaptiveEarliness::default();
    let guard = AllocationGuard::new();
    for _ in 0..100 {
        let soon = monotonic_now() + Duration::from_micros(20);
        sleep_until(soon);
        let seen = wakeup.generation();
        assert_eq!(wakeup.spin_then_wait(seen, soon, Some(soon)), Reason::TimedOut);
        assert_eq!(wakeup.wait(seen, Some(monotonic_now() + Duration::from_micros(20))), Reason::TimedOut);
        wakeup.notify_all();
        let due = monotonic_now() + Duration::from_micros(100);
        earliness.meet(due);
    }
    assert_eq!(guard.counted(), Allocations::default());
}
