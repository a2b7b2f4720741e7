//! The loops of a running robot's threads: cycles with a timer, triggered cycles, sources.

use std::time::Duration;

use hemiola_model::{SourceRate, Time};
use hemiola_realtime::{AdaptiveEarliness, Containment, MonotonicTime, monotonic_now, sleep_until};

use crate::coherence::Coherence;
use crate::cycle::Cycle;
use crate::robot_state::RobotState;
use crate::source::{Sampled, SourceRest, SourceRunner};

/// The time for which a thread waits for its timer without noticing that the robot stops.
const LONG: Duration = Duration::from_millis(100);
/// The time before a timer is due from which on its thread waits precisely.
const NEARLY: Duration = Duration::from_millis(20);

pub(super) fn run_by_timer(mut cycle: Cycle, rate: f64) {
    let _containment = Containment::new();
    let mut earliness = AdaptiveEarliness::default();
    cycle.settle();
    if !cycle.core.robot.wait_for_beginning() {
        return;
    }
    let nth = |count: u64| Time::from_nanoseconds((count as f64 * 1e9 / rate).round() as i64);
    let mut count = (cycle.core.robot.clock().now().seconds() * rate).ceil() as u64;
    let mut next = cycle_due(&cycle.core.robot, nth(count));
    let is_slow = is_slow(rate);
    while !cycle.core.robot.is_stopping() {
        if is_slow && !wait_nearly_until(next, &cycle.core.robot) {
            return;
        }
        earliness.meet_prepared(next, || cycle.core.rehearse());
        run_and_rest(&mut cycle, Some(nth(count)), earliness.awake_since());
        // After an overrun the triggers that have passed are skipped: only the newest data matters.
        let passed = (cycle.core.robot.clock().now().seconds() * rate).floor() as u64;
        let following = count.saturating_add(1);
        count = following.max(passed);
        cycle.guard.note_skipped(&mut cycle.core, count - following);
        next = cycle_due(&cycle.core.robot, nth(count));
        cycle.core.executor.expect_run(Some(next));
    }
}

/// Runs a cycle, and lets its guard make the thread rest. Spinning while waiting for the trigger
/// does not count as a rest.
fn run_and_rest(cycle: &mut Cycle, due: Option<Time>, awake_since: MonotonicTime) {
    cycle.core.robot.activity.notify_all();
    cycle.run(due);
    cycle.core.robot.news().notify_all();
    if let Some(end) = cycle.guard.rest_until(awake_since) {
        sleep_until(end);
    }
}

fn cycle_due(robot: &RobotState, time: Time) -> MonotonicTime {
    robot.clock().due(time).unwrap_or_else(monotonic_now)
}

pub(super) fn run_when_triggered(mut cycle: Cycle) {
    let _containment = Containment::new();
    let Some(trigger) = cycle.core.trigger.clone() else { return };
    cycle.settle();
    if !cycle.core.robot.wait_for_beginning() {
        return;
    }
    loop {
        // Whoever stops the robot notifies the trigger afterwards.
        let seen = trigger.wakeup.generation();
        if cycle.core.robot.is_stopping() {
            return;
        }
        if cycle.is_triggered() {
            let begin = monotonic_now();
            run_and_rest(&mut cycle, None, begin);
            cycle.core.executor.expect_run(cycle.core.period.map(|period| begin + period));
        } else {
            trigger.wakeup.wait(seen, None);
        }
    }
}

