use super::*;
use proptest::prelude::*;

/// Returns oversleeps between `low` and `high` microseconds, evenly spread, in an order that no
/// tracker could exploit.
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
fn the_way_to_a_due_time_is_a_long_sleep_a_short_one_and_a_spin() {
    let earliness = AdaptiveEarliness::default();
    let now = monotonic_now();
    let due = now + Duration::from_millis(12);
    let long = earliness.next_sleep(now, due).expect("there is time to sleep");
    assert_eq!(long.until, due - earliness.earliness() - LEAD);
    let short = earliness.next_sleep(long.until, due).expect("there is time left");
    assert_eq!(short.until, due - earliness.earliness());
    assert_eq!(earliness.next_sleep(short.until, due), None);
    // A long sleep that was far too long has no short one after it.
    assert_eq!(earliness.next_sleep(due, due), None);
}

#[test]
fn the_first_sleeps_tell_at_once_what_to_expect() {
    let first = trained(even(4, 9).take(64)).earliness();
    assert!((8_000..=9_000).contains(&first.as_nanos()), "{first:?}");
}

#[test]
fn only_short_sleeps_teach() {
    let mut earliness = trained(even(10, 20).take(4_000));
    let (now, before) = (monotonic_now(), earliness.earliness());
    let long = earliness.next_sleep(now, now + Duration::from_millis(12)).expect("there is time to sleep");
    earliness.note(long, long.until + Duration::from_millis(1));
    assert_eq!(earliness.earliness(), before);
    let short = earliness.next_sleep(long.until, now + Duration::from_millis(12)).expect("there is time left");
    earliness.note(short, short.until + Duration::from_millis(1));
    assert!(earliness.earliness() > before);
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
