use super::*;

#[cfg(not(loom))]
mod with_real_threads {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread;

    use super::*;

    #[test]
    fn nobody_stands_in_while_the_duty_is_done_or_after_its_end() {
        let duty = Arc::new(Duty::default());
        let tried = || duty.stand_in(|set: &WakeupSet| set, |_| true);
        assert!(!tried(), "it has not begun");
        duty.begin(WakeupSet::new(1, || ()));
        assert!(tried());
        assert_eq!(duty.hold(|_| tried()), Some(false));
        assert!(!duty.stand_in(|set| set, |_| false), "something is left");
        assert!(duty.end().is_some() && !tried());
        assert_eq!(duty.hold(|_| ()), None);
    }

    #[test]
    fn what_is_notified_without_end_is_left_to_the_thread() {
        let duty = Arc::new(Duty::default());
        let set = WakeupSet::new(1, || ());
        let event = set.event(0);
        duty.begin(set);
        let mut rounds = 0;
        let serve = |set: &mut WakeupSet| {
            set.take(|_| ());
            event.notify_one();
            rounds += 1;
            true
        };
        assert!(!duty.stand_in(|set| set, serve));
        assert_eq!(rounds, MOST_ROUNDS);
    }

    /// The state of a thread that receives what others send.
    struct Receiving {
        set: WakeupSet,
        sent: Arc<[AtomicUsize; 4]>,
        received: usize,
    }

    impl Receiving {
        fn receive(&mut self) {
            let Self { set, sent, received } = self;
            set.take(|event| *received += sent[event].swap(0, Ordering::Relaxed));
        }
    }

    /// Four threads count up, each with an event of its own; two of them stand in. If a wake-up
    /// were lost, the waiter would sleep for ever.
    #[test]
    fn no_notification_is_lost_whoever_does_the_duty() {
        const EACH: usize = 20_000;
        thread_local! {
            static STANDS_IN: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
        }
        let (bell, rung) = mpsc::sync_channel(1);
        let (duty, sent) = (Arc::new(Duty::default()), Arc::new(<[AtomicUsize; 4]>::default()));
        let ring = {
            let duty = duty.clone();
            let serve = |work: &mut Receiving| {
                work.receive();
                true
            };
            move || {
                if !STANDS_IN.get() || !duty.stand_in(|work: &Receiving| &work.set, serve) {
                    _ = bell.try_send(());
                }
            }
        };
        let set = WakeupSet::new(4, ring);
        let events = [0, 1, 2, 3].map(|event| set.event(event));
        duty.begin(Receiving { set, sent: sent.clone(), received: 0 });
        thread::scope(|scope| {
            for (index, event) in events.into_iter().enumerate() {
                let sent = &sent;
                scope.spawn(move || {
                    STANDS_IN.set(index % 2 == 0);
                    for _ in 0..EACH {
                        sent[index].fetch_add(1, Ordering::Relaxed);
                        event.notify_one();
                    }
                    // The thread may have received less than those who stood in for it.
                    STANDS_IN.set(false);
                    event.notify_one();
                });
            }
            let sleeps = || {
                duty.hold(|work| {
                    work.receive();
                    (work.received < 4 * EACH).then(|| work.set.prepare_to_sleep())
                })
            };
            while let Some(Some(sleeps)) = sleeps() {
                if sleeps {
                    rung.recv().unwrap();
                }
            }
        });
        assert_eq!(duty.end().map(|work| work.received), Some(4 * EACH));
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
    use crate::sync::Ordering;
    use crate::wakeup::Wakeup;

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

    struct Receiving {
        set: WakeupSet,
        sent: Arc<Vec<AtomicUsize>>,
        received: usize,
        /// The last event is that of the end, which only the thread handles.
        is_over: bool,
    }

    impl Receiving {
        fn receive(&mut self) -> bool {
            let Self { set, sent, received, is_over } = self;
            set.take(|event| match sent.get(event) {
                Some(sent) => *received += sent.swap(0, Ordering::Relaxed),
                None => *is_over = true,
            });
            !*is_over
        }
    }

    /// Receives what `senders` send, one after the other in each list, on the thread or on those of
    /// the senders, each of which stands in for it if it can. Each sender ends with an event that
    /// only the thread handles. A lost wake-up is a deadlock, which loom reports.
    fn deliver(senders: Vec<Vec<usize>>) {
        let events = senders.len();
        let (bell, duty) = (Arc::new(Bell::default()), Arc::new(Duty::default()));
        let ring = {
            let (bell, duty) = (bell.clone(), duty.clone());
            move || {
                if !duty.stand_in(|work: &Receiving| &work.set, Receiving::receive) {
                    bell.ring();
                }
            }
        };
        let set = WakeupSet::new(events + 1, ring);
        let over = set.event(events);
        let messages: usize = senders.iter().map(Vec::len).sum();
        let sent: Arc<Vec<AtomicUsize>> = Arc::new((0..events).map(|_| AtomicUsize::new(0)).collect());
        let left = Arc::new(AtomicUsize::new(events));
        let senders: Vec<(Vec<usize>, Vec<std::sync::Arc<Wakeup>>)> = senders
            .into_iter()
            .map(|numbers| {
                let events = numbers.iter().map(|&number| set.event(number)).collect();
                (numbers, events)
            })
            .collect();
        duty.begin(Receiving { set, sent: sent.clone(), received: 0, is_over: false });
        let senders: Vec<_> = senders
            .into_iter()
            .map(|(numbers, events)| {
                let (sent, over, left) = (sent.clone(), over.clone(), left.clone());
                thread::spawn(move || {
                    for (number, event) in numbers.into_iter().zip(events) {
                        sent[number].fetch_add(1, Ordering::Relaxed);
                        event.notify_one();
                    }
                    if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                        over.notify_one();
                    }
                })
            })
            .collect();
        loop {
            let sleeps = duty.hold(|work| work.receive().then(|| work.set.prepare_to_sleep()));
            match sleeps.flatten() {
                None => break,
                Some(true) => bell.sleep(),
                Some(false) => {}
            }
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        // The set's ring refers to the duty, which has to let go of the set.
        let mut work = duty.end().unwrap();
        work.receive();
        assert_eq!(work.received, messages);
    }

    fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(check);
    }

    #[test]
    fn a_notifier_does_the_duty_or_ends_the_sleep() {
        model(4, || deliver(vec![vec![0, 0]]));
    }

    #[test]
    fn of_two_notifiers_neither_relies_on_the_other_in_vain() {
        model(3, || deliver(vec![vec![0], vec![1]]));
    }
}
