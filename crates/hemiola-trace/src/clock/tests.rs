use super::*;

fn scale(ticks: u64, nanoseconds: u64, rate: u64) -> TickScale {
    TickScale { anchor: Reading { ticks: Ticks(ticks), nanoseconds }, rate }
}

#[test]
fn the_counter_never_runs_backwards_on_one_thread() {
    let mut last = Ticks::now();
    for _ in 0..100_000 {
        let next = Ticks::now();
        assert!(next >= last, "{next:?} after {last:?}");
        last = next;
    }
}

#[test]
fn a_calibrated_scale_agrees_with_the_kernels_clock() {
    let scale = TickScale::calibrate();
    let reading = Reading::take();
    let difference = scale.nanoseconds(reading.ticks).abs_diff(reading.nanoseconds);
    // The scale was calibrated over 10 ms and is read at once: even a preempted reading is off by
    // far less than a millisecond.
    assert!(difference < 1_000_000, "{difference} ns apart, {scale}");
}

#[test]
fn times_before_and_after_the_anchor_are_on_one_line() {
    let scale = scale(1_000_000, 500_000, ONE / 2);
    assert_eq!(scale.nanoseconds(Ticks(1_000_000)), 500_000);
    assert_eq!(scale.nanoseconds(Ticks(1_000_200)), 500_100);
    assert_eq!(scale.nanoseconds(Ticks(999_800)), 499_900);
    assert_eq!(scale.nanoseconds_between(Ticks(10), Ticks(30)), 10);
    assert_eq!(scale.nanoseconds_between(Ticks(30), Ticks(10)), 0);
}

#[test]
fn times_before_the_epoch_and_after_the_range_saturate() {
    assert_eq!(scale(1_000, 10, ONE).nanoseconds(Ticks(0)), 0);
    assert_eq!(scale(0, u64::MAX - 5, ONE).nanoseconds(Ticks(100)), u64::MAX);
}

#[test]
fn hours_of_ticks_convert_without_loss() {
    let three_gigahertz = scale(0, 0, ONE / 3);
    let day = 86_400 * 3_000_000_000;
    let error = three_gigahertz.nanoseconds(Ticks(day)).abs_diff(86_400_000_000_000);
    assert!(error < 100_000, "{error} ns per day by rounding");
}

#[test]
fn ticks_and_nanoseconds_convert_back() {
    let scale = scale(9_000_100, 3_000_000, ONE / 3);
    for nanoseconds in [0, 1, 2_999_999, 3_000_000, 123_456_789_012] {
        assert!(scale.nanoseconds(scale.ticks_at(nanoseconds)).abs_diff(nanoseconds) <= 1 + nanoseconds / (1 << 30));
    }
    assert_eq!(TickScale::nanoseconds_per_tick_one().ticks_in(Duration::from_micros(3)), 3_000);
}

#[test]
fn a_refresh_measures_the_rate_since_the_last_one() {
    let second = 1_000_000_000;
    let mut scale = scale(0, second, ONE);
    scale.continue_from(Reading { ticks: Ticks(2 * second), nanoseconds: 2 * second });
    assert_eq!(scale, self::scale(2 * second, 2 * second, ONE / 2));
}

#[test]
fn a_refresh_that_comes_too_early_changes_nothing() {
    let mut scale = scale(0, 1, ONE);
    let before = scale.clone();
    scale.continue_from(Reading { ticks: Ticks(5), nanoseconds: SHORTEST_REFRESH.as_nanos() as u64 });
    assert_eq!(scale, before);
}

#[test]
fn the_rate_is_measured_between_two_readings() {
    let first = Reading { ticks: Ticks(1_000), nanoseconds: 10_000 };
    let second = Reading { ticks: Ticks(4_000), nanoseconds: 11_000 };
    assert_eq!(second.rate_since(&first), Some(ONE / 3));
    assert_eq!(first.rate_since(&first), None);
}
