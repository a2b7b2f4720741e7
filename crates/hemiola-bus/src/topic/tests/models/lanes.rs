//! One publisher, one receiver, and the slots of the messages from one to the other.

use super::{assert_ascending, bounded};
use crate::signal::Signal;
use crate::sync;
use crate::topic::cell::MessageCell;
use crate::topic::hub::Inlet;
use crate::topic::lane::Lane;
use crate::topic::newest::Newest;
use crate::topic::pool::{Complete, Pool, Reservation, Slots};
use crate::when_full::WhenFull;
use hemiola_model::module::Place;
use std::sync::Arc;

/// Creates a pool for a publisher and its newest message.
fn pool() -> Arc<Pool<u64>> {
    let pool = Arc::new(Pool::new(Place::Outside(0), None));
    pool.reserve(1);
    pool
}

/// Creates a message for a lane, or for so many cells.
fn message(slots: &mut Slots<u64>, value: u64, cells: usize) -> Complete<u64> {
    let mut slot = slots.claim();
    slot.envelope_mut().value = value;
    slot.complete(usize::from(cells == 0), cells)
}

/// Creates a lane for two messages, and for two that the receiver holds.
fn lane(pool: &Arc<Pool<u64>>, when_full: WhenFull) -> sync::Arc<Lane<u64>> {
    let inlet = Inlet::new(2, when_full, Signal::Nothing, None, None);
    sync::Arc::new(Lane::new(&inlet, None, Reservation::new(pool, 4)))
}

/// Sends three messages through a lane for two, while the receiver takes what it finds. Returns how
/// many were dropped, and what was received.
fn through_a_lane(when_full: WhenFull) -> (usize, Vec<u64>) {
    let pool = pool();
    let lane = lane(&pool, when_full);
    let publisher = loom::thread::spawn({
        let (lane, pool) = (lane.clone(), pool.clone());
        move || {
            let mut slots = Slots::new(pool);
            (1..=3).for_each(|value| lane.push(&message(&mut slots, value, 0)));
            lane.counts().dropped as usize
        }
    });
    let receive = || lane.pop().map(|message| *message.value());
    let mut received: Vec<u64> = [receive(), receive()].into_iter().flatten().collect();
    let dropped = publisher.join().unwrap();
    received.extend(std::iter::from_fn(receive));
    drop(lane);
    assert_eq!(pool.in_use(), 0);
    (dropped, received)
}

#[test]
fn loom_a_lane_that_drops_the_oldest_gives_each_message_to_one_side() {
    loom::model(|| {
        let (dropped, received) = through_a_lane(WhenFull::DropOldest);
        assert_eq!(dropped + received.len(), 3);
        assert!(received.is_sorted() && received.ends_with(&[2, 3]) || received.ends_with(&[3]));
    });
}

#[test]
fn loom_a_lane_that_drops_the_newest_keeps_the_order() {
    loom::model(|| {
        let (dropped, received) = through_a_lane(WhenFull::DropNewest);
        assert_eq!(dropped + received.len(), 3);
        assert!(received.starts_with(&[1, 2]) && received.is_sorted());
    });
}

#[test]
fn loom_a_batch_takes_all_or_looks_again() {
    loom::model(|| {
        let pool = pool();
        let lane = lane(&pool, WhenFull::DropOldest);
        let mut slots = Slots::new(pool.clone());
        lane.push(&message(&mut slots, 1, 0));
        lane.push(&message(&mut slots, 2, 0));
        let publisher = loom::thread::spawn({
            let lane = lane.clone();
            move || {
                lane.push(&message(&mut slots, 3, 0));
                lane.counts().dropped as usize
            }
        });
        let mut batch = Vec::with_capacity(2);
        lane.pop_many(&mut batch, 2);
        assert!(batch.windows(2).all(|pair| pair[0].value() < pair[1].value()));
        let received = batch.len();
        drop(batch);
        let dropped = publisher.join().unwrap();
        let rest = std::iter::from_fn(|| lane.pop()).count();
        assert_eq!(received + dropped + rest, 3);
        drop(lane);
        assert_eq!(pool.in_use(), 0);
    });
}

#[test]
fn loom_a_slot_is_written_again_only_after_everybody_has_let_go() {
    loom::model(|| {
        let pool = pool();
        let mut slots = Slots::new(pool.clone());
        let complete = message(&mut slots, 7, 2);
        let readers = [complete.hold(), complete.hold()]
            .map(|message| loom::thread::spawn(move || assert_eq!(message.envelope().value, 7)));
        // The model checker reports if this writes while somebody may read.
        if pool.in_use() == 0 {
            message(&mut slots, 8, 0);
        }
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        message(&mut slots, 9, 0);
        assert_eq!(pool.in_use(), 0);
    });
}

/// Sends messages through a lane for one, until the publisher has used every slot again, while the
/// receiver holds what it got last.
fn around_the_pool(when_full: WhenFull) {
    bounded(move || {
        let pool = pool();
        let inlet = Inlet::new(1, when_full, Signal::Nothing, None, None);
        let lane = sync::Arc::new(Lane::new(&inlet, None, Reservation::new(&pool, 2)));
        let publisher = loom::thread::spawn({
            let (lane, mut slots) = (lane.clone(), Slots::new(pool.clone()));
            // The model checker reports if this writes what the receiver reads. Without a slot to
            // write, the search would not end.
            move || (1..=4).for_each(|value| lane.push(&message(&mut slots, value, 0)))
        });
        assert_ascending((0..2).filter_map(|_| lane.pop().map(|message| *message.value())));
        publisher.join().unwrap();
        drop(lane);
        assert_eq!(pool.in_use(), 0);
    });
}

