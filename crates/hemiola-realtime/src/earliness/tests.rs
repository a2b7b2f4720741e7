use super::*;
use proptest::prelude::*;

/// Oversleeps between `low` and `high` microseconds, evenly spread, in an order that no tracker could exploit.
fn even(low: u64, high: u64) -> impl Iterator<Item = Duration> {
    let mut state = 1u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_nanos(low * 1000 + (state >> 33) % ((high - low) * 1000 + 1))
    })
}

fn trained(oversleeps: impl IntoIterator<Item = Duration>) -> AdaptiveEarliness {
    let mut earliness = AdaptiveEarliness::default();
    oversleeps.into_iter().for_each(|oversleep| earliness.observe(oversleep));
    earliness
}

#[test]
fn all_but_one_of_200_sleeps_end_before_the_due_time() {
    let mut earliness = trained(even(10, 60).take(4_000));
    let mut late = 0;
    for oversleep in even(10, 60).take(10_000) {
        late += u32::from(oversleep > earliness.earliness());
        earliness.observe(oversleep);
    }
    assert!((30..70).contains(&late), "{late} of 10,000 late, about 50 expected");
    let microseconds = earliness.earliness().as_micros();
    assert!((50..80).contains(&microseconds), "{microseconds} us early for oversleeps of 10 to 60 us");
}

#[test]
fn it_follows_a_machine_that_becomes_ten_times_slower_within_13_sleeps() {
    let mut earliness = trained(even(8, 10).take(4_000));
    let before = earliness.earliness();
    even(80, 100).take(13).for_each(|oversleep| earliness.observe(oversleep));
    assert!(earliness.earliness() > before * 7, "{before:?} -> {:?}", earliness.earliness());
}

#[test]
fn it_gives_processor_time_back_when_sleeps_become_punctual_again() {
    let mut earliness = trained(even(80, 100).take(4_000));
    even(8, 10).take(2_600).for_each(|oversleep| earliness.observe(oversleep));
    assert!(earliness.earliness() < Duration::from_micros(14), "{:?}", earliness.earliness());
}

#[test]
fn one_outlier_raises_the_estimate_by_a_fifth_at_most() {
    let mut earliness = trained(even(10, 20).take(4_000));
    let before = earliness.earliness();
    earliness.observe(Duration::from_secs(1));
    assert!(earliness.earliness() <= before.mul_f64(1.2));
}

#[test]
fn a_due_time_in_the_past_is_late_and_neither_slept_nor_spun_for() {
    let mut earliness = AdaptiveEarliness::default();
    let before = monotonic_now();
    let arrived = earliness.meet(before - Duration::from_secs(1));
    assert!(arrived >= before);
    assert_eq!(earliness.cost(), EarlinessCost { waits: 1, late: 1, spinning: Duration::ZERO });
}

#[test]
fn a_signal_ends_the_wait_in_each_of_its_three_phases() {
    let far = Duration::from_secs(3600);
    // Before the sleep, and therefore without one.
    let wakeup = Wakeup::new();
    let seen = wakeup.generation();
    wakeup.notify_all();
    let due = monotonic_now() + far;
    assert_eq!(AdaptiveEarliness::default().meet_signal(&wakeup, seen, due, far, None), Reason::Signalled);
    // (sleeping before the due time, spinning, sleeping after the patience is over)
    for (until_due, patience) in [(far, Duration::ZERO), (Duration::ZERO, far), (Duration::ZERO, Duration::ZERO)] {
        let wakeup = Wakeup::new();
        let seen = wakeup.generation();
        let reason = std::thread::scope(|scope| {
            scope.spawn(|| wakeup.notify_all());
            AdaptiveEarliness::default().meet_signal(&wakeup, seen, monotonic_now() + until_due, patience, None)
        });
        assert_eq!(reason, Reason::Signalled);
    }
}

#[test]
fn a_deadline_before_the_due_time_ends_the_wait_and_teaches_nothing() {
    let wakeup = Wakeup::new();
    let now = monotonic_now();
    let (deadline, due) = (now + Duration::from_millis(1), now + Duration::from_secs(3600));
    let mut earliness = AdaptiveEarliness::default();
    let before = earliness.earliness();
    let reason = earliness.meet_signal(&wakeup, wakeup.generation(), due, Duration::ZERO, Some(deadline));
    assert_eq!(reason, Reason::TimedOut);
    assert!(monotonic_now() >= deadline);
    assert_eq!((earliness.earliness(), earliness.cost()), (before, EarlinessCost::default()));
}

#[test]
fn without_a_signal_the_wait_ends_at_its_deadline() {
    let wakeup = Wakeup::new();
    let now = monotonic_now();
    let deadline = now + Duration::from_millis(2);
    let mut earliness = AdaptiveEarliness::default();
    let reason = earliness.meet_signal(&wakeup, wakeup.generation(), now, Duration::from_micros(50), Some(deadline));
    assert_eq!(reason, Reason::TimedOut);
    assert!(monotonic_now() >= deadline);
}

proptest! {
    #[test]
    fn the_earliness_stays_within_its_bound(
        bound in 0u64..1_000_000,
        oversleeps in prop::collection::vec(0u64..u64::MAX, 0..200),
    ) {
        let mut earliness = AdaptiveEarliness::new(Duration::from_nanos(bound));
        for oversleep in oversleeps {
            earliness.observe(Duration::from_nanos(oversleep));
            prop_assert!(earliness.earliness() <= Duration::from_nanos(bound));
            prop_assert!(earliness.earliness() >= Duration::from_nanos(bound.min(1_000)));
        }
    }
}
