//! Fork and join on the workers of a cycle.
//!
//! # Protocol
//! A forking worker puts a job (on its own stack) into one of a few places and works on it; idle
//! workers that see it join in. Each of them takes the next index from the job's counter until
//! there is none left.
//!
//! | who | step | effect |
//! |---|---|---|
//! | owner | acquires a free place | nobody else puts a job there |
//! | owner | stores the job's address | helpers can find it |
//! | helper | counts itself in at the place, then loads the address | if it is null: counts itself out, nothing happened |
//! | helper | works, counts itself out | never touches the job again |
//! | whoever finds no index left | marks that the place offers nothing | a worker without other work sleeps instead of waiting for the job's end |
//! | owner | out of indices: stores null, then waits until nobody is counted in, and sleeps if that takes long | the job can be dropped |
//! | helper, the last to count itself out while the owner sleeps | wakes the owner | |
//! | owner | frees the place | |
//!
//! Either the helper sees null, or the owner sees the helper: both change the same count (the owner
//! by adding nothing), so one comes first. If the owner does, the helper's change acquires what the
//! owner released, which is null. If the helper does, the owner sees it and waits. The owner waits
//! only for indices that somebody has begun. Without a free place, or without other workers, it
//! works alone.
//!
//! Owner and helpers leave through guards ([`Opened`], [`Helping`]), so that a panic leaves neither
//! a job on a stack that is gone nor an owner that waits for ever.

#![expect(unsafe_code, reason = "a job lives on its owner's stack; see the protocol")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use hemiola_model::module::Crew;
use hemiola_realtime::{Wakeup, monotonic_now};

use super::PATIENCE;
use super::first_panic::FirstPanic;
use crate::sync::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The number of scopes that can be open to others at the same time.
const PLACES: usize = if cfg!(loom) { 1 } else { 16 };

/// The places where others find jobs.
pub struct JobBoard {
    places: [Place; PLACES],
}

#[repr(align(128))]
struct Place {
    taken: AtomicBool,
    job: AtomicPtr<Job>,
    /// Set if there may be indices left.
    offers: AtomicBool,
    /// The number of helpers that are counted in, plus [`AWAITED`] while the owner sleeps until
    /// they have left.
    helpers: AtomicUsize,
    left: Wakeup,
}

const AWAITED: usize = 1 << (usize::BITS - 1);

/// A job: a call for each index. It lives on its owner's stack.
struct Job {
    work: *const (dyn Fn(usize) + Sync),
    count: usize,
    next: AtomicUsize,
    panic: FirstPanic,
}

impl JobBoard {
    pub fn new() -> Self {
        Self {
            places: std::array::from_fn(|_| Place {
                taken: AtomicBool::new(false),
                job: AtomicPtr::new(ptr::null_mut()),
                offers: AtomicBool::new(false),
                helpers: AtomicUsize::new(0),
                left: Wakeup::new(),
            }),
        }
    }

    /// Returns whether no job has anything left to do.
    pub fn is_empty(&self) -> bool {
        self.places.iter().all(|place| !place.offers.load(Ordering::SeqCst))
    }

    /// Works on some job, if there is one with work left.
    pub fn help(&self) -> bool {
        self.places.iter().any(Place::help)
    }

    /// Calls `work` for each index; `wake` is called once others can see the job.
    pub fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync), wake: impl FnOnce()) {
        let work: *const (dyn Fn(usize) + Sync) = work;
        // SAFETY: only the lifetime is cast away; `run` returns after the last use (see the
        // protocol).
        let work: *const (dyn Fn(usize) + Sync + 'static) = unsafe { std::mem::transmute(work) };
        let job = Job { work, count, next: AtomicUsize::new(0), panic: FirstPanic::default() };
        let opened = self.places.iter().find_map(|place| place.open(&job));
        if opened.is_some() {
            wake();
        }
        // SAFETY: the job is alive: it is a local variable.
        unsafe { Job::work(&raw const job) };
        if let Some(Opened(place)) = &opened {
            place.offers.store(false, Ordering::Relaxed);
        }
        // The job is also closed when something above panics: `job` outlives `opened`.
        drop(opened);
        if let Some(panic) = job.panic.take() {
            resume_unwind(panic);
        }
    }
}

/// A job that others can see. Once this is dropped, however its owner leaves, no other worker sees
/// the job or works on it.
struct Opened<'p>(&'p Place);

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let Place { taken, job, offers, helpers, .. } = self.0;
        offers.store(false, Ordering::Relaxed);
        job.store(ptr::null_mut(), Ordering::Release);
        if helpers.fetch_add(0, Ordering::AcqRel) != 0 {
            self.0.wait_for_helpers();
        }
        taken.store(false, Ordering::Release);
    }
}

/// A helper that is counted in; however it leaves, it is counted out.
struct Helping<'p>(&'p Place);

