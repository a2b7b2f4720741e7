//! Reservations of processor time: `reservation = { budget = "2 ms", period = "10 ms" }`.

use std::time::Duration;

use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Section, duration, duration_within};

/// The shortest and the longest period that Linux accepts by default
/// (`/proc/sys/kernel/sched_deadline_period_min_us` and `.._max_us`).
const PERIODS: std::ops::RangeInclusive<Duration> = Duration::from_micros(100)..=Duration::from_micros(1 << 22);
/// The shortest budget that Linux accepts.
const SHORTEST_BUDGET: Duration = Duration::from_nanos(1024);
/// The share of each core that Linux gives to reservations and real-time priorities by default
/// (`/proc/sys/kernel/sched_rt_runtime_us`).
const GIVEN: f64 = 0.95;

/// Reads `reservation`, which takes the place of a policy, and leaves no choice of cores.
pub(super) fn read_reservation(section: &mut Section<'_>, found: &mut Diagnostics) -> Option<Scheduling> {
    let others = ["priority", "policy", "cores"].map(|key| (key, section.peek(key)));
    let node = section.take("reservation")?;
    for (key, other) in others {
        let Some(other) = other else { continue };
        let (what, help) = match key {
            "cores" => ("its thread may use all cores, or the kernel refuses it", "remove `cores`"),
            _ => ("it comes before all priorities, and is a policy of its own", "remove one of the two"),
        };
        let message = format!("`[{}]`: `reservation` and `{key}` exclude each other: {what}", section.path());
        found.push(Diagnostic::error(message).at(&other.place, "").related(&node.place, "the reservation").help(help));
    }
    let path = format!("{}.reservation", section.path());
    let mut reservation = Section::open(&path, node, found)?;
    let is_written = ["budget", "period"].map(|key| reservation.peek(key).is_some());
    let budget = reservation.read("budget", duration, found);
    let period = reservation.read("period", duration_within(PERIODS, "from 100 us to 4.19 s"), found);
    reservation.finish(found);
    if is_written.contains(&false) {
        let message = format!("`{path}` needs both a budget and a period");
        let help = "write the processor time of every period, such as `{ budget = \"2 ms\", period = \"10 ms\" }`";
        found.push(Diagnostic::error(message).at(&node.place, "").help(help));
    }
    let (budget, period) = (budget?, period?);
    if !(SHORTEST_BUDGET..=period).contains(&budget) {
        let message = format!("`{path}`: a budget of {budget:?} cannot be given in a period of {period:?}");
        found.push(
            Diagnostic::error(message).at(&node.place, "").help("write at least \"2 us\", and at most the period"),
        );
    }
    Some(Scheduling::Reservation { budget, period })
}

/// Reports the reservation that the kernel of this machine would refuse, if all were made in this
/// order.
pub(super) fn check_admission<'n>(
    executors: impl Iterator<Item = (&'n Node, &'n ExecutorConfiguration)>,
    cores: usize,
    found: &mut Diagnostics,
) {
    let (mut sum, given) = (0.0, cores as f64 * GIVEN);
    for (node, executor) in executors {
        let Some(Scheduling::Reservation { budget, period }) = executor.scheduling else { continue };
        sum += budget.as_secs_f64() / period.as_secs_f64();
        if sum > given * (1.0 + 1e-12) {
            let place = node.table().and_then(|table| table.get("reservation")).map_or(&node.place, |it| &it.place);
            let message = format!(
                "up to this one, reservations take {sum:.2} cores, and the kernel gives them {given:.2} of {cores}"
            );
            let help = "make budgets smaller, or periods longer; or set `cores` in `[analysis]` for a larger computer";
            return found.push(Diagnostic::error(message).at(place, "").help(help));
        }
    }
}
