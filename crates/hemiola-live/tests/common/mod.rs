//! A robot with a door, and a client that connects to it.
#![allow(dead_code, reason = "each test uses some of it")]

#[path = "../../../../tests/foreign/programs.rs"]
pub mod foreign;
pub mod gate;
pub mod viewer;

use std::f32::consts::FRAC_PI_2;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_config::Catalog;
use hemiola_link::{LinkHost, Links};
use hemiola_live::{Door, DoorSettings, Part, Replayed, RobotFacts, RunningRobotSubject};
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, Keep, LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject, Trigger,
};
use hemiola_model::module::{ImageFormat, PixelFormat};
use hemiola_recording::recorder::{Head, Recorder, Recording, RecordingOptions};
use hemiola_recording::replay::{Beginning, Replay, ReplayLog};
use hemiola_runtime::{JournalEntry, Pace, Player, Robot, RobotHandle, RunningRobot, Tempo, Transport};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// How far the wheels have turned.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub metres: f64,
    pub history: [f32; 3],
    pub runs: u32,
}

/// Published every tenth run.
#[derive(Representation, Clone, Default)]
pub struct Beat {
    pub count: u32,
}

#[derive(Parameters)]
struct PilotParameters {
    /// How far each run goes.
    #[parameter(default = 0.5, range = 0.0..=2.0, unit = "m")]
    step: f64,
}

/// Drives on.
#[derive(Module)]
struct Pilot {
    #[parameters]
    parameters: PilotParameters,
}

#[module]
impl Pilot {
    #[update]
    fn drive(&self, last: Previous<Drive>, drive: &mut Drive, beats: &mut Publisher<Beat>, debug: &Debug) {
        debug.plot("pilot.metres", last.metres);
        debug.draw("track/cart", |canvas| canvas.circle([last.metres as f32, 0.0], 0.1, Color::ORANGE));
        // The vehicle faces to the left of the direction in which it drives.
        debug.draw("track/pose", |canvas| canvas.place("vehicle", [last.metres as f32, 0.0], FRAC_PI_2));
        debug.draw("vehicle/lamp", |canvas| canvas.circle([1.0, 0.0], 0.1, Color::CYAN));
        let format = ImageFormat { width: 8, height: 4, pixels: PixelFormat::Mono8 };
        debug.image("pilot.view", format, |pixels| pixels.fill(200));
        debug.draw("pilot.view/middle", |canvas| canvas.circle([3.5, 1.5], 1.0, Color::ORANGE));
        drive.metres = last.metres + self.parameters.step;
        drive.history = [1.0, 2.0, 3.0];
        drive.runs = last.runs + 1;
        if drive.runs.is_multiple_of(10) {
            beats.publish(Beat { count: drive.runs / 10 });
        }
    }
}

/// Does not move.
#[derive(Module)]
struct Parked {}

#[module]
impl Parked {
    #[update]
    fn drive(&self, last: Previous<Drive>, drive: &mut Drive) {
        drive.metres = -1.0;
        drive.runs = last.runs + 1;
    }
}

/// The token of the door.
pub const TOKEN: &str = "0123456789abcdef";

/// A running robot with an open door. Its cycle runs at 200 Hz.
pub struct House {
    pub robot: RunningRobot,
    pub door: Door,
}

impl House {
    /// Starts a robot of this configuration.
    pub fn open(configuration: Configuration) -> Self {
        Self::with_file(configuration, None)
    }

    /// Starts a robot whose configuration is stored in this file.
    pub fn with_file(configuration: Configuration, file: Option<PathBuf>) -> Self {
        let robot = Robot::assemble(configuration).unwrap().start(Pace::RealTime).unwrap();
        Self::of(robot, RobotFacts { file, ..RobotFacts::default() })
    }

    /// Starts a robot of this name with a link.
    pub fn linked(name: &str, configuration: Configuration, link: LinkConfiguration) -> (Self, Links) {
        let robot = Robot::assemble(configuration).unwrap().start(Pace::RealTime).unwrap();
        let handle = robot.handle();
        let host = LinkHost::new(name, handle.bus().clone(), handle.clock().clone(), |_| ());
        let links = Links::open(&[link], host).unwrap();
        let house = Self::of(robot, RobotFacts { links: links.view(), ..RobotFacts::default() });
        (house, links)
    }

    /// Starts the process of this name of a robot, whose links to the other processes are not
    /// opened.
    pub fn part(robot: &str, configuration: &Configuration, process: &str) -> Self {
        let whole = Robot::assemble(configuration.clone()).unwrap();
        let part = whole.part(process, Path::new("/run/robot")).unwrap();
        let running = Robot::assemble(part).unwrap().start(Pace::RealTime).unwrap();
        let name = format!("{robot}-{process}");
        let facts = RobotFacts { name, whole: Some(robot.to_owned()), ..RobotFacts::default() };
        let subject = RunningRobotSubject::new(running.handle().clone(), facts);
        let part = Part { process: process.to_owned(), started_by: Some(std::process::id()) };
        let settings = DoorSettings { part: Some(part), ..settings() };
        let door = Door::open(robot, settings, Box::new(subject)).unwrap();
        Self { robot: running, door }
    }

