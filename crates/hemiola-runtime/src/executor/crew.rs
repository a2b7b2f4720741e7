//! Fork and join on the workers of a cycle.
//!
//! # Protocol
//! A forking worker puts a job (on its own stack) into one of a few places and works on it; idle workers that see it join in.
//! Whoever works takes the next index from the job's counter until there is none left.
//!
//! | who | step | effect |
//! |---|---|---|
//! | owner | takes a free place | nobody else puts a job there |
//! | owner | stores the job's address | helpers can find it |
//! | helper | counts itself in at the place, then loads the address | if it is null: counts itself out, nothing happened |
//! | helper | works, counts itself out | never touches the job again |
//! | owner | out of indices: stores null, then waits until nobody is counted in | the job can go |
//! | owner | frees the place | |
//!
//! Either the helper sees null, or the owner sees the helper: both change the same count (the owner by adding nothing), so one
//! comes first. If the owner does, the helper's change acquires what the owner released, which is null. If the helper does, the
//! owner sees it and waits. The owner waits only for indices that somebody has begun. Without a free place, or without other workers, it works alone.
//!
//! Owner and helpers leave by guards ([`Opened`], [`Helping`]), so that a panic on the way leaves neither a job on a stack that is gone nor an
//! owner that waits for ever.

#![expect(unsafe_code, reason = "a job lives on its owner's stack; see the protocol")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use hemiola_model::module::Crew;

use super::first_panic::FirstPanic;
use crate::sync::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// How many scopes can be open to others at the same time.
const PLACES: usize = if cfg!(loom) { 1 } else { 16 };

/// Where jobs are put for others to see.
pub struct JobBoard {
    places: [Place; PLACES],
}

#[repr(align(128))]
struct Place {
    taken: AtomicBool,
    job: AtomicPtr<Job>,
    helpers: AtomicUsize,
}

/// A call for each index; lives on its owner's stack.
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
                helpers: AtomicUsize::new(0),
            }),
        }
    }

    /// Whether there is no job.
    pub fn is_empty(&self) -> bool {
        self.places.iter().all(|place| place.job.load(Ordering::SeqCst).is_null())
    }

    /// Works on some job, if there is one with work left.
    pub fn help(&self) -> bool {
        self.places.iter().any(Place::help)
    }

    /// Calls `work` for each index; `wake` is called once others can see the job.
    pub fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync), wake: impl FnOnce()) {
        let work: *const (dyn Fn(usize) + Sync) = work;
        // SAFETY: only the lifetime is cast away; `run` returns after the last use (see the protocol).
        let work: *const (dyn Fn(usize) + Sync + 'static) = unsafe { std::mem::transmute(work) };
        let job = Job { work, count, next: AtomicUsize::new(0), panic: FirstPanic::default() };
        let opened = self.places.iter().find_map(|place| place.open(&job));
        if opened.is_some() {
            wake();
        }
        // SAFETY: the job is alive: it is a local variable.
        unsafe { Job::work(&raw const job) };
        // Also when something above panics: `job` outlives it.
        drop(opened);
        if let Some(panic) = job.panic.take() {
            resume_unwind(panic);
        }
    }
}

/// A job that others can see. However its owner leaves, nobody sees the job any more, or works on it, when this is gone.
struct Opened<'p>(&'p Place);

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let Place { taken, job, helpers } = self.0;
        job.store(ptr::null_mut(), Ordering::Release);
        if helpers.fetch_add(0, Ordering::AcqRel) != 0 {
            while helpers.load(Ordering::Acquire) != 0 {
                pause();
            }
        }
        taken.store(false, Ordering::Release);
    }
}

/// A helper that is counted in; however it leaves, it is counted out.
struct Helping<'p>(&'p Place);

impl Drop for Helping<'_> {
    fn drop(&mut self) {
        self.0.helpers.fetch_sub(1, Ordering::Release);
    }
}

impl Place {
    /// Lets others see the job, if the place is free.
    fn open<'p>(&'p self, job: &'p Job) -> Option<Opened<'p>> {
        if self.taken.swap(true, Ordering::Acquire) {
            return None;
        }
        self.job.store(ptr::from_ref(job).cast_mut(), Ordering::SeqCst);
        Some(Opened(self))
    }

    fn help(&self) -> bool {
        if self.job.load(Ordering::Relaxed).is_null() {
            return false;
        }
        self.helpers.fetch_add(1, Ordering::AcqRel);
        let _counted_in = Helping(self);
        let job = self.job.load(Ordering::Acquire);
        // SAFETY: counted in and not null: the owner keeps the job until this worker has counted itself out.
        !job.is_null() && unsafe { Job::work(job) }
    }
}

impl Job {
    /// Takes indices until there is none left; tells whether there was one.
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
                // Nobody starts another index; the owner passes the first panic on.
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

/// The crew of a worker whose cycle has others that might help.
pub struct SharedCrew<'e, W: Fn(usize) + Sync> {
    pub board: &'e JobBoard,
    /// Wakes up to so many workers.
    pub wake: W,
    /// There are others at all.
    pub others: bool,
}

// SAFETY: `JobBoard::run` takes each index from one counter, so calls `work` once for each; it returns when nobody works on the
// job any more, and passes a panic on.
unsafe impl<W: Fn(usize) + Sync> Crew for SharedCrew<'_, W> {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        // Shared, indices come from a counter that goes on counting after the last one, and after a panic.
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
