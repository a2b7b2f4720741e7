//! The examples `leader` and `follower` as separate programs: they exchange messages, are killed
//! and return, and the log that one of them records of the other is replayed.
#![forbid(unsafe_code)]

#[path = "../../addresses.rs"]
mod addresses;

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola::log::{Entry, LogReader, Message};
use hemiola::prelude::*;
use hemiola_bus::{Bus, Queue, RobotClock, WhenFull};
use hemiola_link::{LinkHost, Links};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, Received, Subject};
use rustix::process::{Pid, Signal, kill_process};

/// As the leader has it.
#[derive(Representation, Clone, Default)]
struct Odometry {
    x: f64,
    y: f64,
    heading: f64,
}

/// A program that runs, whose output goes to a file.
struct Run {
    child: Child,
    output: PathBuf,
}

const LEADER: &str = env!("CARGO_BIN_EXE_leader");
const FOLLOWER: &str = env!("CARGO_BIN_EXE_follower");
/// A time that no wait exceeds, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

impl Run {
    fn leader(folder: &Path, address: &LinkAddress) -> Self {
        Self::start(LEADER, folder, &["--set", &format!("link.follower.listen='{address}'")])
    }

    fn follower(folder: &Path, address: &LinkAddress) -> Self {
        Self::start(FOLLOWER, folder, &["--set", &format!("link.leader.connect='{address}'")])
    }

