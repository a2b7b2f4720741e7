use super::*;

fn desk(tempo: Tempo) -> Desk {
    let shared = Shared::new(tempo, Vec::new(), Arc::default());
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
    let (begin, at) = (Instant::now(), Time::from_seconds);
    desk.hurry = Some(Hurry { to: at(60.0), breath: None });
    assert_eq!(desk.wait(at(3.0), begin), Some(Duration::ZERO));
    assert!(!desk.is_at_rest());
    assert_eq!(desk.wait(at(59.9), begin), Some(BREATH), "those who look on take what has come");
    assert_eq!(desk.wait(at(59.9), begin + BREATH), Some(Duration::ZERO));
    assert_eq!(desk.wait(at(59.95), begin + BREATH), Some(Duration::ZERO), "once");
    desk.hurry = None;
    desk.forward.push_back(Forward { cycle: None, runs: 1 });
    assert_eq!(desk.wait(Time::from_seconds(3.0), Instant::now()), Some(Duration::ZERO));
    assert!(!desk.is_at_rest());
}

/// Creates a transport without a player: the test steps it.
fn transport() -> Transport {
    let cycles = ["motion", "voice"].map(str::to_owned).to_vec();
    Transport(Arc::new(Shared::new(Tempo::Factor(1.0), cycles, Arc::default())))
}

/// Executes a step of this cycle or of none, and returns whether the transport requested one.
fn steps(transport: &Transport, cycle: Option<usize>, during: impl FnOnce()) -> bool {
    let is_turn = transport.0.desk().wait(Time::ZERO, Instant::now()) == Some(Duration::ZERO);
    if is_turn {
        transport.0.desk().begin_step();
        assert!(!transport.is_at_rest(), "it is at a step");
        during();
        transport.0.note(&Step { time: Time::ZERO, cycles: cycle.into_iter().collect() });
    }
    is_turn
}

#[test]
fn a_run_that_is_asked_for_during_another_one_is_done_after_it() {
    let transport = transport();
    transport.forward();
    assert!(transport.is_stepping());
    assert!(steps(&transport, Some(0), || transport.forward()));
    assert!(transport.is_stepping(), "the second one was not done by the first step");
    assert!(steps(&transport, None, || {}) && steps(&transport, Some(1), || {}), "a step without a run is none");
    assert!(transport.is_at_rest() && !steps(&transport, Some(0), || {}));
    // A run that is requested during a step for another reason comes after it, too.
    transport.resume();
    assert!(steps(&transport, Some(0), || transport.forward()));
    assert!(steps(&transport, Some(0), || {}) && transport.is_at_rest());
}

#[test]
fn runs_of_several_cycles_come_in_the_order_in_which_they_were_asked_for() {
    let transport = transport();
    transport.forward_by(2, Some("voice")).unwrap();
    transport.forward_by(1, None).unwrap();
    assert!(transport.forward_by(1, Some("vision")).unwrap_err().to_string().contains("voice"));
    let done: Vec<bool> = [0, 1, 0, 1, 0, 0].map(|cycle| steps(&transport, Some(cycle), || {})).to_vec();
    assert_eq!(done, [true, true, true, true, true, false]);
}

#[test]
fn a_pause_calls_off_what_was_asked_for_and_comes_to_rest_with_the_present_step() {
    let transport = transport();
    transport.forward_by(1000, None).unwrap();
    transport.hurry_to(Time::from_seconds(60.0));
    assert!(steps(&transport, Some(0), || transport.pause()));
    assert!(transport.is_at_rest() && !transport.is_stepping());
    transport.forward();
    let again = || {
        transport.pause();
        transport.forward();
    };
    assert!(steps(&transport, Some(0), again));
    assert!(steps(&transport, Some(0), || {}), "a run that was called off is not another one");
    assert!(transport.is_at_rest());
}
