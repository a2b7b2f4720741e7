//! Tests of the whole robot in games with a referee: both speak the league's protocol, over UDP on
//! this computer, in simulated time.
#![forbid(unsafe_code)]

use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;

use glam::Vec2;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::{Robot, Stepper};
use nao::game_controller::simulated::RefereeReport;
use nao::geometry::Pose2;
use nao::representations::behaviour::{GamePhase, GameState, Motion, MotionRequest};
use nao::representations::game::{GameControl, KickingTeam, MatchState, Penalty, RefusedPackets};
use nao::representations::sensing::GroundTruth;

/// Returns settings for a game with these times, at ports that nobody uses.
fn settings(times: &[&str]) -> Vec<String> {
    let [robot, referee] = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free"));
    let [robot, referee] = [robot, referee].map(|socket| socket.local_addr().expect("it is bound"));
    let mut settings = vec![
        format!("source.GameController.parameters.address='{robot}'"),
        format!("source.GameController.parameters.status_port={}", referee.port()),
        format!("source.SimulatedReferee.parameters.robots='{robot}'"),
        format!("source.SimulatedReferee.parameters.status_port={}", referee.port()),
    ];
    // Half as many as usual: enough to play, and the test takes half as long.
    settings.push("source.SimulatedCameras.rate=15.0".to_owned());
    settings.extend(times.iter().map(|time| format!("source.SimulatedReferee.parameters.{time}")));
    settings
}

/// A game, and what is seen of it after each step.
struct Game {
    stepper: Stepper,
}

/// A moment of the game.
#[derive(Clone, Debug, Default)]
struct Moment {
    now: f64,
    /// The state of the game as the referee sees it.
    report: RefereeReport,
    /// The same, as the robot has received it.
    control: GameControl,
    phase: GamePhase,
    motion: Motion,
    robot: Pose2,
    ball: Vec2,
}

impl Game {
    fn new(times: &[&str]) -> Self {
        let assignments = settings(times);
        let overlays = ["controlled", "referee"].map(str::to_owned).to_vec();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
        let loaded = load(&LoadOptions { overlays, assignments, ..LoadOptions::new(path) }, &Catalog::linked());
        let configuration = loaded.unwrap_or_else(|error| panic!("{error}")).configuration;
        let robot = Robot::assemble(configuration).expect("the robot is complete");
        Self { stepper: robot.into_stepper().expect("the robot can be made") }
    }

    /// Plays until the referee's state is such, and returns all moments.
    fn play_until(mut self, is_enough: impl Fn(&RefereeReport) -> bool) -> Vec<Moment> {
        let mut moments: Vec<Moment> = Vec::new();
        loop {
            assert!(self.stepper.step().is_some(), "the simulation ended before the game");
            let now = self.stepper.now().seconds();
            // Ten in a second.
            if moments.last().is_some_and(|last| now < last.now + 0.1) {
                continue;
            }
            let moment = Moment {
                now,
                report: self.stepper.with_value(RefereeReport::clone).expect("there is a referee"),
                control: self.stepper.with_value(GameControl::clone).expect("there is a GameController"),
                phase: self.stepper.with_value(|game: &GameState| game.phase).expect("it follows the game"),
                motion: self.stepper.with_value(|request: &MotionRequest| request.motion).expect("it moves"),
                robot: self.stepper.with_value(|truth: &GroundTruth| truth.robot).expect("it is simulated"),
                ball: self.stepper.with_value(|truth: &GroundTruth| truth.ball).expect("it is simulated"),
            };
            let is_last = is_enough(&moment.report);
            moments.push(moment);
            if is_last {
                return moments;
            }
        }
    }
}

/// Returns the states of the game as the robot received them, each with its moments.
fn states(moments: &[Moment]) -> Vec<(MatchState, &[Moment])> {
    let heard = moments.iter().position(|moment| moment.control.last_packet.is_some()).expect("the robot hears");
    let states = moments[heard..].chunk_by(|a, b| a.control.state == b.control.state);
    states.map(|moments| (moments[0].control.state, moments)).collect()
}