    fn of(robot: RunningRobot, facts: RobotFacts) -> Self {
        let facts = RobotFacts { name: "cart".into(), ..facts };
        let subject = RunningRobotSubject::new(robot.handle().clone(), facts);
        let door = Door::open("cart", settings(), Box::new(subject)).unwrap();
        Self { robot, door }
    }

    /// Starts a robot with one cycle of all linked modules.
    pub fn plain() -> Self {
        Self::open(configuration())
    }

    pub fn address(&self) -> SocketAddr {
        self.door.address().expect("it has a port")
    }

    /// Returns the number of runs so far, which clients do not affect.
    pub fn runs(&self) -> u64 {
        self.robot.handle().health()["motion"].runs
    }

    /// Waits until the robot has made further runs, which shows that nothing blocks it.
    pub fn runs_on(&self) {
        let before = self.runs();
        wait_until(|| self.runs() > before + 20);
    }

    /// Returns the complete answer to a request.
    pub fn http(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A door that closes the connection at once has no answer.
        _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Serves `double`, which can be called from outside, until the result is dropped.
    pub fn doubling(&self) -> impl Drop + use<> {
        let bus = self.robot.handle().bus();
        bus.allow_calls::<u32, u32>("double");
        let server = bus.server("double", 4).unwrap();
        server.spawn(hemiola::realtime::ThreadSettings::new("double"), |number: &u32| 2 * number).unwrap()
    }

    /// Connects a client with or without the token.
    pub fn client(&self, has_token: bool) -> Client {
        Client::of(self.address(), has_token)
    }
}

/// A replay of a log of twenty seconds by a robot with an open door, paused at its beginning.
pub struct Rerun {
    pub player: Player,
    pub transport: Transport,
    pub door: Door,
    log: PathBuf,
}

impl Rerun {
    /// Replays a log that is recorded now, and in which two moments are marked.
    pub fn open(name: &str) -> Self {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rerun-{name}-{}.mcap", std::process::id()));
        _ = std::fs::remove_file(&log);
        record(&log, 20.0, &[]);
        let recorded = ReplayLog::read(&log).unwrap();
        let robot = Robot::assemble(configuration()).unwrap();
        let replay = Replay::of(robot, &recorded, Beginning::OfLog, &[]).unwrap();
        let player = replay.robot.into_player(Tempo::default()).unwrap();
        let transport = player.transport();
        let facts = RobotFacts { name: "cart".into(), pace: "real time".into(), ..RobotFacts::default() };
        let replayed = Replayed {
            transport: transport.clone(),
            begin: player.handle().now(),
            end: recorded.end(),
            // In real time, events happen between the runs of a robot.
            events: recorded.events().iter().cloned().map(|event| later(event, Duration::from_millis(1))).collect(),
        };
        let subject = RunningRobotSubject::replaying(player.handle().clone(), facts, replayed);
        let door = Door::open("cart", settings(), Box::new(subject)).unwrap();
        Self { player, transport, door, log }
    }

    pub fn address(&self) -> SocketAddr {
        self.door.address().expect("it has a port")
    }

    /// Returns the number of runs so far.
    pub fn runs(&self) -> u64 {
        self.player.handle().health()["motion"].runs
    }

    /// Connects a client with or without the token.
    pub fn client(&self, has_token: bool) -> Client {
        Client::of(self.address(), has_token)
    }
}

fn later(mut event: JournalEntry, by: Duration) -> JournalEntry {
    event.at = event.at + by;
    event
}

impl Drop for Rerun {
    fn drop(&mut self) {
        _ = std::fs::remove_file(&self.log);
    }
}

/// Records the plain robot for that many seconds, with its output under these names, and its
/// configuration.
pub fn record(log: &Path, seconds: f64, debug: &[&str]) {
    let mut configuration = configuration();
    configuration.log.debug = debug.iter().map(|name| (*name).to_owned()).collect();
    let robot = Robot::assemble(configuration).unwrap();
    let options = RecordingOptions { path: Some(log.to_owned()), ..RecordingOptions::default() };
    let recording = Recording::of(&options, &robot, "cart").unwrap().unwrap();
    let text = "[cycle.motion]\nrate = 200.0\ndeadline = \"4 ms\"\npriority = 30\n";
    let origins = hemiola_config::parse(text, "robot.toml", &Catalog::linked()).unwrap().origins;
    let head = Head::of(&robot, "cart", &origins, &[]);
    let mut stepper = robot.into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let recorder = Recorder::start(&handle, recording, head).unwrap();
    let marks = [(5.0, "lost the track"), (12.0, "found the track")];
    for (at, mark) in marks.into_iter().filter(|(at, _)| *at < seconds) {
        stepper.run_until(Time::from_seconds(at));
        handle.mark(mark.to_owned(), None);
    }
    stepper.run_until(Time::from_seconds(seconds));
    handle.stop();
    drop(stepper);
    assert!(recorder.finish().unwrap().is_whole());
}

/// A client of the door.
pub struct Client {
    pub socket: WebSocket<TcpStream>,
    next: u64,
    /// The first message of the robot.
    pub welcome: Value,
    /// The events that arrived while the client waited for an answer.
    pub events: Vec<Value>,
    /// The binary messages that arrived while the client waited for an answer.
    pub bytes: Vec<Vec<u8>>,
}

impl Client {
    /// Connects to the door at an address.
    pub fn of(address: SocketAddr, has_token: bool) -> Self {
        let query = if has_token { format!("?token={TOKEN}") } else { String::new() };
        let mut request = format!("ws://{address}/{query}").into_client_request().unwrap();
        request.headers_mut().insert("Sec-WebSocket-Protocol", "hemiola.v1".parse().unwrap());
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let config = WebSocketConfig::default();
        let (socket, _) = tungstenite::client::client_with_config(request, stream, Some(config)).unwrap();
        let mut client = Client { socket, next: 0, welcome: Value::Null, events: Vec::new(), bytes: Vec::new() };
        client.welcome = client.read().expect("it is welcomed");
        assert_eq!(client.welcome["event"], "welcome");
        client
    }

