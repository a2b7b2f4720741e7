//! A robot in a process of its own, and commands beside it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::Application;
use hemiola::prelude::*;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The environment variable with the folder of the robot that a process of the test program is to
/// be.
const FOLDER: &str = "HEMIOLA_TEST_CART";

pub const ROBOT: &str = "\
# A cart that follows a ball.
[cycle.drive]
rate = 50.0
priority = 10
modules = [\"Pilot\", \"Careful\", \"Bold\"]

[providers]
Goal = \"Careful\"

[module.Pilot]
gain = 0.5  # stable up to 0.9
";

#[derive(Representation, Clone, Default)]
pub struct Goal {
    pub metres: f64,
    pub bold: bool,
}

#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub step: u64,
    pub speed: f64,
    /// How often somebody honked.
    pub honks: u64,
    pub path: [[f32; 2]; 2],
}

/// What a source provides.
#[derive(Representation, Clone, Default)]
pub struct Turns {
    pub count: u32,
    pub since: [f32; 2],
}

#[derive(Source)]
pub struct Wheels {
    count: u32,
}

#[source]
impl Wheels {
    #[sample(rate = 20.0)]
    fn sample(&mut self, turns: &mut Turns) {
        self.count += 1;
        turns.count = self.count;
        turns.since = [0.5, 1.5];
    }
}

/// A message.
#[derive(Representation, Clone, Default)]
pub struct Honk {
    pub number: u64,
    pub loudness: f64,
    pub at: Time,
    pub held: Duration,
    pub tune: Tune,
}

#[derive(Data, Clone, Default)]
pub enum Tune {
    #[default]
    Low,
    High,
}

#[derive(Parameters)]
pub struct PilotParameters {
    /// How fast for each metre.
    #[parameter(default = 0.4, range = 0.0..=0.9, unit = "1/s")]
    gain: f64,
    #[parameter(default = [1.0, 2.0])]
    limits: [f64; 2],
}

#[derive(Module)]
pub struct Pilot {
    #[parameters]
    parameters: PilotParameters,
    honks: u64,
}

#[module]
impl Pilot {
    #[update]
    fn drive(&mut self, goal: &Goal, _: &Turns, clock: &Clock, heard: &Subscription<Honk>, drive: &mut Drive) {
        self.honks += heard.iter().count() as u64;
        drive.step = clock.run();
        drive.speed = (goal.metres * self.parameters.gain).min(self.parameters.limits[1]);
        drive.honks = self.honks;
        drive.path = [[1.0, 2.0], [3.0, 4.0]];
    }
}

#[derive(Module)]
pub struct Careful;

#[module]
impl Careful {
    #[update]
    fn goal(&self, goal: &mut Goal) {
        goal.metres = 1.0;
    }
}

#[derive(Module)]
pub struct Bold;

#[module]
impl Bold {
    #[update]
    fn goal(&self, goal: &mut Goal) {
        (goal.metres, goal.bold) = (3.0, true);
    }
}

/// A running robot in a folder of its own. It ends when this is dropped.
pub struct Cart {
    pub folder: PathBuf,
    owns_folder: bool,
    process: Child,
    /// The lines on the robot's standard error output.
    said: Vec<String>,
}

/// The longest wait for anything: under load everything takes its time.
const PATIENCE: Duration = Duration::from_secs(60);

/// The robot of the other tests, in a process that a test has started; not a test itself.
#[test]
fn robot_of_the_other_tests() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let arguments = std::env::var("HEMIOLA_TEST_ARGUMENTS").unwrap_or_default();
    let line = ["cart", "run", "--headless", "--no-trace", "--duration", "3600s"].map(str::to_owned);
    let more = arguments.split_whitespace().map(str::to_owned);
    let code = Application::new(Path::new(&folder).join("robot.toml")).run_with(line.into_iter().chain(more));
    // 3: on a busy machine a recorder may come too late for some values.
    assert!([ExitCode::SUCCESS, ExitCode::from(3)].contains(&code), "{code:?}");
}

impl Cart {
    /// Starts a robot in a new folder.
    pub fn start() -> Self {
        Self::start_with("")
    }

