//! The program of the NAO: `cargo run --release` plays a simulated game,
//! `cargo run --release -- --help` lists all commands.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use hemiola::{Application, RobotHandle};
use nao::announcer::Announcer;
use nao::captures;
use nao::closed_loop::program::closed_loop;
use nao::game_controller::program::referee;
use nao::lola::simulator::{BodyPace, LolaSimulator, PERIOD};
use nao::recordings::{BodyRecording, CameraRecording, MicrophoneRecording, combination_notice};
use nao::representations::audio::Whistle;
use nao::representations::behaviour::MotionRequest;
use nao::representations::body::LineReport;
use nao::representations::game::GameControl;
use nao::representations::modeling::RobotPose;
use nao::score::{self, Format};
use nao::simulator::Scenario;
use nao::simulator::truth_comparison::TruthReport;

/// The file that describes the robot.
const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");

fn main() -> ExitCode {
    let announcer = Rc::new(RefCell::new(None));
    let (listening, server) = (announcer.clone(), RefCell::new(None));
    with_game(Application::new(ROBOT))
        .command_with_flags(
            "score",
            "Scores the robot's modules on a recording with ground truth: score DIR [--details | --json]",
            &["--details", "--json"],
            score,
        )
        .command("referee", "Conducts a game of robots by the GameController's protocol: referee --help", referee)
        .command(
            "closed-loop",
            "Plays games under several conditions of scheduling and sensors, and compares them: closed-loop --help",
            |words| closed_loop(ROBOT, words),
        )
        .command_with_flags(
            "lola-simulator",
            "Offers the simulated body at LoLA's socket: lola-simulator SOCKET [SECONDS] [--no-button]",
            &["--no-button"],
            lola_simulator,
        )
        .started(move |robot| {
            match Announcer::start(robot) {
                Ok(announcer) => *listening.borrow_mut() = Some(announcer),
                Err(error) => eprintln!("events cannot be announced: {error}"),
            }
            match captures::serve(robot, concat!(env!("CARGO_MANIFEST_DIR"), "/traces")) {
                Ok(running) => *server.borrow_mut() = Some(running),
                Err(error) => eprintln!("captures cannot be saved: {error}"),
            }
            if let Err(error) = captures::ask_on_signal(robot) {
                eprintln!("`kill -USR1` cannot save a capture: {error}");
            }
        })
        .live(game)
        .summary(move |robot| [game(robot), events(&mut announcer.borrow_mut()), recordings(robot)].concat())
        .run()
}

/// Adds the command that plays a game of several robots.
#[cfg(feature = "game")]
fn with_game(application: Application) -> Application {
    application
        .command("game", "Plays a simulated game of two teams of this robot: game --help", |words| {
            nao::game::program::game(ROBOT, words)
        })
        .command("ball-models", "Compares the modules that provide the ball, in games: ball-models --help", |words| {
            nao::game::ball_comparison::ball_models(ROBOT, words)
        })
}

#[cfg(not(feature = "game"))]
fn with_game(application: Application) -> Application {
    application
}

/// Returns the latest events, in the robot's words.
fn events(announcer: &mut Option<Announcer>) -> Vec<String> {
    const MOST: usize = 12;
    let Some(announcer) = announcer else { return Vec::new() };
    let (earlier, lines) = announcer.last_lines(MOST);
    let more = (earlier > 0).then(|| format!("events   {earlier} earlier ones"));
    more.into_iter().chain(lines.iter().map(|line| format!("event  {line}"))).collect()
}

/// Returns the robot's estimated pose and its activity, and in simulation the errors of its
/// estimates.
fn game(robot: &RobotHandle) -> Vec<String> {
    let mut lines = Vec::new();
    let what = robot.with_value(|request: &MotionRequest| request.motion.to_string());
    let pose = robot.with_value(|pose: &RobotPose| (pose.pose, pose.quality));
    if let (Ok((pose, quality)), Ok(what)) = (pose, what) {
        let (position, heading) = (pose.translation, pose.rotation.to_degrees());
        lines.push(format!(
            "pose     x {:5.2} m  y {:5.2} m  {heading:4.0}°   quality {quality:.2}   {what}",
            position.x, position.y
        ));
    }
    if let Ok((state, left, score)) = robot.with_value(|control: &GameControl| {
        (control.state, control.seconds_remaining, [control.own_score, control.opponent_score])
    }) {
        lines.push(format!("game     {state:?}, {left} s to go, {} to {}", score[0], score[1]));
    }
    if let Ok(line) = robot.with_value(|report: &LineReport| report.to_string()) {
        lines.push(format!("body     {line}"));
    }
    if let Ok(report) = robot.with_value(TruthReport::clone) {
        let ball = report.ball_error.map_or_else(|| "unknown".to_owned(), |error| format!("{error:.2} m off"));
        let goals = report.scored_at.map_or_else(
            || format!("no goal after {:.1} s", report.time),
            |time| format!("goals {}, the first after {time:.1} s", report.score),
        );
        lines.push(format!(
            "truth    pose {:.2} m off (rms {:.2}), ball {ball} (rms {:.2}), falls {}, {goals}",
            report.position_error, report.position_rms, report.ball_rms, report.falls
        ));
    }
    lines
}