/// Returns the part of moments that is `seconds` or more after the first one.
fn after(moments: &[Moment], seconds: f64) -> &[Moment] {
    let first = moments.iter().position(|moment| moment.now >= moments[0].now + seconds);
    &moments[first.expect("it lasts longer")..]
}

/// Asserts that the robot stands still, once it has come to a stop.
fn stands_still(moments: &[Moment], what: &str) {
    /// The time that stopping takes: the steps that have begun, and the way of a packet.
    const STOP: f64 = 2.0;
    let standing = after(moments, STOP);
    let place = standing[0].robot;
    for moment in standing {
        assert_eq!(moment.motion, Motion::Stand, "{what}: {moment:?}");
        let moved = moment.robot.translation.distance(place.translation);
        assert!(moved < 0.03, "{what}: it moved {moved} m: {moment:?}");
    }
}

#[test]
fn the_robot_obeys_the_referee_from_the_first_kick_off_to_the_end() {
    let times = ["initial=3.0", "standby=1.0", "ready=30.0", "set=3.5", "half=35.0", "half_time=3.5"];
    let moments = Game::new(&times).play_until(|report| report.is_over);
    let states = states(&moments);
    let course: Vec<_> = states.iter().map(|(state, moments)| (*state, moments[0].report.first_half)).collect();
    println!("{course:?}");
    for (state, moments) in &states {
        let (first, last) = (&moments[0], moments.last().expect("a state has moments"));
        let (score, place) = ((last.report.own_score, last.report.opponent_score), last.robot.translation);
        println!(
            "{:5.1} s to {:5.1} s  {state:?}: {score:?}, robot at {place:.2}, ball at {:.2}",
            first.now, last.now, last.ball
        );
    }
    let is_at = |moment: &Moment, x: f32| moment.robot.translation.distance(Vec2::new(x, 0.0)) < 0.4;
    for (index, (state, moments)) in states.iter().enumerate() {
        let x = if moments[0].control.kicking_team == KickingTeam::Own { -0.6 } else { -1.2 };
        match state {
            MatchState::Initial | MatchState::Standby | MatchState::Finished => {
                if moments.last().is_some_and(|last| last.now > moments[0].now + 2.5) {
                    stands_still(moments, &format!("{state:?}"));
                }
            }
            MatchState::Set => {
                stands_still(moments, "set");
                let ours = moments[0].control.kicking_team == KickingTeam::Own;
                assert!(is_at(&moments[0], x), "it is not at its place ({x}, 0): {:?}", moments[0]);
                // It keeps off the ball in the middle. Nobody puts the ball back there that it has
                // pushed on its way.
                let is_pushed = moments[0].ball.length() > 0.5;
                let is_off = moments[0].robot.translation.distance(moments[0].ball) > 0.6;
                assert!(ours || is_pushed || is_off, "{:?}", moments[0]);
            }
            MatchState::Ready => {
                let walks = moments.iter().any(|moment| matches!(moment.motion, Motion::Walk { .. }));
                assert!(walks || is_at(&moments[0], x), "it stays away from its place ({x}, 0): {:?}", moments[0]);
                assert!(moments.iter().all(|moment| !matches!(moment.motion, Motion::Kick { .. })), "it kicks");
            }
            MatchState::Playing => {
                let theirs = moments[0].control.kicking_team == KickingTeam::Opponent;
                let yields = moments.iter().take_while(|moment| moment.phase != GamePhase::Playing).count();
                // Ten moments in a second, and some until a packet is received and followed. The
                // half may end before.
                let is_cut = moments.last().is_some_and(|last| last.now < moments[0].now + 11.0);
                let expected = if theirs { 85..=105 } else { 0..=8 };
                assert!(is_cut || expected.contains(&yields), "state {index}: it plays after {yields} moments");
                let kept = &moments[..yields];
                assert!(!kept.iter().any(|moment| matches!(moment.motion, Motion::Kick { .. })), "it kicks their ball");
                let begin = moments[0].ball;
                assert!(kept.iter().all(|moment| moment.ball.distance(begin) < 0.05), "it moves their ball");
            }
        }
    }
    let last = moments.last().expect("there are some");
    let GameControl { refused, packets, statuses, .. } = last.control.clone();
    assert_eq!(refused, RefusedPackets::default());
    println!("{packets} packets of {}, {statuses} statuses", last.report.packets);
    // The first one comes before the robot listens, and the last one has not been received yet.
    assert!(last.report.packets - packets <= 2 && statuses - last.report.statuses <= 1);
    assert!(f64::from(statuses) > 0.8 * last.now && last.report.own_score > 0, "{:?}", last.report);
    let reported = last.report.reported.expect("it reports");
    assert!(reported.distance(last.robot.translation) < 0.5, "{reported} {:?}", last.robot);
    assert!(course.iter().any(|(state, first_half)| *state == MatchState::Playing && !first_half), "two halves");
}

