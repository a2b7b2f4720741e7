#[cfg(loom)]
mod model {
    use crate::error::SendError;
    use crate::event_loop::claims::Claims;
    use crate::event_loop::{EventLoop, WaitStrategy};
    use crate::mailbox::Waited;
    use crate::sync::model;
    use loom::thread;

    /// Two producers and a consumer that sleeps: nothing is lost, doubled or torn.
    #[test]
    fn loom_event_loop_with_many_producers_delivers_all() {
        model(3, || {
            let mut events = EventLoop::<u32>::new(2);
            let mut consumer = events.consumer(WaitStrategy::Park);
            let mut left = events.producer();
            let mut right = left.clone();
            let thread = thread::spawn(move || left.publish(|event| *event = 1).unwrap());
            right.publish(|event| *event = 10).unwrap();
            drop(right);
            let mut sum = 0;
            while consumer.wait_until(None) != Waited::Closed {
                consumer.poll(|event| sum += event);
            }
            assert_eq!(sum, 11);
            thread.join().unwrap();
        });
    }

    /// The ring goes round; an event is written again only when the consumer is done with it.
    fn goes_round<E, C: Claims>(mut events: EventLoop<E, C>)
    where
        E: From<u32> + Clone + PartialEq + Default + Send + Sync + 'static,
    {
        let mut consumer = events.consumer(WaitStrategy::Spin);
        let mut producer = events.producer();
        let thread = thread::spawn(move || {
            let is_sent = |value: u32| producer.publish(|event| *event = value.into()).is_ok();
            (1..=3).map(is_sent).collect::<Vec<_>>()
        });
        let mut seen = Vec::new();
        consumer.poll(|event| seen.push(event.clone()));
        consumer.poll(|event| seen.push(event.clone()));
        let sent = thread.join().unwrap();
        consumer.poll(|event| seen.push(event.clone()));
        let expected: Vec<E> = (1..=3).zip(sent).filter(|(_, sent)| *sent).map(|(value, _)| E::from(value)).collect();
        assert!(seen == expected);
    }

    #[test]
    fn loom_event_loop_with_one_producer_goes_round() {
        model(3, || goes_round(EventLoop::<u32>::for_one_producer(1)));
    }

    /// The same with marks beside the events, which many producers need, instead of a counter.
    #[test]
    fn loom_event_loop_with_many_producers_goes_round() {
        model(3, || goes_round(EventLoop::<u32>::new(1)));
    }

    /// An event that does not fit into a line with its mark.
    #[derive(Clone, PartialEq, Default)]
    struct Large([u32; 16]);

    impl From<u32> for Large {
        fn from(value: u32) -> Self {
            Self([value; 16])
        }
    }

    /// The same with marks apart from the events, as large ones have them.
    #[test]
    fn loom_event_loop_with_large_events_goes_round() {
        model(3, || goes_round(EventLoop::<Large>::new(1)));
    }

    /// A consumer sees whole events, after the one that it follows, also when that one leaves.
    #[test]
    fn loom_event_loop_keeps_consumers_in_order() {
        model(3, || {
            let mut events = EventLoop::for_one_producer(2);
            let mut first = events.consumer(WaitStrategy::Park);
            let mut second = events.consumer_after(&[&first], WaitStrategy::Park);
            let mut producer = events.producer();
            producer.publish(|event| *event = 1).unwrap();
            let thread = thread::spawn(move || {
                let mut seen = 0;
                first.poll(|event| seen += event);
                assert_eq!(seen, 1);
            });
            assert_eq!(second.wait_until(None), Waited::Ready);
            let mut seen = 0;
            second.poll(|event| seen += event);
            assert_eq!(seen, 1);
            thread.join().unwrap();
            producer.publish(|event| *event = 2).unwrap();
            assert_eq!(second.poll(|event| seen += event), 1);
            drop(second);
            assert!(matches!(producer.publish(|event| *event = 3), Err(SendError::NoReceiver(_))));
        });
    }
}
