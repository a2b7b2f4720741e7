use super::*;

fn desk(tempo: Tempo) -> Desk {
    let shared = Shared::new(tempo, Vec::new());
    shared.desk.into_inner().unwrap()
}

#[test]
fn the_pace_is_kept_from_where_it_began_and_nobody_catches_up_for_long() {
    let at = Time::from_seconds;
    let begin = Instant::now();
    let after = |seconds: f64| begin + Duration::from_secs_f64(seconds);
    let mut desk = desk(Tempo::Factor(0.5));
    assert_eq!(desk.wait(at(7.0), begin), None, "it has not begun");
    desk.is_paused = false;
    assert_eq!(desk.wait(at(7.0), begin), Some(Duration::ZERO), "the first step comes at once");
    assert_eq!(desk.wait(at(8.0), begin), Some(Duration::from_secs(2)));
    assert_eq!(desk.wait(at(8.0), after(2.25)), Some(Duration::ZERO));
    assert_eq!(desk.wait(at(9.0), after(2.25)), Some(Duration::from_secs_f64(1.75)), "a delay is made up for");
    assert_eq!(desk.wait(at(9.0), after(60.0)), Some(Duration::ZERO));
    assert_eq!(desk.wait(at(10.0), after(60.0)), Some(Duration::from_secs(2)), "a long one is not");
}

#[test]
fn a_step_that_is_further_away_than_instants_reach_is_looked_for_again_and_again() {
    let begin = Instant::now();
    let mut desk = desk(Tempo::Factor(1e-9));
    desk.is_paused = false;
    assert_eq!(desk.wait(Time::ZERO, begin), Some(Duration::ZERO));
    assert_eq!(desk.wait(Time::from_nanoseconds(i64::MAX), begin), Some(LOOK_PERIOD));
}

#[test]
fn who_hurries_or_goes_forward_does_not_wait() {
    let mut desk = desk(Tempo::Factor(1e-3));
    assert!(desk.is_at_rest());
    desk.hurry = Some(Time::from_seconds(60.0));
    assert_eq!(desk.wait(Time::from_seconds(3.0), Instant::now()), Some(Duration::ZERO));
    assert!(!desk.is_at_rest());
    (desk.hurry, desk.forward) = (None, Some(Forward::AnyCycle));
    assert_eq!(desk.wait(Time::from_seconds(3.0), Instant::now()), Some(Duration::ZERO));
    assert!(!desk.is_at_rest());
}
