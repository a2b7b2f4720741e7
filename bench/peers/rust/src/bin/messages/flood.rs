//! An executor that handles messages in the order of arrival.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Sender, unbounded};
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::flood::{CAPACITY, Callbacks, Feeder, measure};

pub fn run(assignment: &Assignment) {
    match assignment.contestant() {
        "crossbeam-channel" => measure(assignment, in_order),
        other => super::unknown("contestant", other),
    }
}

enum Message {
    First(u64),
    Second(u64),
    Unimportant,
}

struct Feeding {
    sender: Sender<Message>,
    unimportant: Arc<AtomicUsize>,
}

impl Feeder for Feeding {
    fn important(&mut self, stamp: u64) {
        self.sender.send(Message::First(stamp)).expect("the executor");
    }

    fn unimportant(&mut self) {
        if self.unimportant.load(Ordering::Relaxed) < CAPACITY {
            self.unimportant.fetch_add(1, Ordering::Relaxed);
            // The executor may have ended.
            _ = self.sender.send(Message::Unimportant);
        }
    }
}

/// Makes an executor in the order of arrival. The chain always finds room: only unimportant
/// messages are bounded, by a count of them.
fn in_order(callbacks: Callbacks) -> (Feeding, impl FnOnce() + Send) {
    let (sender, receiver) = unbounded();
    let unimportant = Arc::<AtomicUsize>::default();
    let (own, waiting) = (sender.clone(), Arc::clone(&unimportant));
    let execute = move || {
        while !callbacks.is_over() {
            match receiver.recv().expect("this thread sends, too") {
                Message::First(stamp) => {
                    own.send(Message::Second(callbacks.first(stamp))).expect("this thread receives")
                }
                Message::Second(stamp) => callbacks.second(stamp),
                Message::Unimportant => {
                    waiting.fetch_sub(1, Ordering::Relaxed);
                    callbacks.unimportant();
                }
            }
        }
    };
    (Feeding { sender, unimportant }, execute)
}