    /// Starts a robot in a new folder, with more arguments.
    pub fn start_with(arguments: &str) -> Self {
        let folder = new_folder();
        std::fs::write(folder.join("robot.toml"), ROBOT).unwrap();
        Self::start_in(folder, arguments)
    }

    /// Starts another process of this robot.
    pub fn start_another(&self) -> Self {
        let mut another = Self::start_in(self.folder.clone(), "");
        another.owns_folder = false;
        another
    }

    fn start_in(folder: PathBuf, arguments: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "cart::robot_of_the_other_tests", "--nocapture"])
            .env(FOLDER, &folder)
            .env("HEMIOLA_TEST_ARGUMENTS", arguments)
            .env("XDG_RUNTIME_DIR", &folder)
            .env("XDG_STATE_HOME", &folder)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(process.stderr.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut cart = Self { folder, owns_folder: true, process, said: Vec::new() };
        let socket = cart.folder.join(format!("hemiola/cart.{}.sock", cart.process()));
        let deadline = Instant::now() + PATIENCE;
        // The robot prints where its page is, or that it has none because all ports are taken.
        while !socket.exists() || !cart.said.iter().any(|line| line.contains("page: ") || line.contains("port")) {
            cart.said.extend(lines.recv_timeout(Duration::from_millis(20)));
            assert!(Instant::now() < deadline, "the robot has no door: {:#?}", cart.said);
        }
        // The values of a cycle are there when it has run.
        let process = cart.process().to_string();
        cart.until(&["top", "--robot", &process], |figures| figures["health"]["drive"]["runs"].as_u64() > Some(2));
        cart
    }

    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Returns the address that the robot has printed, with its token.
    pub fn page(&self) -> &str {
        self.said.iter().find_map(|line| line.strip_prefix("page: ")).expect("it has a page")
    }

    /// Runs a command as somebody types it.
    pub fn command(&self, arguments: &[&str]) -> Output {
        command_in(&self.folder, arguments)
    }

    /// Runs a command, which has to succeed, and returns what it prints.
    #[track_caller]
    pub fn prints(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        let [printed, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(output.status.success(), "{arguments:?}: {said}{printed}");
        printed
    }

    /// Runs a command with `--json`, and returns its answer.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let printed = self.prints(&[arguments, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}"))
    }

    /// Runs a command, which has to fail with that code, and returns its error.
    #[track_caller]
    pub fn refuses(&self, arguments: &[&str], code: i32) -> String {
        let output = self.command(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        said
    }

    /// Runs a command again and again until its answer is as wanted.
    #[track_caller]
    pub fn until(&self, arguments: &[&str], mut is_so: impl FnMut(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.json(arguments);
            if is_so(&answer) {
                return answer;
            }
            assert!(Instant::now() < deadline, "{arguments:?}: {answer}");
        }
    }

    /// Waits until the robot has made some more runs.
    #[track_caller]
    pub fn goes_on(&self) {
        let step = self.json(&["show", "Drive.step"])["value"].as_u64();
        self.until(&["show", "Drive.step"], |now| now["value"].as_u64() > step.map(|step| step + 5));
    }

    /// Sends the robot's process a signal.
    pub fn is_sent(&self, signal: Signal) {
        let process = Pid::from_raw(self.process() as i32).unwrap();
        kill_process(process, signal).unwrap();
    }

    /// Kills the robot's process, as a crash would.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits until the robot's process has ended, and returns whether it ended well.
    pub fn ends(&mut self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.success();
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for Cart {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
        if self.owns_folder {
            _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Makes a new folder with a short name, as paths of sockets must be short.
pub fn new_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("hemiola-live-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program `hemiola`, for which that folder holds the sockets of robots.
pub fn command_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hemiola"))
        .args(arguments)
        .env("XDG_RUNTIME_DIR", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdout, stderr) = (read(child.stdout.take().unwrap()), read(child.stderr.take().unwrap()));
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            // A command that hangs is killed, and has failed.
            _ = child.kill();
        }
        thread::sleep(Duration::from_millis(5));
    };
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// Reads what a process prints, to its end, on another thread.
fn read(mut printed: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        printed.read_to_end(&mut bytes).unwrap();
        bytes
    })
}
