use super::*;

#[cfg(not(loom))]
mod with_real_threads {
    use super::*;
    use crate::time::monotonic_now;
    use std::sync::atomic::AtomicU32;
    use std::thread;
    use std::time::Duration;

    /// Returns a deadline so far away that a lost wake-up fails the test instead of hanging it.
    fn lost() -> Option<MonotonicTime> {
        Some(monotonic_now() + Duration::from_secs(60))
    }

    #[test]
    fn a_signal_since_the_generation_seen_ends_the_wait_at_once() {
        let wakeup = Wakeup::new();
        let seen = wakeup.generation();
        wakeup.notify_one();
        assert_eq!(wakeup.wait(seen, None), Reason::Signalled);
        assert_eq!(wakeup.spin(seen, monotonic_now()), Reason::Signalled);
        assert_eq!(wakeup.spin_then_wait(seen, monotonic_now(), None), Reason::Signalled);
    }

    #[test]
    fn without_a_signal_every_wait_ends_at_its_deadline_and_not_before() {
        let wakeup = Wakeup::new();
        let seen = wakeup.generation();
        let waits: [&dyn Fn(MonotonicTime) -> Reason; 3] =
            [&|deadline| wakeup.wait(seen, Some(deadline)), &|deadline| wakeup.spin(seen, deadline), &|deadline| {
                wakeup.spin_then_wait(seen, deadline - Duration::from_millis(1), Some(deadline))
            }];
        for wait in waits {
            let deadline = monotonic_now() + Duration::from_millis(3);
            assert_eq!(wait(deadline), Reason::TimedOut);
            assert!(monotonic_now() >= deadline);
        }
        assert_eq!(wakeup.advance(), 0, "nobody is counted as asleep any more");
    }

    #[test]
    fn the_generation_wraps_without_touching_the_sleepers() {
        let wakeup = Wakeup { word: AtomicU64::new((u64::from(u32::MAX) << 32) | 3), ..Wakeup::new() };
        assert_eq!(wakeup.advance(), 3);
        assert_eq!(wakeup.word.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn notify_all_wakes_all_who_sleep() {
        let wakeup = Wakeup::new();
        let seen = wakeup.generation();
        thread::scope(|scope| {
            let sleepers: Vec<_> = (0..4).map(|_| scope.spawn(|| wakeup.wait(seen, lost()))).collect();
            while wakeup.word.load(Ordering::Relaxed) as u32 != 4 {
                thread::yield_now();
            }
            wakeup.notify_all();
            for sleeper in sleepers {
                assert_eq!(sleeper.join().unwrap(), Reason::Signalled);
            }
        });
    }

    #[test]
    fn notify_one_signals_each_sleeper_once_when_called_as_often() {
        let wakeup = Wakeup::new();
        let seen = wakeup.generation();
        thread::scope(|scope| {
            let sleepers: Vec<_> = (0..3).map(|_| scope.spawn(|| wakeup.wait(seen, lost()))).collect();
            while wakeup.word.load(Ordering::Relaxed) as u32 != 3 {
                thread::yield_now();
            }
            (0..3).for_each(|_| wakeup.notify_one());
            for sleeper in sleepers {
                assert_eq!(sleeper.join().unwrap(), Reason::Signalled);
            }
        });
    }

    /// A token goes back and forth. If one wake-up were lost, a wait would last 20 s and end with
    /// `TimedOut`.
    #[test]
    fn two_threads_hand_a_token_over_10_000_times_whether_they_sleep_or_spin() {
        const ROUNDS: u32 = 10_000;
        let (token, ping, pong) = (AtomicU32::new(0), Wakeup::new(), Wakeup::new());
        let take_turns = |mine: &Wakeup, theirs: &Wakeup, parity: u32| {
            for round in (parity..2 * ROUNDS).step_by(2) {
                loop {
                    let seen = mine.generation();
                    if token.load(Ordering::Relaxed) == round {
                        break;
                    }
                    // Every third wait spins for up to 5 µs first, so that all phases meet all
                    // others.
                    let spin = Duration::from_micros(if round % 3 == 0 { 5 } else { 0 });
                    assert_eq!(mine.spin_then_wait(seen, monotonic_now() + spin, lost()), Reason::Signalled);
                }
                token.store(round + 1, Ordering::Relaxed);
                theirs.notify_one();
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| take_turns(&ping, &pong, 0));
            take_turns(&pong, &ping, 1);
        });
        assert_eq!(token.into_inner(), 2 * ROUNDS);
    }

    /// Workers receive items from a counter; each item is announced with `notify_one`. All are
    /// received although the workers sleep.
    #[test]
    fn no_announced_item_is_left_lying_while_a_worker_sleeps() {
        const ITEMS: u32 = 20_000;
        let (available, taken, wakeup) = (AtomicU32::new(0), AtomicU32::new(0), Wakeup::new());
        let take =
            || available.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |items| items.checked_sub(1)).is_ok();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let seen = wakeup.generation();
                        if take() {
                            if taken.fetch_add(1, Ordering::Relaxed) + 1 == ITEMS {
                                wakeup.notify_all();
                            }
                        } else if taken.load(Ordering::Relaxed) == ITEMS {
                            return;
                        } else {
                            assert_eq!(wakeup.wait(seen, lost()), Reason::Signalled);
                        }
                    }
                });
            }
            for _ in 0..ITEMS {
                available.fetch_add(1, Ordering::Relaxed);
                wakeup.notify_one();
            }
        });
        assert_eq!(taken.into_inner(), ITEMS);
    }
}