#[test]
fn loom_a_slot_comes_back_from_a_lane_only_when_its_receiver_is_done() {
    around_the_pool(WhenFull::DropNewest);
}

#[test]
fn loom_a_slot_comes_back_from_a_lane_that_drops_the_oldest() {
    around_the_pool(WhenFull::DropOldest);
}

#[test]
fn loom_a_batch_stays_as_it_is_until_the_next() {
    bounded(|| {
        let pool = pool();
        let lane = lane(&pool, WhenFull::DropNewest);
        let mut slots = Slots::new(pool.clone());
        (1..=2).for_each(|value| lane.push(&message(&mut slots, value, 0)));
        let publisher = loom::thread::spawn({
            let lane = lane.clone();
            // With four slots for the lane and its receiver, the last of these messages goes into
            // the slot of the first message of all.
            move || (3..=6).for_each(|value| lane.push(&message(&mut slots, value, 0)))
        });
        let mut batch = Vec::with_capacity(2);
        let mut last = 0;
        for _ in 0..3 {
            lane.pop_many(&mut batch, 2);
            for message in batch.drain(..) {
                assert!(*message.value() > last);
                last = *message.value();
            }
        }
        publisher.join().unwrap();
        drop(lane);
        assert_eq!(pool.in_use(), 0);
    });
}

#[test]
fn loom_a_lane_that_is_closed_comes_back_when_its_receiver_is_done() {
    loom::model(|| {
        let pool = pool();
        let lane = lane(&pool, WhenFull::DropNewest);
        let mut slots = Slots::new(pool.clone());
        lane.push(&message(&mut slots, 1, 0));
        let publisher = loom::thread::spawn({
            let lane = lane.clone();
            move || {
                // The publisher does this when it has seen a list change for another reason.
                lane.take_back_if_closed();
                (2..=6).for_each(|value| _ = message(&mut slots, value, 0));
            }
        });
        assert_eq!(lane.pop().map(|message| *message.value()), Some(1));
        lane.close();
        publisher.join().unwrap();
        lane.take_back_if_closed();
        assert_eq!(pool.in_use(), 0);
    });
}

#[test]
fn loom_a_cell_gives_each_message_to_one_side() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(Place::Outside(0), None));
        pool.reserve(3);
        let cell = Arc::new(MessageCell::new());
        let publisher = loom::thread::spawn({
            let (cell, pool) = (cell.clone(), pool.clone());
            move || {
                let mut slots = Slots::new(pool);
                (1..=2).filter(|value| cell.replace(message(&mut slots, *value, 1).hold()).is_some()).count()
            }
        });
        let mut newest = 0;
        let mut taken = 0;
        let mut look = || {
            if let Some(message) = cell.take() {
                assert!(message.envelope().value > newest);
                newest = message.envelope().value;
                taken += 1;
            }
        };
        look();
        let replaced = publisher.join().unwrap();
        look();
        assert_eq!((newest, taken + replaced), (2, 2));
        assert_eq!(pool.in_use(), 0);
    });
}

/// The model checker reports if the publisher writes what the receiver reads.
#[test]
fn loom_the_newest_message_is_the_receivers_until_it_takes_another() {
    bounded(|| {
        let pool = Arc::new(Pool::new(Place::Outside(0), None));
        pool.reserve(3);
        let newest = Arc::new(Newest::new());
        let mut slots = Slots::new(pool.clone());
        newest.put(message(&mut slots, 1, 1).hold());
        let publisher = loom::thread::spawn({
            let newest = newest.clone();
            move || {
                let mut replaced = 0;
                // The last one goes into the slot that the receiver may have given back.
                for value in 2..=4 {
                    let (old, was_new) = newest.put(message(&mut slots, value, 1).hold());
                    replaced += usize::from(was_new);
                    old.into_iter().for_each(|old| slots.reuse(old));
                }
                replaced
            }
        });
        let (mut front, mut last, mut taken) = (None, 0, 0);
        let mut look = || {
            if newest.take(&mut front) {
                taken += 1;
                let value = front.as_ref().map_or(0, |message| message.envelope().value);
                assert!(value > last);
                last = value;
            }
        };
        look();
        look();
        let replaced = publisher.join().unwrap();
        look();
        assert_eq!((last, taken + replaced), (4, 4));
        drop(front);
        newest.clear();
        assert_eq!(pool.in_use(), 0);
    });
}

/// The model checker reports if one publisher reads what the other has not finished.
#[test]
fn loom_the_first_of_the_newest_messages_may_come_from_anybody() {
    loom::model(|| {
        let pools = [0, 1].map(|place| Arc::new(Pool::new(Place::Outside(place), None)));
        pools.iter().for_each(|pool| pool.reserve(1));
        let [mut first, mut second] = pools.each_ref().map(|pool| Slots::new(pool.clone()));
        let (last, newest) = (Arc::new(MessageCell::new()), Arc::new(Newest::new()));
        let publishers = [
            loom::thread::spawn({
                let last = last.clone();
                move || drop(last.replace(message(&mut first, 1, 2).hold()))
            }),
            loom::thread::spawn({
                let newest = newest.clone();
                move || {
                    let (old, was_new) = newest.put(message(&mut second, 2, 1).hold());
                    assert_eq!(old.map(|old| old.envelope().value), was_new.then_some(1));
                }
            }),
        ];
        last.take().into_iter().for_each(|message| newest.put_if_empty(message));
        publishers.into_iter().for_each(|publisher| publisher.join().unwrap());
        let mut front = None;
        assert!(newest.take(&mut front) && front.is_some_and(|message| message.envelope().value == 2));
    });
}