    fn start(program: &str, folder: &Path, arguments: &[&str]) -> Self {
        let name = Path::new(program).file_name().unwrap();
        let output = folder.join(name).with_extension("txt");
        let file = fs::File::create(&output).unwrap();
        let child = Command::new(program)
            .args(["run", "--headless", "--no-trace", "--no-page"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .current_dir(folder)
            .spawn()
            .unwrap();
        Self { child, output }
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    /// Waits until the program has printed this.
    fn says(&self, text: &str) {
        let patience = Instant::now() + PATIENCE;
        while !self.said().contains(text) {
            assert!(Instant::now() < patience, "it does not say `{text}`: {}", self.said());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends the program as Ctrl-C does, and returns its last output.
    fn interrupt(mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        let patience = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < patience, "it does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.said()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A further subscriber to the leader.
struct Witness {
    links: Links,
    seen: Queue<Odometry>,
}

impl Witness {
    fn at(address: &LinkAddress) -> Self {
        let bus = Bus::new();
        let seen = bus.readable_topic("Odometry").unwrap().queue(64, WhenFull::DropOldest);
        let end = LinkEnd::Connect(address.clone());
        let receive = vec![Received::new(Subject::topic("Odometry"))];
        let link = LinkConfiguration { receive, ..LinkConfiguration::new("leader", end) };
        let host = LinkHost::new("witness", bus, Arc::new(RobotClock::running(1.0)), |_| {});
        Self { links: Links::open(&[link], host).unwrap(), seen }
    }

    /// Waits until the leader drives in a circle with that radius.
    fn sees(&mut self, radius: f64) {
        let patience = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < patience, "it is not seen: {:?}", self.links.statistics());
            match self.seen.receive() {
                Some(odometry) if (odometry.x.hypot(odometry.y) - radius).abs() < 1e-9 => return,
                Some(_) => {}
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("linked-{name}"));
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns an address that is short enough for a Unix socket, wherever the build folder is.
fn unix(name: &str) -> LinkAddress {
    LinkAddress::Unix(std::env::temp_dir().join(format!("hemiola-linked-{}-{name}.sock", std::process::id())))
}

#[test]
fn two_programs_talk_both_ways() {
    let free = UdpSocket::bind((addresses::own_loopback(0), 0)).unwrap().local_addr().unwrap();
    let shared = match unix("share") {
        LinkAddress::Unix(path) => LinkAddress::Shm(path),
        other => other,
    };
    for (name, address) in
        [("unix", unix("talk")), ("shm", shared), ("udp", LinkAddress::Udp(free)), ("tcp", LinkAddress::Tcp(free))]
    {
        let folder = folder(name);
        let (follower, leader) = (Run::follower(&folder, &address), Run::leader(&folder, &address));
        // The leader begins with a small circle; the follower requests a large one.
        Witness::at(&address).sees(2.0);
        // It reports once a second, by which time it has compared the clocks.
        follower.says(" runs, ");
        let said = follower.interrupt();
        for part in [
            "link leader connects to",
            "sent Wish: ",
            "received Odometry: ",
            "received Drive: ",
            "called IsRoom: ",
            "the clock of leader is ",
            "`leader` has connected",
            "`heading` is sent",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let calls = said.lines().find(|line| line.contains("called IsRoom: ")).unwrap();
        assert!(!calls.contains("called IsRoom: 0 calls") && !calls.contains("refused"), "{calls}");
        leader.says("`follower` has disconnected: it has said goodbye: the robot has ended");
        let said = leader.interrupt();
        for part in ["link follower listens at", "served IsRoom: ", "`follower` has connected"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let counts = said.lines().find(|line| line.contains("link follower listens at")).unwrap();
        assert!(!counts.contains("refused"), "{counts}");
    }
}

#[test]
fn who_is_killed_leaves_the_other_as_it_was_and_comes_back() {
    let (folder, address) = (folder("killed"), unix("killed"));
    let follower = Run::follower(&folder, &address);
    let mut witness = Witness::at(&address);
    for time in 1..=3 {
        let mut leader = Run::leader(&folder, &address);
        witness.sees(2.0);
        // Its socket is left behind, and its successor takes it over.
        leader.child.kill().unwrap();
        leader.child.wait().unwrap();
        let patience = Instant::now() + PATIENCE;
        while witness.links.statistics()[0].parted < time {
            assert!(Instant::now() < patience, "the end is not noticed");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    let said = follower.interrupt();
    assert!(said.contains(", 3 met, "), "{said}");
    let LinkAddress::Unix(path) = address else { panic!("it is a Unix socket") };
    fs::remove_file(path).unwrap();
}

/// Returns the number of the leader's values in a log that is being written.
fn recorded(log: &Path) -> usize {
    let Ok(mut log) = LogReader::open(log) else { return 0 };
    let mut values = 0;
    while let Some(entry) = log.next_entry() {
        let is_value = |message: &Message<'_>| message.channel.topic == "/link_leader_Drive/Drive";
        values += usize::from(matches!(&entry, Ok(Entry::Message(message)) if is_value(message)));
    }
    values
}

#[test]
fn a_log_of_who_receives_a_representation_is_repeated_to_the_bit() {
    // On a busy machine the recorder may come too late for some values.
    assert!((0..5).any(|_| is_repeated_to_the_bit()), "the log lacks values each time");
}

/// Records, and verifies the log. Returns whether it lacks nothing.
fn is_repeated_to_the_bit() -> bool {
    let (folder, address) = (folder("repeated"), unix("repeated"));
    let log = folder.join("follower.mcap");
    let connect = format!("link.leader.connect='{address}'");
    // Messages from outside cannot be replayed, but values can.
    let receive = "link.leader.receive=[{ representation = 'Drive' }]";
    let arguments = ["--set", &connect, "--set", receive, "--log", log.to_str().unwrap()];
    let follower = Run::start(FOLLOWER, &folder, &arguments);
    let mut before = 0;
    for _ in 0..2 {
        let mut leader = Run::leader(&folder, &address);
        let patience = Instant::now() + PATIENCE;
        while recorded(&log) < before + 20 {
            assert!(Instant::now() < patience, "nothing is recorded");
            std::thread::sleep(Duration::from_millis(100));
        }
        leader.child.kill().unwrap();
        leader.child.wait().unwrap();
        before = recorded(&log);
    }
    let said = follower.interrupt();
    assert!(said.contains(", 2 met, ") && said.contains("received Drive: "), "{said}");
    let verify = Command::new(FOLLOWER).args(["log", "verify"]).arg(&log).current_dir(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&verify.stdout);
    let code = verify.status.code();
    assert!([Some(0), Some(3)].contains(&code), "{said}{}", String::from_utf8_lossy(&verify.stderr));
    let LinkAddress::Unix(path) = address else { panic!("it is a Unix socket") };
    fs::remove_file(path).unwrap();
    code == Some(0)
}