    /// Returns the next text message, and keeps binary messages. Returns `None` once the door has
    /// closed.
    pub fn read(&mut self) -> Option<Value> {
        loop {
            match self.socket.read().ok()? {
                Message::Text(text) => return serde_json::from_str(&text).ok(),
                Message::Binary(bytes) => self.bytes.push(bytes.to_vec()),
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// Sends a request, and waits for the answer.
    pub fn ask(&mut self, request: Value) -> Result<Value, String> {
        let number = self.say(request)?;
        self.answer(number)
    }

    /// Sends a request, and returns its number.
    pub fn say(&mut self, mut request: Value) -> Result<u64, String> {
        self.next += 1;
        request["id"] = json!(self.next);
        self.socket.send(Message::text(request.to_string())).map_err(|error| error.to_string())?;
        Ok(self.next)
    }

    /// Waits for the answer to the request of this number.
    pub fn answer(&mut self, number: u64) -> Result<Value, String> {
        loop {
            let is_it =
                |answer: &Value| answer["id"] == json!(number) || answer["id"].is_null() && answer["error"].is_string();
            let answer = match self.events.iter().position(is_it) {
                Some(index) => self.events.remove(index),
                None => self.read().ok_or("the door has closed")?,
            };
            if !is_it(&answer) {
                self.events.push(answer);
                continue;
            }
            return match answer["error"].as_str() {
                Some(error) => Err(error.to_owned()),
                None => Ok(answer["result"].clone()),
            };
        }
    }

    /// Returns the next binary message.
    pub fn next_bytes(&mut self) -> Vec<u8> {
        while self.bytes.is_empty() {
            match self.socket.read().expect("the door is open") {
                Message::Binary(bytes) => self.bytes.push(bytes.to_vec()),
                Message::Text(text) => self.events.push(serde_json::from_str(&text).unwrap()),
                _ => {}
            }
        }
        self.bytes.remove(0)
    }

    /// Returns the next event of this name.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(index) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(index);
            }
            let event = self.read().expect("the door is open");
            self.events.push(event);
        }
    }
}

/// Returns a configuration with one cycle of all linked modules.
pub fn configuration() -> Configuration {
    let mut configuration = Configuration::default();
    configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(200.0)));
    configuration.providers.insert("Drive".into(), "Pilot".into());
    configuration
}

/// Returns a link that listens at a port that no other test uses, and sends `Beat`.
pub fn sending(name: &str, keep: Keep) -> LinkConfiguration {
    let link = LinkConfiguration::new(name, LinkEnd::Listen(LinkAddress::Tcp(([127, 0, 0, 1], 0).into())));
    LinkConfiguration { send: vec![Sent { keep, ..Sent::topic("Beat") }], ..link }
}

/// Returns a link that connects to the first of these, and receives `Beat`.
pub fn receiving(name: &str, sending: &Links) -> LinkConfiguration {
    let address = sending.statistics()[0].address.strip_prefix("tcp:").unwrap().parse().unwrap();
    let link = LinkConfiguration::new(name, LinkEnd::Connect(LinkAddress::Tcp(address)));
    LinkConfiguration { receive: vec![Received::new(Subject::topic("Beat"))], ..link }
}

/// Returns settings with a port that the system chooses.
pub fn settings() -> DoorSettings {
    DoorSettings { port: Some(0), token: Some(TOKEN.into()), ..DoorSettings::default() }
}

/// Looks at a value of a running robot; again if its cycle does not run meanwhile, as on a busy
/// machine.
pub fn value<T: Representation, R>(robot: &RobotHandle, look: impl Fn(&T) -> R) -> R {
    let mut seen = None;
    wait_until(|| {
        seen = robot.with_value(&look).ok();
        seen.is_some()
    });
    seen.expect("it was seen")
}

/// A time that is longer than anything takes in these tests.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Polls until `is_so` returns true, and fails if it never does.
pub fn wait_until(mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "this never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}