/// Tries every interleaving of the protocol:
/// `RUSTFLAGS="--cfg loom" cargo test -p hemiola-realtime --lib wakeup`
#[cfg(loom)]
mod in_every_interleaving {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread;

    /// Waits until `condition` holds, as users do. A lost wake-up is a deadlock, which loom
    /// reports.
    fn wait_until(wakeup: &Wakeup, condition: impl Fn() -> bool) {
        loop {
            let seen = wakeup.generation();
            if condition() {
                return;
            }
            wakeup.wait(seen, None);
        }
    }

    /// Returns a model of all interleavings of at most two preemptions, for three threads: more
    /// would take minutes and find, by experience, little.
    fn three_threads() -> loom::model::Builder {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model
    }

    #[test]
    fn a_waiter_sees_what_was_written_before_the_signal() {
        loom::model(|| {
            let shared = Arc::new((Wakeup::new(), AtomicUsize::new(0)));
            let waiter = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || wait_until(&shared.0, || shared.1.load(Ordering::Relaxed) == 1))
            };
            shared.1.store(1, Ordering::Relaxed);
            shared.0.notify_one();
            waiter.join().unwrap();
            assert_eq!(shared.0.advance(), 0, "nobody is counted as asleep any more");
        });
    }

    #[test]
    fn two_waiters_are_both_woken_by_notify_all() {
        three_threads().check(|| {
            let shared = Arc::new((Wakeup::new(), AtomicUsize::new(0)));
            let waiters: Vec<_> = (0..2)
                .map(|_| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || wait_until(&shared.0, || shared.1.load(Ordering::Relaxed) == 1))
                })
                .collect();
            shared.1.store(1, Ordering::Relaxed);
            shared.0.notify_all();
            for waiter in waiters {
                waiter.join().unwrap();
            }
        });
    }

    #[test]
    fn one_signal_per_item_suffices_for_two_workers() {
        three_threads().check(|| {
            let shared = Arc::new((Wakeup::new(), AtomicUsize::new(0)));
            let workers: Vec<_> = (0..2)
                .map(|_| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || {
                        wait_until(&shared.0, || {
                            shared
                                .1
                                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |items| items.checked_sub(1))
                                .is_ok()
                        });
                    })
                })
                .collect();
            for _ in 0..2 {
                shared.1.fetch_add(1, Ordering::Relaxed);
                shared.0.notify_one();
            }
            for worker in workers {
                worker.join().unwrap();
            }
        });
    }
}
