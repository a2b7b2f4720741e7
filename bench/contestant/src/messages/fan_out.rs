//! One topic, N modules that subscribe to it, M messages, one thread: add the subscribers,
//! synchronise, send, synchronise, tear down.
//!
//! A delivery is a dynamic call that counts the message and adds its number in the module. The time
//! is that of all five steps; beside it stands what sending and delivering take per delivery.
//!
//! After that it is done once more for the memory that it takes, from making the topic to the end;
//! the program's allocator must be [`CountAllocations`].

use super::Assignment;
use super::assignment::print;
use crate::sync::{AtomicU64, Ordering};
use crate::{CountAllocations, monotonic_ns};

/// The message that is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The number of the message; the first is 0.
    pub sequence: u64,
    /// Unused bytes, so that a message has 16.
    pub padding: u64,
}

/// A module, which counts what it receives. Only one thread uses it; atomics, which here cost no
/// more than plain numbers, let it be shared with contestants whose callbacks may run anywhere.
#[derive(Debug, Default)]
pub struct Module {
    count: AtomicU64,
    sum: AtomicU64,
}

impl Module {
    /// Receives a message.
    #[inline]
    pub fn take(&self, message: &Message) {
        self.add(1, message.sequence);
    }

    /// Receives several messages, handed over in one call.
    #[inline]
    pub fn take_all<'m>(&self, messages: impl Iterator<Item = &'m Message>) {
        let (count, sum) = messages.fold((0, 0), |(count, sum), message| (count + 1, sum + message.sequence));
        self.add(count, sum);
    }

    /// Forgets everything that was received, and returns how many messages those were, and the sum
    /// of their numbers.
    pub(super) fn reset(&self) -> (u64, u64) {
        (self.count.swap(0, Ordering::Relaxed), self.sum.swap(0, Ordering::Relaxed))
    }

    #[inline]
    fn add(&self, count: u64, sum: u64) {
        self.count.store(self.count.load(Ordering::Relaxed) + count, Ordering::Relaxed);
        self.sum.store(self.sum.load(Ordering::Relaxed) + sum, Ordering::Relaxed);
    }
}

/// The contestant: a topic that delivers messages to modules.
pub trait Topic {
    /// Subscribes a module, which gets every message from now on.
    fn subscribe(&mut self, module: &'static Module);

    /// Sends a message. Where messages are bounded, this may deliver when there is no room.
    fn publish(&mut self, message: Message);

    /// Returns when everything has been delivered.
    fn synchronise(&mut self);
}

const WARM_UP_NS: u64 = 20_000_000;

/// Measures a contestant, with a topic without subscribers made anew for every repetition.
///
/// # Panics
/// If a module did not get every message once.
pub fn measure<T: Topic>(assignment: &Assignment, mut make: impl FnMut() -> T) {
    let messages = assignment.number("messages");
    let modules: Vec<Module> = (0..assignment.number("modules")).map(|_| Module::default()).collect();
    let modules: &'static [Module] = Vec::leak(modules);
    let deliveries = messages * modules.len() as u64;
    let (mut total, mut delivery) = (Vec::new(), Vec::new());
    let (started, repetitions) = (monotonic_ns(), assignment.number("repetitions") as usize);
    while total.len() < repetitions {
        let times = run(make(), modules, messages);
        // Samples count after warming up, or at once if a repetition takes so long that it does not
        // matter.
        if times.begin - started >= WARM_UP_NS || times.end - times.begin >= 10 * WARM_UP_NS {
            total.push(times.end - times.begin);
            delivery.push((times.delivered - times.sending) * 1000 / deliveries);
        }
    }
    let memory = CountAllocations::memory(|| _ = run(make(), modules, messages));
    print("total_ns", total);
    print("delivery_ps", delivery);
    print("peak_bytes", [memory.peak_bytes]);
    print("allocations", [memory.allocations]);
}

/// The times at which the steps of a repetition began, and at which the last one ended.
struct Times {
    begin: u64,
    sending: u64,
    delivered: u64,
    end: u64,
}

fn run(mut topic: impl Topic, modules: &'static [Module], messages: u64) -> Times {
    let begin = monotonic_ns();
    for module in modules {
        topic.subscribe(module);
    }
    topic.synchronise();
    let sending = monotonic_ns();
    for sequence in 0..messages {
        topic.publish(Message { sequence, padding: 0 });
    }
    topic.synchronise();
    let delivered = monotonic_ns();
    drop(topic);
    let end = monotonic_ns();
    for module in modules {
        let (count, sum) = module.reset();
        assert_eq!(count, messages, "deliveries to a module");
        assert_eq!(sum, messages * (messages - 1) / 2, "sum of what was delivered");
    }
    Times { begin, sending, delivered, end }
}
