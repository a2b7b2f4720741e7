use super::*;
use crate::{Core, Ticks, ids::TaskId};

/// Creates an event all of whose words hold its number, so that a torn event is noticed.
fn numbered(number: u64) -> Event {
    Event::TaskRun {
        task: TaskId(number as u16),
        core: Core(number as u8),
        run: number as u32,
        ready: Ticks(number),
        begin: Ticks(number),
        end: Ticks(number),
    }
}

/// Returns the number of a numbered event; panics if its words do not agree.
fn number_of(event: &Event) -> u64 {
    let Event::TaskRun { task, core, run, ready, begin, end } = *event else {
        panic!("not written by the test: {event:?}")
    };
    assert!(
        ready == begin && begin == end && run == end.0 as u32 && task.0 == end.0 as u16 && core.0 == end.0 as u8,
        "torn: {event:?}"
    );
    end.0
}

#[cfg(not(loom))]
mod threads {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering as Order};

    fn numbers(reader: &mut RingReader) -> (Vec<u64>, u64) {
        let mut events = Vec::new();
        let lost = reader.read(&mut events);
        (events.iter().map(number_of).collect(), lost)
    }

    #[test]
    fn a_reader_gets_every_event_once_and_in_order() {
        let mut ring = Ring::with_capacity(256);
        let mut reader = ring.reader();
        for number in 0..100 {
            ring.push(numbered(number));
        }
        assert_eq!(numbers(&mut reader), ((0..100).collect(), 0));
        for number in 100..130 {
            ring.push(numbered(number));
        }
        assert_eq!(numbers(&mut reader), ((100..130).collect(), 0));
        assert_eq!(numbers(&mut reader), (vec![], 0));
    }

    #[test]
    fn overwritten_events_are_counted() {
        let mut ring = Ring::with_capacity(8);
        let mut reader = ring.reader();
        for number in 0..100 {
            ring.push(numbered(number));
        }
        assert_eq!(reader.backlog(), 100);
        assert_eq!(numbers(&mut reader), ((93..100).collect(), 93));
    }

    #[test]
    fn a_new_reader_starts_at_the_oldest_event_and_has_lost_nothing() {
        let mut ring = Ring::with_capacity(8);
        for number in 0..20 {
            ring.push(numbered(number));
        }
        assert_eq!(numbers(&mut ring.reader()), ((13..20).collect(), 0));
    }

    #[test]
    fn clones_read_independently_and_rewind_gets_the_past_again() {
        let mut ring = Ring::with_capacity(8);
        let mut first = ring.reader();
        for number in 0..5 {
            ring.push(numbered(number));
        }
        let mut second = first.clone();
        assert_eq!(numbers(&mut first).0, [0, 1, 2, 3, 4]);
        assert_eq!(numbers(&mut second).0, [0, 1, 2, 3, 4]);
        first.rewind();
        assert_eq!(numbers(&mut first).0, [0, 1, 2, 3, 4]);
        second.rewind();
        second.skip_to_present();
        assert_eq!(numbers(&mut second), (vec![], 0));
    }

    #[test]
    fn the_capacity_is_a_power_of_two_less_the_slot_being_written() {
        for (asked, expected) in [(0, 1), (2, 1), (3, 3), (8, 7), (1000, 1023)] {
            assert_eq!(Ring::with_capacity(asked).capacity(), expected);
        }
    }

    #[test]
    fn a_reader_sees_the_writer_go_and_still_gets_its_last_events() {
        let mut ring = Ring::with_capacity(8);
        let mut reader = ring.reader();
        ring.push(numbered(0));
        assert!(!reader.is_closed());
        drop(ring);
        assert!(reader.is_closed());
        assert_eq!(numbers(&mut reader), (vec![0], 0));
    }

    /// Two readers beside a writer that laps them all the time see nothing torn and nothing out of
    /// order, and events that are not read are counted.
    #[test]
    fn readers_beside_a_lapping_writer_account_for_every_event() {
        const EVENTS: u64 = 300_000;
        let mut ring = Ring::with_capacity(16);
        let readers = [ring.reader(), ring.reader()];
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for mut reader in readers {
                let done = &done;
                scope.spawn(move || {
                    let (mut events, mut next) = (Vec::new(), 0);
                    loop {
                        let last = done.load(Order::Acquire);
                        events.clear();
                        let lost = reader.read(&mut events);
                        let read = events.len() as u64;
                        let mut previous = None;
                        for number in events.iter().map(number_of) {
                            assert!(number >= next && previous < Some(number));
                            previous = Some(number);
                        }
                        next += read + lost;
                        if let Some(previous) = previous {
                            // The last event kept is either the newest, or was followed by lost
                            // events only.
                            assert!(previous < next);
                        }
                        if last {
                            break;
                        }
                    }
                    assert_eq!(next, EVENTS);
                });
            }
            for number in 0..EVENTS {
                ring.push(numbered(number));
            }
            done.store(true, Order::Release);
        });
    }
}

#[cfg(loom)]
mod models {
    use super::*;
    use loom::thread;

    /// The writer laps the reader at any point of a read: events that are kept are intact and in
    /// order, and the rest is counted.
    #[test]
    fn loom_a_lapped_reader_never_keeps_a_torn_event() {
        const EVENTS: u64 = 4;
        loom::model(|| {
            let mut ring = Ring::with_capacity(2);
            let mut reader = ring.reader();
            let writer = thread::spawn(move || {
                for number in 0..EVENTS {
                    ring.push(numbered(number));
                }
                ring
            });
            let mut events = Vec::new();
            let mut accounted = reader.read(&mut events) + events.len() as u64;
            for pair in events.windows(2) {
                assert!(number_of(&pair[0]) < number_of(&pair[1]));
            }
            assert!(events.iter().all(|event| number_of(event) < accounted));
            drop(writer.join().unwrap());
            events.clear();
            accounted += reader.read(&mut events) + events.len() as u64;
            assert_eq!(accounted, EVENTS);
            assert_eq!(events.last().map_or(EVENTS - 1, number_of), EVENTS - 1);
        });
    }

    /// An event that was counted as pushed before the read is read.
    #[test]
    fn loom_two_readers_do_not_disturb_each_other() {
        loom::model(|| {
            let mut ring = Ring::with_capacity(4);
            ring.push(numbered(0));
            let mut readers = [ring.reader(), ring.reader()];
            let other = readers[1].clone();
            let thread = thread::spawn(move || {
                let (mut reader, mut events) = (other, Vec::new());
                assert_eq!(reader.read(&mut events), 0);
                assert!(!events.is_empty());
                events.iter().enumerate().for_each(|(index, event)| assert_eq!(number_of(event), index as u64));
            });
            ring.push(numbered(1));
            let mut events = Vec::new();
            assert_eq!(readers[0].read(&mut events), 0);
            assert_eq!(events.len(), 2);
            thread.join().unwrap();
        });
    }
}
