use super::*;

#[cfg(not(loom))]
mod with_real_threads {
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn taken(set: &WakeupSet) -> Vec<usize> {
        let mut events = Vec::new();
        set.take(|event| events.push(event));
        events
    }

    #[test]
    fn what_was_notified_is_taken_once_and_in_order() {
        let set = WakeupSet::new(10_000, || panic!("nobody sleeps"));
        [9_999, 3, 4_032, 64, 3].into_iter().for_each(|event| set.event(event).notify_one());
        assert_eq!(taken(&set), [3, 64, 4_032, 9_999]);
        assert!(taken(&set).is_empty());
    }

    #[test]
    fn one_ring_ends_a_sleep_however_many_notify() {
        let rings = Arc::new(AtomicUsize::new(0));
        let bell = rings.clone();
        let set = WakeupSet::new(100, move || _ = bell.fetch_add(1, Ordering::Relaxed));
        for sleep in 1..=3 {
            assert!(set.prepare_to_sleep());
            (0..100).for_each(|event| set.event(event).notify_all());
            assert_eq!(rings.load(Ordering::Relaxed), sleep);
            assert_eq!(taken(&set).len(), 100);
        }
        set.event(5).notify_one();
        assert!(!set.prepare_to_sleep(), "there is something to take");
        assert_eq!(rings.load(Ordering::Relaxed), 3, "nobody sleeps: no ring");
    }

    #[test]
    fn an_event_of_a_set_can_be_waited_for_by_itself() {
        let set = WakeupSet::new(1, || ());
        let event = set.event(0);
        let seen = event.generation();
        thread::scope(|scope| {
            let waiting = event.clone();
            let waiter = scope.spawn(move || waiting.wait(seen, None));
            event.notify_all();
            assert_eq!(waiter.join().unwrap(), super::super::super::Reason::Signalled);
        });
        assert_eq!(taken(&set), [0]);
    }

    /// Four threads count up, each with an event of its own. If a wake-up were lost, the waiter
    /// would sleep for ever.
    #[test]
    fn no_notification_is_lost_however_often_the_waiter_sleeps() {
        const EACH: usize = 20_000;
        let (bell, rung) = mpsc::sync_channel(1);
        let set = WakeupSet::new(300, move || _ = bell.try_send(()));
        let counts: [AtomicUsize; 4] = Default::default();
        thread::scope(|scope| {
            for (index, count) in counts.iter().enumerate() {
                let event = set.event(index * 99);
                scope.spawn(move || {
                    for _ in 0..EACH {
                        count.fetch_add(1, Ordering::Relaxed);
                        event.notify_one();
                    }
                });
            }
            let mut received = 0;
            while received < 4 * EACH {
                if set.prepare_to_sleep() {
                    rung.recv().unwrap();
                }
                set.take(|event| received += counts[event / 99].swap(0, Ordering::Relaxed));
            }
        });
    }
}

/// Tries every interleaving of the protocol:
/// `RUSTFLAGS="--cfg loom" cargo test -p hemiola-realtime --lib wakeup`
#[cfg(loom)]
mod in_every_interleaving {
    use loom::sync::atomic::AtomicUsize;
    use loom::sync::{Arc, Condvar, Mutex};
    use loom::thread;

    use super::*;

    /// A model of a sleep in `epoll_wait` with a descriptor of events: a ring is kept until a sleep
    /// takes it.
    #[derive(Default)]
    struct Bell {
        is_rung: Mutex<bool>,
        rung: Condvar,
    }

    impl Bell {
        fn ring(&self) {
            *self.is_rung.lock().unwrap() = true;
            self.rung.notify_one();
        }

        fn sleep(&self) {
            let mut is_rung = self.is_rung.lock().unwrap();
            while !*is_rung {
                is_rung = self.rung.wait(is_rung).unwrap();
            }
            *is_rung = false;
        }
    }

    /// Receives what `senders` send, one after the other in each list, as the thread of links does.
    /// A lost wake-up is a deadlock, which loom reports.
    fn deliver(events: usize, senders: Vec<Vec<usize>>) {
        let bell = Arc::new(Bell::default());
        let rung = bell.clone();
        let set = WakeupSet::new(events, move || rung.ring());
        let messages: usize = senders.iter().map(Vec::len).sum();
        let waiting: Arc<Vec<AtomicUsize>> = Arc::new((0..events).map(|_| AtomicUsize::new(0)).collect());
        let senders: Vec<_> = senders
            .into_iter()
            .map(|sent| {
                let waiting = waiting.clone();
                let sent: Vec<_> = sent.into_iter().map(|event| (event, set.event(event))).collect();
                thread::spawn(move || {
                    for (number, event) in sent {
                        waiting[number].fetch_add(1, Ordering::Relaxed);
                        event.notify_one();
                    }
                })
            })
            .collect();
        let mut received = 0;
        while received < messages {
            set.take(|event| received += waiting[event].swap(0, Ordering::Relaxed));
            if received < messages && set.prepare_to_sleep() {
                bell.sleep();
            }
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    }

    fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(check);
    }

    #[test]
    fn no_notifier_leaves_the_waiter_asleep() {
        model(3, || deliver(2, vec![vec![0], vec![1]]));
    }

    #[test]
    fn a_notifier_that_comes_again_ends_every_sleep() {
        model(4, || deliver(1, vec![vec![0, 0]]));
    }

    #[test]
    fn two_that_notify_one_event_are_both_seen() {
        model(3, || deliver(1, vec![vec![0], vec![0]]));
    }

    /// With events of two leaves, the waiter takes a leaf between the two steps of its notifier.
    #[test]
    fn no_bit_is_left_behind_in_a_leaf() {
        model(3, || deliver(65, vec![vec![0, 64]]));
    }
}