/// Returns the reports of recorded sources, if they played.
fn recordings(robot: &RobotHandle) -> Vec<String> {
    let mut played = Vec::new();
    if let Ok(text) = robot.with_value(|recording: &BodyRecording| recording.report.to_string()) {
        played.push(("body", text));
    }
    if let Ok(text) = robot.with_value(|recording: &CameraRecording| recording.report.to_string()) {
        played.push(("camera", text));
    }
    if let Ok(text) = robot.with_value(|recording: &MicrophoneRecording| recording.report.to_string()) {
        let heard = robot.with_value(|whistle: &Whistle| whistle.last_heard.is_some()).unwrap_or(false);
        played
            .push(("audio", format!("{text}; {}", if heard { "a whistle was heard" } else { "no whistle was heard" })));
    }
    played.retain(|(_, text)| !text.is_empty());
    let names: Vec<&str> = played.iter().map(|(name, _)| *name).collect();
    let notice = combination_notice(&names);
    let lines = played.iter().map(|(name, text)| format!("{name:8} {text}"));
    lines.chain(notice).collect()
}

fn score(arguments: &[String]) -> ExitCode {
    let json = arguments.iter().any(|argument| argument == "--json");
    let mut directories = arguments.iter().filter(|argument| !argument.starts_with("--"));
    let (Some(directory), None) = (directories.next(), directories.next()) else {
        eprintln!(
            "usage: nao score DIR [--details | --json]\n\nDIR is a directory in the form of imu-broad, icub-walking, nao-field-landmarks or nao-whistles."
        );
        return ExitCode::from(2);
    };
    let details = arguments.iter().any(|argument| argument == "--details");
    let format = match (json, details) {
        (true, _) => Format::Json,
        (false, true) => Format::Details,
        (false, false) => Format::Table,
    };
    match score::run(Path::new(directory), format, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Offers the simulated body, and says once a second how it is.
fn lola_simulator(arguments: &[String]) -> ExitCode {
    let has_button = !arguments.iter().any(|argument| argument == "--no-button");
    let mut rest = arguments.iter().filter(|argument| !argument.starts_with("--"));
    let (socket, seconds) = (rest.next(), rest.next().map(|text| text.parse::<f64>()));
    let (Some(socket), None | Some(Ok(_)), None) = (socket, &seconds, rest.next()) else {
        eprintln!(
            "usage: nao lola-simulator SOCKET [SECONDS] [--no-button]\n\nThe chest button of the body is pressed a second after a \
             client has connected. The robot's side: nao run --overlay lola --set source.Lola.parameters.socket=SOCKET"
        );
        return ExitCode::from(2);
    };
    let mut body = match LolaSimulator::bind(Path::new(socket), 1, Scenario::AloneInTheMiddle) {
        Ok(body) => body,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("the body is at {socket}; Ctrl-C ends it");
    let per_second = (1.0 / PERIOD.as_secs_f64()).round() as u64;
    let last = seconds.and_then(Result::ok).map_or(u64::MAX, |seconds| (seconds * per_second as f64) as u64);
    let (mut before, mut clients) = (body.statistics(), 0);
    body.serve(BodyPace::RealTime, |body| {
        let now = body.statistics();
        if now.cycles.is_multiple_of(per_second) {
            let truth = body.truth();
            let (place, heading) = (truth.robot.translation, truth.robot.rotation.to_degrees());
            let posture = if truth.fallen { "fallen" } else { "upright" };
            println!(
                "{:6.1} s  x {:5.2} m  y {:5.2} m  {heading:4.0}°  {posture}  commands {}, unanswered {}",
                truth.time,
                place.x,
                place.y,
                now.commands - before.commands,
                now.unanswered - before.unanswered
            );
            if has_button && now.clients > clients {
                body.press_chest_button(10);
                clients = now.clients;
            }
            before = now;
        }
        now.cycles >= last
    });
    ExitCode::SUCCESS
}
