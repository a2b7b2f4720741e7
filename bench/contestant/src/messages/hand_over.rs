//! The time from publishing a number to the callback that gets it: on the same thread, or on
//! another core whose thread spins or sleeps.
//!
//! To a core that spins, a number goes there and back; half of a round trip counts. To one that
//! sleeps, it goes when that has slept for a while. Beside it stands how often a thread of the
//! process went to sleep, and so had to be woken, per hundred of them.

use std::sync::Arc;

use super::Assignment;
use super::assignment::print;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::{Usage, monotonic_ns, system};

/// The publishing end of a link.
pub trait Publisher: Send {
    /// Publishes a number.
    fn publish(&mut self, number: u64);
}

/// The executing end of a link.
pub trait Executor: Send {
    /// Calls the callback for every number that has come, if any has.
    fn run(&mut self);

    /// Calls the callback for numbers as they come, and sleeps meanwhile, until the last number has
    /// come.
    ///
    /// # Panics
    /// If it cannot sleep.
    fn run_until_last(&mut self, callback: &Callback) {
        _ = callback;
        panic!("this contestant cannot sleep");
    }
}

/// The callback that is called for a number.
#[derive(Debug, Clone)]
pub struct Callback {
    newest: Arc<AtomicU64>,
    last: u64,
}

impl Callback {
    fn new(last: u64) -> Self {
        Self { newest: Arc::default(), last }
    }

    /// Notes a number, and returns whether it was the last. To be called through a pointer, like
    /// any callback.
    #[inline]
    pub fn call(&self, number: u64) -> bool {
        self.newest.store(number, Ordering::Relaxed);
        number == self.last
    }

    /// Returns whether the last number has come.
    pub fn is_over(&self) -> bool {
        self.newest() == self.last
    }

    fn newest(&self) -> u64 {
        self.newest.load(Ordering::Relaxed)
    }
}

/// Measures a contestant at the assignment's `place`; `make` makes a link that ends in the
/// callback.
///
/// # Panics
/// If a number does not come, or comes out of order.
pub fn measure<P: Publisher, E: Executor>(assignment: &Assignment, mut make: impl FnMut(Callback) -> (P, E)) {
    let repetitions = assignment.number("repetitions");
    let trips = assignment.number("round-trips");
    let place = assignment.number("place");
    let all = [Place::SameThread, Place::Spinning, Place::Sleeping];
    let place = all.into_iter().find(|one| *one as u64 == place).expect("a number of a place");
    let mut hand_over_ps = Vec::new();
    let mut wake_ups = 0;
    for repetition in 0..=repetitions {
        let (ps, sleeps) = match place {
            Place::SameThread => same_thread(trips, &mut make),
            Place::Spinning => spinning(trips, &mut make),
            Place::Sleeping => sleeping(trips, &mut make),
        };
        if repetition > 0 {
            hand_over_ps.push(ps);
            wake_ups += sleeps;
        }
    }
    print("hand_over_ps", hand_over_ps);
    print("wake_ups_per_100", [wake_ups * 100 / (trips * repetitions)]);
}

/// The place where the callback runs. Its number is the assignment's `place`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The thread that publishes.
    SameThread,
    /// Another core, on a thread that spins.
    Spinning,
    /// Another core, on a thread that sleeps.
    Sleeping,
}

/// The time per hand-over in picoseconds, and how often a thread slept.
type Outcome = (u64, u64);

fn same_thread<P: Publisher, E: Executor>(trips: u64, make: &mut dyn FnMut(Callback) -> (P, E)) -> Outcome {
    let callback = Callback::new(trips);
    let (mut publisher, mut executor) = make(callback.clone());
    let before = Usage::now();
    let begin = monotonic_ns();
    for number in 1..=trips {
        publisher.publish(number);
        executor.run();
        assert_eq!(callback.newest(), number, "called back");
    }
    ((monotonic_ns() - begin) * 1000 / trips, Usage::now().since(&before).sleeps)
}

fn spinning<P: Publisher, E: Executor>(trips: u64, make: &mut dyn FnMut(Callback) -> (P, E)) -> Outcome {
    let (there, back) = (Callback::new(trips), Callback::new(trips));
    let (mut to_there, mut executor_there) = make(there.clone());
    let (mut to_here, mut executor_here) = make(back.clone());
    let attend = |executor: &mut E, callback: &Callback, number| {
        while callback.newest() != number {
            executor.run();
            std::hint::spin_loop();
        }
    };
    let partner = || {
        for number in 1..=trips {
            attend(&mut executor_there, &there, number);
            to_here.publish(number);
        }
    };
    let player = || {
        let begin = monotonic_ns();
        for number in 1..=trips {
            to_there.publish(number);
            attend(&mut executor_here, &back, number);
        }
        (monotonic_ns() - begin) * 1000 / (2 * trips)
    };
    on_two_cores(partner, player)
}

fn sleeping<P: Publisher, E: Executor>(trips: u64, make: &mut dyn FnMut(Callback) -> (P, E)) -> Outcome {
    /// The time in which the partner goes to sleep.
    const PAUSE_NS: u64 = 200_000;
    let callback = Callback::new(trips);
    let (mut publisher, mut executor) = make(callback.clone());
    let partner = || executor.run_until_last(&callback);
    let player = || {
        let mut sum = 0;
        for number in 1..=trips {
            let begin = monotonic_ns() + PAUSE_NS;
            while monotonic_ns() < begin {
                std::hint::spin_loop();
            }
            publisher.publish(number);
            while callback.newest() != number {
                std::hint::spin_loop();
            }
            sum += monotonic_ns() - begin;
        }
        sum * 1000 / trips
    };
    on_two_cores(partner, player)
}

/// Runs both, each on a core of its own; returns the result of `player`, and how often a thread
/// slept meanwhile.
fn on_two_cores(partner: impl FnOnce() + Send, player: impl FnOnce() -> u64 + Send) -> Outcome {
    let ready = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let partner = scope.spawn(|| {
            system::keep_to_core(1);
            ready.store(true, Ordering::Release);
            partner();
        });
        let player = scope.spawn(|| {
            system::keep_to_core(0);
            while !ready.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            let before = Usage::now();
            (player(), Usage::now().since(&before).sleeps)
        });
        let outcome = player.join().expect("the player");
        partner.join().expect("the partner");
        outcome
    })
}
