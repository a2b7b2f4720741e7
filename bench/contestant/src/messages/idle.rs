//! Forty topics with a subscriber each, on which nothing is published: processor time and wake-ups
//! of the whole process, but for the thread that measures them.

use super::Assignment;
use super::assignment::print;
use crate::system::thread_cpu_ns;
use crate::{Usage, monotonic_ns, sleep_until_ns};

/// The number of topics.
pub const TOPICS: usize = 40;

/// The contestant after it has subscribed: whatever has to live while nothing happens, and how to
/// publish to each topic afterwards.
pub trait Subscribed {
    /// Publishes a message to every topic.
    fn publish_to_all(&mut self);

    /// Returns how many messages have been received.
    fn received(&self) -> u64;
}

/// Measures a contestant.
///
/// # Panics
/// If a subscriber is missing: after the quiet time, one message per topic has to be received.
pub fn measure<S: Subscribed>(assignment: &Assignment, make: impl FnOnce() -> S) {
    let duration_ns = assignment.number("duration-ns");
    let mut subscribed = make();
    // The time after the start does not count.
    sleep_until_ns(monotonic_ns() + 50_000_000);
    let begin = monotonic_ns();
    let (before, own_before) = (Usage::now(), thread_cpu_ns());
    sleep_until_ns(begin + duration_ns);
    let used = Usage::now().since(&before);
    let cpu_ns = used.cpu_ns.saturating_sub(thread_cpu_ns() - own_before);
    let seconds = (monotonic_ns() - begin) as f64 / 1e9;
    // This thread slept once, too.
    let wake_ups = used.sleeps.saturating_sub(1);
    subscribed.publish_to_all();
    let limit = monotonic_ns() + 2_000_000_000;
    while subscribed.received() < TOPICS as u64 {
        assert!(monotonic_ns() < limit, "{} of {TOPICS} messages received", subscribed.received());
        sleep_until_ns(monotonic_ns() + 1_000_000);
    }
    assert_eq!(subscribed.received(), TOPICS as u64, "messages received");
    print("cpu_ns_per_s", [(cpu_ns as f64 / seconds) as u64]);
    print("wake_ups_per_s", [(wake_ups as f64 / seconds).round() as u64]);
}
