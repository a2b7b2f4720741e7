//! Tests of several robots in one game, in simulated time.
#![forbid(unsafe_code)]
#![cfg(feature = "game")]

use std::time::Duration;

use nao::game::course::{Conditions, Course};
use nao::game::report::GameReport;
use nao::game_controller::referee::Rules;
use nao::representations::game::MatchState;

/// Returns the conditions of a game that begins soon.
fn conditions(seed: u64) -> Conditions {
    let mut conditions = Conditions::of(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"));
    let time = Duration::from_secs_f32;
    conditions.rules = Rules { initial: time(0.5), ready: time(1.0), set: time(0.5), ..conditions.rules };
    // Fewer images than usual: rendering takes most of the time.
    conditions.settings = vec!["source.SimulatedCameras.rate=5.0".to_owned()];
    Conditions { seed, ..conditions }
}

/// Returns the fingerprints of all that the robots know, twice a second, of a game that nobody
/// watches.
fn course(seed: u64) -> Vec<u64> {
    let mut game = Course::begin(&conditions(seed)).unwrap_or_else(|error| panic!("{error}"));
    let mut course = Vec::new();
    for half in 1..=3 {
        game.play(f64::from(half) / 2.0);
        course.push(game.fingerprint());
    }
    course
}

#[test]
fn a_game_is_the_same_to_the_bit_for_its_seed_and_another_one_for_another_seed() {
    let expected = course(7);
    assert_eq!(course(7), expected);
    let differing = course(8).iter().zip(&expected).filter(|(one, other)| one != other).count();
    assert_eq!(differing, expected.len());
}

#[test]
fn a_game_that_is_watched_is_the_same_to_the_bit() {
    let mut game = Course::begin(&conditions(7)).unwrap_or_else(|error| panic!("{error}"));
    let mut watched = Vec::new();
    for half in 1..=3 {
        while game.time().seconds() < f64::from(half) / 2.0 {
            game.tick();
            let report = GameReport::of(&game);
            assert_eq!((report.robots.len(), report.time), (4, game.arena().time()));
        }
        watched.push(game.fingerprint());
    }
    assert_eq!(watched, course(7));
}

#[test]
fn every_robot_hears_the_referee_and_its_mates_and_knows_where_it_is() {
    let mut game = Course::begin(&conditions(3)).unwrap_or_else(|error| panic!("{error}"));
    game.play(5.0);
    assert_eq!(game.official().referee().state(), MatchState::Playing);
    let summary = game.summary();
    println!("{summary}");
    assert!(game.official().statuses() >= 4 * 3, "{}", game.official().statuses());
    for robot in &summary.robots {
        assert!(robot.sent > 0 && robot.received > 0, "{robot:?}");
        assert!(robot.position_error.p50 < 0.5, "{robot:?}");
        assert_eq!(robot.falls, 0, "{robot:?}");
        // The game begins after 2 s.
        assert!(robot.heard.is_some_and(|at| (1.9..2.5).contains(&at)), "the whistle: {robot:?}");
    }
    let sent: u32 = summary.robots.iter().map(|robot| robot.sent).sum();
    let counted: u32 = summary.messages.iter().map(|messages| messages.sent).sum();
    // What a robot has just sent is not on its way yet.
    assert!(counted <= sent && sent - counted <= 4 && summary.messages.iter().all(|messages| messages.illegal == 0));
}