#[test]
fn a_penalised_robot_does_nothing_until_its_penalty_is_over() {
    let times = [
        "initial=0.5",
        "standby=0.0",
        "ready=6.0",
        "set=0.5",
        "half=15.0",
        "half_time=0.5",
        "penalty_at=3.0",
        "penalty=6.0",
    ];
    let moments = Game::new(&times).play_until(|report| report.state == MatchState::Finished);
    let is_penalised = |moment: &Moment| moment.control.penalty != Penalty::None;
    let first = moments.iter().position(is_penalised).expect("it is penalised");
    let penalised = &moments[first..][..moments[first..].iter().take_while(|moment| is_penalised(moment)).count()];
    let lasts = penalised.last().expect("it lasts").now - penalised[0].now;
    assert!((5.0..7.5).contains(&lasts), "{lasts} s");
    stands_still(penalised, "penalised");
    assert!(after(penalised, 0.5).iter().all(|moment| moment.phase == GamePhase::Penalised));
    let walks = |moments: &[Moment]| moments.iter().any(|moment| matches!(moment.motion, Motion::Walk { .. }));
    assert!(walks(&moments[..first]), "it walked before");
    let rest = &moments[first + penalised.len()..];
    assert!(walks(rest) && rest.iter().any(|moment| moment.phase == GamePhase::Playing), "it goes on");
}

/// Packets, statuses and the referee are of the recording: the replay opens no socket.
#[test]
fn a_game_with_a_referee_is_repeated_to_the_bit() {
    let log = std::env::temp_dir().join(format!("nao-{}-controlled.mcap", std::process::id()));
    let path = log.display().to_string();
    let times = [
        "initial=0.5",
        "standby=0.0",
        "ready=1.0",
        "set=0.5",
        "half=2.0",
        "half_time=0.5",
        "penalty_at=1.0",
        "penalty=1.0",
    ];
    let mut arguments: Vec<String> =
        ["run", "--fast", "--overlay", "controlled", "--overlay", "referee"].map(str::to_owned).to_vec();
    let profile = format!("output.profile='{path}.json'");
    // The last one counts: images are most of a log.
    let others = ["source.SimulatedCameras.rate=5.0".to_owned(), profile];
    let assignments = settings(&times).into_iter().chain(others.clone());
    arguments.extend(assignments.flat_map(|assignment| ["--set".to_owned(), assignment]));
    arguments.extend(["--duration", "6s", "--no-trace", "--log", &path].map(str::to_owned));
    let nao = |arguments: &[String]| {
        let output = Command::new(env!("CARGO_BIN_EXE_nao")).args(arguments).output().expect("it can be started");
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success(), "{arguments:?}: {}\n{text}", output.status);
        text
    };
    nao(&arguments);
    let verified = nao(&["log", "verify", &path, "--set", &others[1]].map(str::to_owned));
    assert!(verified.contains("the same to the bit"), "{verified}");
    let info = nao(&["log", "info", &path].map(str::to_owned));
    assert!(info.contains("/GameController/GameControl") && info.contains("RefereeReport"), "{info}");
    std::fs::remove_file(&log).expect("it is there");
    _ = std::fs::remove_file(format!("{path}.json"));
}