pub(super) fn run_source(mut source: SourceRunner) {
    let _containment = Containment::new();
    let mut earliness = AdaptiveEarliness::default();
    let mut count = 0;
    if !source.robot.wait_for_beginning() {
        return;
    }
    while !source.robot.is_stopping() {
        let robot = source.robot.clone();
        let sampled = match source.due(count) {
            Some(due) => {
                if let Some(at) = robot.clock().due(due) {
                    if source.period().is_some_and(|period| period > LONG) && !wait_nearly_until(at, &robot) {
                        return;
                    }
                    earliness.meet(at);
                }
                source.sample(Some(due))
            }
            None => source.sample(None),
        };
        match sampled {
            Sampled::At(stamp) => {
                if source.due(count).is_none() {
                    let due = robot.clock().due(stamp);
                    // Recordings have gaps, and a robot that stops does not wait for their end.
                    due.into_iter().chain(source.stamps.not_before()).for_each(|at| _ = robot.wait_for_stop(Some(at)));
                    source.stamps.delivered(monotonic_now());
                }
                source.deliver();
            }
            Sampled::Nothing => source.wait_for_delivery(),
            // A source that fails immediately must not keep a core busy.
            Sampled::Failed if source.due(count).is_none() => sleep_until(monotonic_now() + Duration::from_millis(1)),
            Sampled::Failed => {}
            Sampled::Ended => return source.say_ended(),
        }
        robot.news().notify_all();
        let rest = source.rest.as_mut().and_then(SourceRest::until);
        rest.into_iter().for_each(sleep_until);
        count += 1;
        if let SourceRate::Hertz(rate) = source.rate {
            // A source that was delayed continues with the present; what it has skipped is
            // reported.
            let passed = (robot.clock().now().seconds() * rate).floor() as u64;
            if passed > count {
                count = passed;
                if rest.is_some() { source.say_rested() } else { source.say_late() }
            }
        }
    }
}

/// Runs sources whose values are shown together.
pub(super) fn run_sources_together(mut sources: Vec<SourceRunner>, coherence: &Coherence) {
    let _containment = Containment::new();
    let Some(robot) = sources.first().map(|source| source.robot.clone()) else { return };
    // The times of the samples that are not shown yet.
    let mut sampled: Vec<Option<Time>> = vec![None; sources.len()];
    if !robot.wait_for_beginning() {
        return;
    }
    loop {
        let seen = coherence.wakeup().generation();
        if robot.is_stopping() {
            return;
        }
        let Some(delivered) = coherence.delivered() else {
            coherence.wait(seen);
            continue;
        };
        let mut has_failed = false;
        for (source, stamp) in sources.iter_mut().zip(&mut sampled) {
            if !source.has_delivery() {
                continue;
            }
            match source.sample(None) {
                Sampled::At(sampled) => *stamp = Some(sampled),
                Sampled::Nothing => {}
                Sampled::Failed => has_failed = true,
                Sampled::Ended => return source.say_ended(),
            }
        }
        if !coherence.is_all(delivered) {
            // Some of it may be of the next run.
            continue;
        }
        let Some(latest) = sampled.iter().flatten().max() else {
            // A source that fails immediately must not keep a core busy.
            if has_failed {
                sleep_until(monotonic_now() + Duration::from_millis(1))
            } else {
                coherence.wait(seen)
            }
            continue;
        };
        robot.clock().due(*latest).into_iter().for_each(|at| _ = robot.wait_for_stop(Some(at)));
        coherence.show(|| {
            let shown = sources.iter_mut().zip(&mut sampled).filter_map(|(source, stamp)| stamp.take().map(|_| source));
            shown.for_each(SourceRunner::deliver);
        });
        robot.news().notify_all();
        let rest = sources.first_mut().and_then(|source| source.rest.as_mut()).and_then(SourceRest::until);
        rest.into_iter().for_each(sleep_until);
    }
}

/// Returns whether waiting at that rate would delay the end of a robot.
fn is_slow(rate: f64) -> bool {
    rate * LONG.as_secs_f64() < 1.0
}

/// Waits until shortly before the time; returns `false` if the robot stops meanwhile.
fn wait_nearly_until(at: MonotonicTime, robot: &RobotState) -> bool {
    at.since(monotonic_now()) <= NEARLY || !robot.wait_for_stop(Some(at - NEARLY))
}
