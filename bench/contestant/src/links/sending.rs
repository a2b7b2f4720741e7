//! The work and the measurements of the sending process.

use super::Partner;
use super::arrivals::ACKNOWLEDGED;
use super::plan::{Pace, Plan};
use crate::messages::{Assignment, print};
use crate::{Usage, monotonic_ns, sleep_until_ns};

/// The sending end of a link.
pub trait Sender {
    /// Sends a message of the assignment's length, with this number, and the time of the monotonic
    /// clock right before it is sent.
    fn send(&mut self, number: u64);
}

/// Sends the assignment's messages, and prints the figures of both processes.
///
/// # Panics
/// If the partner ends before all messages have arrived, in their order.
pub fn measure(assignment: &Assignment, mut partner: Partner, sender: &mut impl Sender) {
    let plan = Plan::of(assignment);
    let (mut before, mut counting_ns, mut acknowledged) = (Usage::now(), monotonic_ns(), 0);
    let begin_ns = monotonic_ns();
    for number in 1..=plan.last() {
        match plan.pace {
            Pace::Period(period_ns) => sleep_until_ns(begin_ns + number * period_ns),
            Pace::Window(most) => {
                while number > acknowledged + most {
                    partner.hear(ACKNOWLEDGED);
                    acknowledged += most.div_ceil(2);
                }
            }
        }
        if number == plan.warm_up + 1 {
            (before, counting_ns) = (Usage::now(), monotonic_ns());
        }
        sender.send(number);
    }
    // The partner prints its figures when the last message has arrived.
    let figures = partner.finish();
    let (used, length_ns) = (Usage::now().since(&before), monotonic_ns() - counting_ns);
    figures.iter().filter(|line| *line != ACKNOWLEDGED).for_each(|line| println!("{line}"));
    print("sender_cpu_ns", [used.cpu_ns / plan.messages]);
    print("sender_core_ppm", [used.cpu_ns * 1_000_000 / length_ns.max(1)]);
    // The pauses between messages are the bench's own.
    let pauses = if matches!(plan.pace, Pace::Period(_)) { plan.messages } else { 0 };
    print("sender_wake_ups_per_100", [used.sleeps.saturating_sub(pauses) * 100 / plan.messages]);
}
