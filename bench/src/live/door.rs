//! The cost of the door: the processor time of its threads while a client is connected, in percent
//! of a core.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hemiola_live::client::{Connection, Incoming};
use hemiola_live::protocol::binary::Frame;
use hemiola_live::protocol::{Form, Request, Watched};

use super::median;
use super::robot::{LiveRobot, RobotProgram, at_the_door};
use super::threads::{ThreadTimes, sum};
use crate::bar::{Bar, Limit};
use crate::error::BenchError;

/// A robot, and what a client requests from it.
struct Case<'r> {
    label: &'static str,
    robot: &'r RobotProgram,
    /// The requests of the client; with `None`, no client connects.
    wish: Option<Wish>,
    /// The figures of each round.
    rounds: Vec<Used>,
}

#[derive(Clone, Copy)]
struct Wish {
    /// The representations whose numbers are plotted, and shown as values.
    plotted: &'static [&'static str],
    camera: Option<Camera>,
}

#[derive(Clone, Copy)]
struct Camera {
    name: &'static str,
    form: Form,
}

/// The time that threads have used, in percent of a core, and what was sent for it.
struct Used {
    door: f64,
    /// The time of the robot's own thread that gathers events, for the door as well.
    service: f64,
    messages: f64,
    megabytes: f64,
}

/// The number of plotted numbers.
pub const PLOTS: usize = 20;
const RATE: f64 = 30.0;
/// The time in which a client connects and receives what comes at first only.
const SETTLE: Duration = Duration::from_secs(1);
/// Numbers of the NAO that change with each run of motion.
const NAO: &[&str] = &["JointAngles", "ImuSample", "RobotPose"];
const WAVES: &[&str] = &["Waves"];

/// Measures both robots in turn, and returns a table.
pub fn measure(
    nao: &RobotProgram,
    waves: &RobotProgram,
    length: Duration,
    rounds: usize,
) -> Result<String, BenchError> {
    let case = |label, robot, wish| Case { label, robot, wish, rounds: Vec::new() };
    let wish = |plotted, camera: Option<(&'static str, Form)>| {
        Some(Wish { plotted, camera: camera.map(|(name, form)| Camera { name, form }) })
    };
    let mut cases = [
        case("the NAO: no client", nao, None),
        case("the NAO: 20 plots, values, timeline", nao, wish(NAO, None)),
        case("and a camera, 320 x 240, raw", nao, wish(NAO, Some(("UpperImage", Form::Cdr)))),
        case("the same as JPEG", nao, wish(NAO, Some(("UpperImage", Form::Jpeg)))),
        case("waves at 1 kHz: 20 plots, values, timeline", waves, wish(WAVES, None)),
        case("and a camera, 640 x 480, raw", waves, wish(WAVES, Some(("Picture", Form::Cdr)))),
    ];
    for _ in 0..rounds {
        for case in &mut cases {
            // The robot may run for longer than needed; it ends with the turn.
            let running = LiveRobot::start(case.robot, 2 * (length + SETTLE) + Duration::from_secs(60))?;
            case.rounds.push(match case.wish {
                Some(wish) => look(&running, &wish, case.robot.label, length)?,
                None => watch(&running, length, || {
                    std::thread::sleep(length);
                    Ok((0, 0))
                })?,
            });
        }
    }
    Ok(text(&cases, length))
}

/// Connects to the door as a page does, and receives what it sends.
fn look(running: &LiveRobot, wish: &Wish, label: &'static str, length: Duration) -> Result<Used, BenchError> {
    let mut client = running.connect()?;
    let failed = at_the_door(label);
    let mut ask = |request: Request| client.request(request).map_err(&failed);
    let watch_for = |what, period| Request::Watch { what, period, names: None };
    let value = |subscription, name: &str, form| {
        let (value, rate) = (Some(name.to_owned()), Some(RATE));
        Request::Subscribe { subscription, value, topic: None, rate, form }
    };
    let mut fields = Vec::new();
    for (number, &name) in wish.plotted.iter().enumerate() {
        let all = ask(Request::Fields { value: Some(name.to_owned()), topic: None })?;
        let paths = all.as_array().into_iter().flatten().filter_map(|field| field["path"].as_str());
        fields.extend(paths.map(str::to_owned));
        ask(value(10 + number as u32, name, Form::Cdr))?;
    }
    fields.truncate(PLOTS);
    ask(Request::Plot { subscription: 1, fields, rate: Some(RATE) })?;
    ask(Request::Events { subscription: 2 })?;
    ask(watch_for(Watched::Statistics, Some(500_000_000)))?;
    ask(watch_for(Watched::Journal, None))?;
    if let Some(Camera { name, form }) = wish.camera {
        ask(value(3, name, form))?;
    }
    receive(&mut client, SETTLE).map_err(&failed)?;
    watch(running, length, || receive(&mut client, length).map_err(&failed))
}

