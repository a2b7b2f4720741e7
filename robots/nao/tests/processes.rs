//! Tests of the NAO in three processes, with the page open: it plays as in one, even while
//! perception is killed.
#![forbid(unsafe_code)]

#[path = "../../../tests/addresses.rs"]
mod addresses;

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::client::{Address, Connection, Incoming};
use hemiola_live::protocol::binary::Frame;
use hemiola_live::protocol::{Request, Watched};
use rustix::process::{Pid, Signal, kill_process};

/// The robot's processes, and the folder for their files.
struct Game {
    child: Child,
    folder: PathBuf,
}

/// The maximum wait for anything, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

impl Game {
    fn start(name: &str, arguments: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("nao-processes-{name}"));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let profile = format!("output.profile='{}'", folder.join("profile.json").display());
        let child = Command::new(env!("CARGO_BIN_EXE_nao"))
            .args(["run", "--overlay", "processes", "--no-trace", "--set", &profile])
            .args(["--page", &addresses::free_port().to_string()])
            // Other programs may have the cores for some time.
            .args(["--set", "cycle.motion.watchdog='20 s'"])
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    /// Returns the newest process of perception.
    fn vision(&self) -> Option<Pid> {
        let text = self.text();
        let mut numbers = text.lines().filter_map(|line| line.strip_prefix("process `vision` is ")?.parse().ok());
        numbers.next_back().and_then(Pid::from_raw)
    }

    /// Waits until the game is over, and calls `meanwhile` repeatedly.
    fn play(&mut self, mut meanwhile: impl FnMut(&Self)) {
        let begin = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < PATIENCE, "it does not end: {}", self.text());
            meanwhile(self);
            thread::sleep(Duration::from_millis(10));
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.text());
    }
}

/// What the page shows, as a program: values of motion, cognition and audio, and the statistics.
struct Page {
    connection: Connection,
    /// The number of messages with values of each of [`VALUES`](Self::VALUES).
    values: [u32; 3],
    /// The runs of each cycle of [`CYCLES`](Self::CYCLES) in the newest statistics.
    runs: [u64; 3],
}

impl Page {
    const CYCLES: [&str; 3] = ["motion", "cognition", "audio"];
    /// Values of these cycles.
    const VALUES: [&str; 3] = ["JointAngles", "BallModel", "AudioLevel"];

    /// Opens the page of a game; `None` before it is served and shows all values.
    fn open(game: &Game) -> Option<Self> {
        let text = game.text();
        let printed = text.lines().find_map(|line| line.strip_prefix("page: "))?;
        let Address::Tcp { host, token, .. } = Address::tcp(printed, None).unwrap() else { unreachable!() };
        // The page asks for all processes in this way.
        let address = Address::Tcp { host, token, process: Some("*".to_owned()) };
        let mut connection = Connection::open(&address).ok()?;
        connection.set_patience(PATIENCE);
        connection.request(Request::Watch { what: Watched::Statistics, period: None, names: None }).ok()?;
        for (subscription, value) in (0..).zip(Self::VALUES) {
            let (value, rate) = (Some(value.to_owned()), Some(10.0));
            let form = Default::default();
            connection.request(Request::Subscribe { subscription, value, topic: None, rate, form }).ok()?;
        }
        Some(Self { connection, values: [0; 3], runs: [0; 3] })
    }

    /// Takes what has arrived, until the game has ended.
    fn look(&mut self) {
        while let Ok(Some(message)) = self.connection.next(Duration::ZERO) {
            match message {
                Incoming::Binary(Frame::Value(value)) => self.values[value.head.subscription as usize] += 1,
                Incoming::Event { name, content } if name == "statistics" => {
                    self.runs = Self::CYCLES.map(|cycle| content["health"][cycle]["runs"].as_u64().unwrap_or_default());
                }
                _ => {}
            }
        }
    }
}

impl Drop for Game {
    /// Ends the first process, with which the others end.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A game of up to a minute in real time, with the page open all the while.
#[test]
fn what_sees_hears_and_walks_are_one_robot_that_scores_beside_its_page() {
    // The chain from the image continues with the values from the link.
    let parts = [
        "received MotionRequest: ",
        "received JointAngles: ",
        "received SimulatedWorld: ",
        "walks",
        "image-to-joints by MotionRequest",
        "goals 1, the first after",
    ];
    let mut lacking = Vec::new();
    // Images that come too late, as on a busy machine, may cost the goal of one game.
    for attempt in ["first", "second", "third"] {
        let mut game = Game::start(attempt, &[]);
        let mut page = None;
        game.play(|game| match &mut page {
            None => page = Page::open(game),
            Some(page) => page.look(),
        });
        let page = page.expect("the page is served");
        assert!(page.values.iter().all(|count| *count > 20), "{:?} {:?}", Page::VALUES, page.values);
        assert!(page.runs.iter().all(|runs| *runs > 20), "{:?} {:?}", Page::CYCLES, page.runs);
        let text = game.text();
        lacking = parts.into_iter().filter(|part| !text.contains(part)).map(|part| (part, text.clone())).collect();
        if lacking.is_empty() {
            break;
        }
    }
    assert!(lacking.is_empty(), "{lacking:?}");
}

/// A game of up to a minute, in which perception dies every five seconds, and goes on from what
/// motion has kept.
#[test]
#[ignore = "takes a minute, and is about time; .ci/long runs it"]
fn it_scores_while_what_sees_is_killed_every_five_seconds() {
    let mut game = Game::start("killed", &["--statistics", "report.json"]);
    let (mut kills, mut last) = (0, Instant::now());
    // The number of values of cognition that the page had at the first kill.
    let (mut page, mut before) = (None::<Page>, 0);
    game.play(|game| {
        match &mut page {
            None => page = Page::open(game),
            Some(page) => page.look(),
        }
        if last.elapsed() > Duration::from_secs(5)
            && let Some(vision) = game.vision()
        {
            kill_process(vision, Signal::KILL).unwrap();
            if kills == 0 {
                before = page.as_ref().map_or(0, |page| page.values[1]);
            }
            (kills, last) = (kills + 1, Instant::now());
        }
    });
    let values = page.expect("the page is served").values;
    println!("the page had values of {:?}: {values:?}, of the second {before} before the first kill", Page::VALUES);
    let text = game.text();
    let motion = text.lines().rfind(|line| line.starts_with("motion ")).unwrap_or_default();
    let truth = text.lines().rfind(|line| line.contains("truth ")).unwrap_or_default();
    println!("what sees was killed {kills} times\n{motion}\n{truth}");
    assert!(values[1] > before && before > 0, "the page shows what comes back");
    assert!(kills > 2 && motion.contains(" 0 missed"), "{text}");
    assert!(truth.contains("goals 1, the first after"), "it has not scored: {text}");
}
