//! The operating system's real-time services with a safe interface: threads with a policy, locked
//! memory, absolute sleeps, wake-ups.
//!
//! Layer rule: this crate knows nothing about modules, plans or cycles. Nothing in it fails because
//! a permission is missing: what the system refuses is reported as a [`Denial`] that names the
//! reason and the remedy, and the program runs all the same.
//!
//! ```
//! use hemiola_realtime::{AdaptiveEarliness, Policy, Priority, ThreadSettings, monotonic_now, spawn};
//! use std::time::Duration;
//!
//! let settings = ThreadSettings::new("motion").policy(Policy::Fifo(Priority::new(60)?));
//! let motion = spawn(settings, || {
//!     let mut earliness = AdaptiveEarliness::default();
//!     let due = monotonic_now() + Duration::from_millis(2);
//!     earliness.meet(due) >= due
//! })?;
//! for denial in motion.report.denials() {
//!     eprintln!("{denial}"); // once, at start-up
//! }
//! assert!(motion.thread.join().unwrap());
//! # Ok::<(), hemiola_realtime::RealtimeError>(())
//! ```
//!
//! `unsafe` lives in three places: `os` (the calls into the C library and the kernel), `allocator`
//! (the trait is unsafe) and `shared_memory` (what other processes see).
#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod accounts;
mod affinity;
mod allocator;
mod calibration;
mod containment;
mod denial;
mod doctor;
mod earliness;
mod errands;
mod error;
mod frame;
mod latency;
mod locking;
mod machine;
mod memory;
mod os;
mod pipe;
mod policy;
mod privileges;
mod respite;
#[cfg(not(loom))]
mod shared_memory;
mod sync;
mod system_tree;
mod thread;
mod time;
mod wakeup;
mod word;

pub use accounts::{StolenTime, ThreadAccount, ThreadTimes};
pub use affinity::{Affinity, CoreId};
pub use allocator::{
    AllocationGuard, Allocations, CountingAllocator, allocations_on_this_thread, calls_by_watched_threads,
    stop_watching_this_thread, watch_this_thread,
};
pub use calibration::{Calibration, PolicyInForce, hand_over_cost, wake_up_cost, wakeup_latency};
pub use containment::{Containment, describe_panic, take_place};
pub use denial::{Denial, Outcome};
pub use doctor::{Finding, State, examine, examine_settings, findings_as_json, findings_as_text};
pub use earliness::{AdaptiveEarliness, EarlinessCost, EarlySleep};
pub use errands::{accept_errands, may_do_errands, refuse_errands};
pub use error::RealtimeError;
pub use latency::LatencyDistribution;
pub use locking::Locking;
pub use machine::describe_machine;
pub use memory::{HUGE_PAGE, MemoryReport, prefault_stack, prefer_huge_pages, secure_memory};
#[cfg(not(loom))]
pub use pipe::{MemoryPipe, PipeMisuse, PipePlace};
pub use policy::{Niceness, Policy, Priority};
pub use respite::Respite;
#[cfg(not(loom))]
pub use shared_memory::{
    BorrowedBytes, ForeignBytes, ForeignMemory, Framed, FramedBlock, MemoryBlock, SharedMemory, SharedWords,
};
pub use thread::{KernelThread, Spawned, ThreadReport, ThreadSettings, apply_to_this_thread, spawn};
pub use time::{MonotonicTime, monotonic_now, scheduler_tick, sleep_until};
pub use wakeup::{Duty, Generation, Reason, Wakeup, WakeupSet};
