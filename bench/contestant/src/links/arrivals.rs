//! The measurements of the partner.

use super::plan::Plan;
use crate::messages::{Assignment, print};
use crate::{Usage, monotonic_ns};

/// The messages that have arrived, in the receiving process.
///
/// ```
/// use hemiola_bench_contestant::links::Arrivals;
/// use hemiola_bench_contestant::messages::Assignment;
/// use hemiola_bench_contestant::monotonic_ns;
///
/// let words = "pipe --workload one-way --bytes 100 --messages 2 --period-ns 1000".split(' ').map(str::to_owned);
/// let mut arrivals = Arrivals::expected(&Assignment::parse(words).unwrap());
/// let last = (1..).find(|number| arrivals.note(*number, monotonic_ns()) == Ok(true)).unwrap();
/// assert_eq!(last, 302); // two, and those that come before
/// ```
pub struct Arrivals {
    plan: Plan,
    /// The number of the next message.
    next: u64,
    one_way_ns: Vec<u64>,
    /// The arrival of the last message before those that count.
    begin_ns: u64,
    before: Usage,
}

impl Arrivals {
    /// Expects the assignment's messages.
    ///
    /// # Panics
    /// If a number is missing in the assignment.
    pub fn expected(assignment: &Assignment) -> Self {
        let plan = Plan::of(assignment);
        let one_way_ns = Vec::with_capacity(plan.messages as usize);
        Self { plan, next: 1, one_way_ns, begin_ns: monotonic_ns(), before: Usage::now() }
    }

    /// Records a message on arrival, by its number and the time at which it was sent. Prints the
    /// figures when it is the last one, and returns whether it is.
    ///
    /// # Errors
    /// Returns an error with the reason if it is not the next message: one was lost, doubled, or
    /// overtaken.
    pub fn note(&mut self, number: u64, stamp_ns: u64) -> Result<bool, String> {
        let now = monotonic_ns();
        if number != self.next {
            return Err(format!("message {number} comes in the place of {}", self.next));
        }
        self.next += 1;
        if number > self.plan.warm_up {
            self.one_way_ns.push(now.saturating_sub(stamp_ns));
        } else {
            (self.begin_ns, self.before) = (now, Usage::now());
        }
        if self.plan.acknowledged_at_once().is_some_and(|count| number.is_multiple_of(count)) {
            println!("{ACKNOWLEDGED}");
        }
        let is_last = number == self.plan.last();
        if is_last {
            self.print(now - self.begin_ns);
        }
        Ok(is_last)
    }

    fn print(&mut self, length_ns: u64) {
        let used = Usage::now().since(&self.before);
        let messages = self.plan.messages;
        print("one_way_ns", self.one_way_ns.drain(..));
        if self.plan.acknowledged_at_once().is_some() {
            print("per_message_ns", [length_ns / messages]);
        }
        print("receiver_cpu_ns", [used.cpu_ns / messages]);
        print("receiver_core_ppm", [used.cpu_ns * 1_000_000 / length_ns.max(1)]);
        print("receiver_wake_ups_per_100", [used.sleeps * 100 / messages]);
    }
}

/// The line that says that half a window has arrived.
pub(super) const ACKNOWLEDGED: &str = "acknowledged";

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(period_ns: u64) -> Arrivals {
        let words = format!("pipe --workload one-way --bytes 100 --messages 2 --period-ns {period_ns} --window 4");
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Arrivals::expected(&Assignment::parse(words.into_iter()).expect("well-formed"))
    }

    #[test]
    fn who_loses_or_doubles_a_message_has_no_figures() {
        let mut arrivals = arrivals(1000);
        assert_eq!(arrivals.note(1, 0), Ok(false));
        assert_eq!(arrivals.note(3, 0), Err("message 3 comes in the place of 2".to_owned()));
        assert_eq!(arrivals.note(1, 0), Err("message 1 comes in the place of 2".to_owned()));
    }

    #[test]
    fn only_what_is_sent_at_once_is_acknowledged() {
        assert_eq!(arrivals(1000).plan.acknowledged_at_once(), None);
        assert_eq!(arrivals(0).plan.acknowledged_at_once(), Some(2));
    }

    #[test]
    fn the_first_messages_do_not_count() {
        let mut arrivals = arrivals(1000);
        let first = arrivals.plan.warm_up;
        (1..=first).for_each(|number| assert_eq!(arrivals.note(number, 0), Ok(false)));
        assert!(arrivals.one_way_ns.is_empty());
        assert_eq!(arrivals.note(first + 1, 0), Ok(false));
        assert_eq!(arrivals.one_way_ns.len(), 1);
    }
}