impl Drop for Helping<'_> {
    fn drop(&mut self) {
        // Release: the owner sees what the helper did. The place outlives the job, so it may still
        // be used.
        if self.0.helpers.fetch_sub(1, Ordering::Release) == AWAITED + 1 {
            self.0.left.notify_one();
        }
    }
}

impl Place {
    /// Shows the job to others, if the place is free.
    fn open<'p>(&'p self, job: &'p Job) -> Option<Opened<'p>> {
        if self.taken.swap(true, Ordering::Acquire) {
            return None;
        }
        self.job.store(ptr::from_ref(job).cast_mut(), Ordering::SeqCst);
        // This is stored after the job, so that a worker that sees it finds the job.
        self.offers.store(true, Ordering::SeqCst);
        Some(Opened(self))
    }

    fn help(&self) -> bool {
        if !self.offers.load(Ordering::Relaxed) {
            return false;
        }
        self.helpers.fetch_add(1, Ordering::AcqRel);
        let _counted_in = Helping(self);
        let job = self.job.load(Ordering::Acquire);
        if job.is_null() {
            return false;
        }
        // SAFETY: counted in and not null: the owner keeps the job until this worker has counted
        // itself out.
        let has_worked = unsafe { Job::work(job) };
        // This helper is still counted in, so there is no other job here yet.
        self.offers.store(false, Ordering::Relaxed);
        has_worked
    }

    /// Waits until all helpers have left. Most are about to leave; one that was interrupted may
    /// need this core.
    #[cold]
    fn wait_for_helpers(&self) {
        let spin_until = monotonic_now() + PATIENCE;
        while monotonic_now() < spin_until {
            if self.helpers.load(Ordering::Acquire) == 0 {
                return;
            }
            pause();
        }
        self.helpers.fetch_or(AWAITED, Ordering::Relaxed);
        loop {
            let seen = self.left.generation();
            if self.helpers.load(Ordering::Acquire) == AWAITED {
                break;
            }
            self.left.wait(seen, None);
        }
        self.helpers.fetch_and(!AWAITED, Ordering::Relaxed);
    }
}

impl Job {
    /// Takes indices until there is none left; returns whether there was one.
    ///
    /// # Safety
    /// The job is alive until this returns.
    unsafe fn work(job: *const Self) -> bool {
        // SAFETY: promised by the caller; a job is only changed through atomics.
        let job = unsafe { &*job };
        let mut worked = false;
        loop {
            let index = job.next.fetch_add(1, Ordering::Relaxed);
            if index >= job.count {
                return worked;
            }
            worked = true;
            // SAFETY: the owner's reference outlives the job.
            let work = unsafe { &*job.work };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(index))) {
                // No further index is begun; the owner propagates the first panic.
                job.next.store(job.count, Ordering::Relaxed);
                job.panic.note(panic);
            }
        }
    }
}

fn pause() {
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    std::hint::spin_loop();
}

/// The crew of a worker whose cycle has others that may help.
pub struct SharedCrew<'e, W: Fn(usize) + Sync> {
    pub board: &'e JobBoard,
    /// A closure that wakes up to that many workers.
    pub wake: W,
    /// Set if there are other workers at all.
    pub others: bool,
}

// SAFETY: `JobBoard::run` takes each index from one counter, so it calls `work` once for each; it
// returns when nobody works on the job any more, and propagates a panic.
unsafe impl<W: Fn(usize) + Sync> Crew for SharedCrew<'_, W> {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        // In the shared case, indices come from a counter that keeps counting after the last one,
        // and after a panic.
        if !self.others || count < 2 || count > isize::MAX as usize {
            (0..count).for_each(work);
            return;
        }
        self.board.run(count, work, || (self.wake)(count - 1));
    }
}

#[cfg(loom)]
#[test]
fn loom_fork_join_calls_each_index_once() {
    use loom::sync::Arc;
    loom::model(|| {
        let board = Arc::new(JobBoard::new());
        let helper = {
            let board = board.clone();
            loom::thread::spawn(move || board.help())
        };
        let calls: Vec<_> = (0..2).map(|_| AtomicUsize::new(0)).collect();
        board.run(2, &|index| _ = calls[index].fetch_add(1, Ordering::Relaxed), || {});
        assert!(calls.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        drop(calls);
        helper.join().unwrap();
    });
}

#[cfg(all(test, not(loom)))]
#[test]
fn a_job_all_of_which_is_being_done_offers_nothing_to_anybody_else() {
    use std::sync::Barrier;
    use std::thread;

    let (board, begun, done) = (JobBoard::new(), Barrier::new(3), Barrier::new(3));
    let work = |_| {
        begun.wait();
        done.wait();
    };
    thread::scope(|scope| {
        scope.spawn(|| board.run(2, &work, || {}));
        scope.spawn(|| while !board.help() {});
        begun.wait();
        assert!(!board.help(), "both indices are taken");
        assert!(board.is_empty(), "so a worker may sleep");
        done.wait();
    });
    assert!(board.is_empty());
}
