#[cfg(not(loom))]
mod with_real_threads {
    use crate::Signal;
    use crate::mailbox::mailbox;

    #[test]
    fn a_sender_that_was_preempted_in_mid_send_delays_nobody() {
        let mut inbox = mailbox(4, Signal::Nothing);
        let (mut preempted, mut other) = (inbox.sender(), inbox.sender());
        let mut receive = |seen: &mut Vec<_>| inbox.drain(&mut 8, |text| seen.push(text.into_inner()));
        let mut seen = Vec::new();
        preempted.write("it has written, and not yet told").unwrap();
        other.send("others go on").unwrap();
        receive(&mut seen);
        assert_eq!(seen, ["others go on"]);
        preempted.tell().unwrap();
        receive(&mut seen);
        assert_eq!(seen, ["others go on", "it has written, and not yet told"]);
    }

    #[test]
    fn lanes_of_senders_that_went_are_used_again() {
        let mut inbox = mailbox(4, Signal::Nothing);
        for visit in 0..1_000 {
            let mut visitor = inbox.sender();
            visitor.send(visit).unwrap();
            drop(visitor);
            let mut seen = None;
            inbox.drain(&mut 8, |visit| seen = Some(visit.into_inner()));
            assert_eq!(seen, Some(visit));
        }
        assert_eq!(inbox.mailbox.blocks.look(<[_]>::len), 1);
    }

    #[test]
    fn every_sender_gets_its_turn() {
        let mut inbox = mailbox(16, Signal::Nothing);
        let mut senders: Vec<_> = (0..70).map(|_| inbox.sender()).collect();
        for (number, sender) in senders.iter_mut().enumerate() {
            (0..16).for_each(|_| sender.send(number).unwrap());
        }
        // A budget of 16 is one lane: after 70 turns all senders were visited.
        let mut seen = Vec::new();
        for _ in 0..70 {
            inbox.drain(&mut 16, |number| seen.push(number.into_inner()));
        }
        seen.dedup();
        assert_eq!(seen, (0..70).collect::<Vec<_>>());
    }
}

#[cfg(loom)]
mod model {
    use crate::Signal;
    use crate::error::SendError;
    use crate::mailbox::{Inbox, Waited, mailbox};
    use crate::sync::model;
    use loom::sync::Arc;
    use loom::thread;

    /// Sleeps and receives until all senders are gone. Loom finds every wake-up that is lost.
    fn receive_all<T: Send>(inbox: &mut Inbox<T>) -> Vec<T> {
        let mut seen = Vec::new();
        while inbox.wait(None) != Waited::Closed {
            inbox.drain(&mut 1, |value| seen.push(value.into_inner()));
        }
        seen
    }

    /// All that is sent arrives, in order, and the receiver sleeps through none of it.
    #[test]
    fn loom_mailbox_delivers_all_in_order_and_closes() {
        model(3, || {
            let mut inbox = mailbox(2, Signal::Nothing);
            let mut sender = inbox.sender();
            let thread = thread::spawn(move || (1..=2).for_each(|value| sender.send(value).unwrap()));
            assert_eq!(receive_all(&mut inbox), [1, 2]);
            thread.join().unwrap();
        });
    }

    /// Two senders share one word.
    #[test]
    fn loom_mailbox_hears_every_sender() {
        model(2, || {
            let mut inbox = mailbox(1, Signal::Nothing);
            let (mut left, mut right) = (inbox.sender(), inbox.sender());
            let thread = thread::spawn(move || left.send(1).unwrap());
            right.send(10).unwrap();
            drop(right);
            assert_eq!(receive_all(&mut inbox).iter().sum::<i32>(), 11);
            thread.join().unwrap();
        });
    }

    /// Every value is received, dropped with the receiver, or returned.
    #[test]
    fn loom_mailbox_takes_nothing_with_it_silently() {
        model(3, || {
            let mut inbox = mailbox(2, Signal::Nothing);
            let mut sender = inbox.sender();
            let token = Arc::new(());
            let sent = token.clone();
            let thread = thread::spawn(move || {
                (0..2).filter(|_| matches!(sender.send(sent.clone()), Err(SendError::NoReceiver(_)))).count()
            });
            inbox.drain(&mut 1, |value| drop(value));
            drop(inbox);
            thread.join().unwrap();
            assert_eq!(Arc::strong_count(&token), 1);
        });
    }

    /// One sender leaves while another joins and takes over its lane, or one of a new block.
    #[test]
    fn loom_mailbox_gives_a_lane_to_one_sender_at_a_time() {
        model(3, || {
            let mut inbox = mailbox(1, Signal::Nothing);
            let (stays, mut goes) = (inbox.sender(), inbox.sender());
            let thread = thread::spawn(move || {
                goes.send(1).unwrap();
                drop(goes);
                stays.clone().send(10).unwrap();
            });
            let mut sum = 0;
            inbox.drain(&mut 2, |value| sum += value.into_inner());
            thread.join().unwrap();
            inbox.drain(&mut 2, |value| sum += value.into_inner());
            assert_eq!(sum, 11);
        });
    }
}