/// Measures what is used while `receive` runs, which returns the number of messages and of bytes.
fn watch(
    running: &LiveRobot,
    length: Duration,
    receive: impl FnOnce() -> Result<(u64, u64), BenchError>,
) -> Result<Used, BenchError> {
    let before = ThreadTimes::of(running.process())?;
    let (messages, bytes) = receive()?;
    let used = ThreadTimes::of(running.process())?.since(&before);
    let seconds = length.as_secs_f64();
    Ok(Used {
        door: sum(&used, is_of_the_door),
        service: sum(&used, |thread| thread == SERVICE),
        messages: messages as f64 / seconds,
        megabytes: bytes as f64 / 1e6 / seconds,
    })
}

/// The name of a thread that the robot has whether there is a door or not. The kernel keeps 15
/// characters of a name.
const SERVICE: &str = "hemiola service";

/// The names of the other threads of a robot that are there without a door.
const OTHERS: [&str; 7] =
    [SERVICE, "hemiola upkeep", "hemiola trace", "hemiola signals", "hemiola watchdo", "hemiola player", "hemiola end"];

/// Returns whether a thread belongs to the door: it is one of Hemiola's, and no other one of the
/// robot.
pub fn is_of_the_door(thread: &str) -> bool {
    thread.starts_with("hemiola ") && !OTHERS.contains(&thread)
}

/// Receives messages for that long; returns how many, and how many bytes of values were in them.
fn receive(client: &mut Connection, length: Duration) -> Result<(u64, u64), hemiola_live::client::ClientError> {
    let end = Instant::now() + length;
    let (mut messages, mut bytes) = (0, 0);
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        let Some(message) = client.next(left)? else { continue };
        messages += 1;
        bytes += match message {
            Incoming::Binary(Frame::Value(value)) => value.data.len() as u64,
            Incoming::Binary(Frame::Points { fields, .. }) => {
                fields.iter().map(|field| 24 * field.points.len() as u64).sum()
            }
            Incoming::Binary(Frame::Events { records, .. }) => 32 * records.len() as u64,
            Incoming::Event { .. } | Incoming::Journal(_) => 0,
        };
    }
    Ok((messages, bytes))
}

/// The limits for a page without images, and for one with a camera, in percent of a core.
const MOST: f64 = 3.0;
const MOST_WITH_CAMERA: f64 = 8.0;

fn text(cases: &[Case<'_>], length: Duration) -> String {
    let rounds = cases.first().map_or(0, |case| case.rounds.len());
    let mut text = format!(
        "processor time in percent of a core, for one client at {RATE} Hz (medians of {rounds} rounds of {} s)\n  {:46}{:>9}{:>14}{:>14}{:>10}\n",
        length.as_secs(),
        "",
        "door, %",
        "gathering, %",
        "messages/s",
        "MB/s"
    );
    let of = |case: &Case<'_>, pick: fn(&Used) -> f64| median(case.rounds.iter().map(pick));
    for case in cases {
        let (door, service) = (of(case, |used| used.door), of(case, |used| used.service));
        let (messages, megabytes) = (of(case, |used| used.messages), of(case, |used| used.megabytes));
        // Writing to a string cannot fail.
        _ = writeln!(text, "  {:46}{door:>9.2}{service:>14.2}{messages:>14.0}{megabytes:>10.2}", case.label);
    }
    let percent = |number: usize| cases.get(number).map_or(f64::NAN, |case| of(case, |used| used.door));
    let bar = |what, most, is| Bar { what, limit: Limit::AtMost(most), is, unit: " %" }.to_string();
    text + &bar("plots, values, timeline (the NAO)", MOST, percent(1))
        + &bar("with a camera of 640 x 480", MOST_WITH_CAMERA, percent(5))
}
