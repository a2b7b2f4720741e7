//! What comes over a link is in the log, and is repeated from it without the other side: also where
//! stamps stand still, go back, or make no sense, and where the other side goes and comes back.
#![forbid(unsafe_code)]

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use hemiola::Application;
use hemiola::cdr::{self, MessageSchema};
use hemiola::data::RepresentationDescriptor;
use hemiola::link::wire::{Answer, Frame, Incoming, Message, Offer, OfferKind, VERSION};
use hemiola::log::{Entry, LogReader};
use hemiola::prelude::*;
use hemiola_test_robots::logs::{self, folder, values};

#[derive(Representation, Clone, Default)]
struct Ball {
    number: u32,
    x: f64,
}

#[derive(Representation, Clone, Default)]
struct Aim {
    x: f64,
    age: f64,
    stale: bool,
}

#[derive(Representation, Clone, Default)]
struct Heard {
    sum: u64,
}

#[derive(Representation, Clone, Default)]
struct Stride {
    length: f64,
    age: f64,
    /// How many runs found the ball stale.
    stale: u64,
}

/// Runs for each ball.
#[derive(Module)]
struct Striker {
    memory: f64,
}

#[module]
impl Striker {
    #[update]
    fn aim(&mut self, ball: Fresh<Ball>, aim: &mut Aim) {
        self.memory = 0.9 * self.memory + ball.x;
        *aim = Aim { x: self.memory, age: ball.age().as_secs_f64(), stale: ball.is_stale() };
    }
}

/// Runs at a rate of its own.
#[derive(Module)]
struct Strider {
    memory: f64,
    stale: u64,
}

#[module]
impl Strider {
    #[update]
    fn heard(&self, balls: Samples<Ball>, last: Previous<Heard>, heard: &mut Heard) {
        heard.sum = last.sum + balls.iter().map(|ball| u64::from(ball.number)).sum::<u64>();
    }

    #[update]
    fn stride(&mut self, ball: Fresh<Ball>, aim: &Aim, heard: &Heard, stride: &mut Stride) {
        self.memory = 0.5 * self.memory + aim.x + heard.sum as f64;
        self.stale += u64::from(ball.is_stale());
        *stride = Stride { length: self.memory, age: ball.age().as_secs_f64(), stale: self.stale };
    }
}

/// Returns the path of the robot's socket, which is short wherever the folder is.
fn socket() -> PathBuf {
    std::env::temp_dir().join(format!("hemiola-delivered-{}.sock", std::process::id()))
}

fn robot(arguments: &[&str]) -> ExitCode {
    let robot = format!(
        "[cycle.strike]\ntrigger = \"link.head.Ball\"\nmodules = [\"Striker\"]\n\
         [cycle.walk]\nrate = 100.0\nmodules = [\"Strider\"]\n\
         [link.head]\nlisten = \"unix:{}\"\nreceive = [{{ representation = \"Ball\" }}]\n",
        socket().display()
    );
    Application::embedded(&robot).run_with([&["robot"], arguments].concat())
}

/// Another program, which sends balls until nobody receives them any more. Now and then it goes,
/// and comes back some runs later.
fn send_balls() -> io::Result<()> {
    let mut attempts = (0..10_000).map(|_| {
        thread::sleep(Duration::from_millis(1));
        UnixStream::connect(socket())
    });
    let mut stream = attempts.find_map(Result::ok).ok_or(io::ErrorKind::NotFound)?;
    for stay in 0.. {
        send_some_balls(stream, BALLS * stay + 1)?;
        thread::sleep(Duration::from_millis(30));
        stream = UnixStream::connect(socket())?;
    }
    Ok(())
}

/// The number of balls between two departures.
const BALLS: u32 = 60;

fn send_some_balls(mut stream: UnixStream, first: u32) -> io::Result<()> {
    let schema = MessageSchema::of("Ball", &RepresentationDescriptor::of::<Ball>().data_type().unwrap());
    say(&mut stream, &Frame::Hello { version: VERSION, robot: "head" })?;
    let (kind, hash) = (OfferKind::Representation, &schema.type_hash);
    let offer = Offer { topic: 5, kind, name: "Ball", schema: &schema.name, hash, definition: &schema.text };
    say(&mut stream, &Frame::Offer(offer))?;
    let (mut incoming, mut buffer, mut is_wanted) = (Incoming::default(), [0; 4096], false);
    while !is_wanted {
        let count = stream.read(&mut buffer)?;
        incoming.push(&buffer[..count]);
        while let Some(frame) = incoming.next().unwrap() {
            is_wanted |= matches!(frame, Frame::Answer { topic: 5, answer: Answer::Wanted, .. });
        }
    }
    for number in first..first + BALLS {
        let time = i64::from(number) * 5_000_000;
        let stamp = match number % 7 {
            0 => i64::MIN,
            1 => i64::MAX,
            // Later values may be older: the ways through the other robot differ.
            left => time - 8_000_000 * i64::from(left),
        };
        let cdr = cdr::encode(&Ball { number, x: f64::from(number).sin() });
        let value = Message { topic: 5, sequence: u64::from(number - first + 1), time, stamp: Some(stamp), cdr: &cdr };
        say(&mut stream, &Frame::Message(value))?;
        thread::sleep(Duration::from_millis(3));
    }
    Ok(())
}

fn say(stream: &mut UnixStream, frame: &Frame<'_>) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    frame.write(&mut bytes);
    let length = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&bytes)
}

fn verify(log: &Path, arguments: &[&str]) -> ExitCode {
    robot(&[&["log", "verify", log.to_str().unwrap()], arguments].concat())
}

#[test]
fn what_came_over_a_link_is_repeated_to_the_bit() {
    let folder = folder("delivered");
    let log = folder.join("live.mcap");
    logs::record(&log, |log, pace| {
        let other = thread::spawn(send_balls);
        let arguments = ["run", "--headless", "--no-trace", "--no-page", "--speed", pace, "--duration", "3s"];
        let code = robot(&[&arguments[..], &["--set", "log.snapshot='500 ms'", "--log", log]].concat());
        assert!(other.join().unwrap().is_err(), "the robot has ended");
        assert!(code == ExitCode::SUCCESS || code == ExitCode::from(3));
        code == ExitCode::SUCCESS && departures(log) > 2 && stale(log) > 0
    });
    let balls = values(&log, "/link_head_Ball/Ball");
    let numbers: Vec<_> = balls.iter().map(|ball| cdr::decode::<Ball>(ball).unwrap().number).collect();
    assert!(numbers.len() > 20 && numbers.is_sorted(), "{numbers:?}");
    assert!(values(&log, "/strike/Aim").len() > 20);
    for arguments in [&["--workers", "1"][..], &["--workers", "4"], &["--from", "1500ms"]] {
        assert_eq!(verify(&log, arguments), ExitCode::SUCCESS, "{arguments:?}");
    }
    let again = folder.join("again.mcap");
    let replay = ["run", "--headless", "--no-trace", "--fast", "--replay", log.to_str().unwrap(), "--log"];
    assert_eq!(robot(&[&replay[..], &[again.to_str().unwrap()]].concat()), ExitCode::SUCCESS);
    assert_eq!(values(&again, "/link_head_Ball/Ball"), balls);
    assert_eq!(values(&again, "/walk/Stride"), values(&log, "/walk/Stride"));
    assert_eq!(departures(again.to_str().unwrap()), departures(log.to_str().unwrap()));
    // A log of a replay is one like any other.
    assert_eq!(verify(&again, &[]), ExitCode::SUCCESS);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Returns how many runs found the ball stale.
fn stale(log: &str) -> u64 {
    values(log.as_ref(), "/walk/Stride").last().map_or(0, |stride| cdr::decode::<Stride>(stride).unwrap().stale)
}

/// Returns how often a log says that the ball became stale: it has the last one once more, with the
/// time at which it was lost.
fn departures(log: &str) -> usize {
    let mut log = LogReader::open(Path::new(log)).unwrap();
    let (mut departures, mut last) = (0, Vec::new());
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == "/link_head_Ball/Ball"
        {
            if message.publish_time < message.log_time {
                assert_eq!(message.data, last, "it is the same ball");
                departures += 1;
            }
            last = message.data.to_vec();
        }
    }
    departures
}

#[test]
fn a_link_over_which_nothing_came_is_repeated_too() {
    let folder = folder("delivered-nothing");
    let log = folder.join("live.mcap");
    let run = ["run", "--headless", "--no-trace", "--fast", "--duration", "1s", "--log", log.to_str().unwrap()];
    assert_eq!(robot(&run), ExitCode::SUCCESS);
    assert!(values(&log, "/walk/Stride").len() >= 100);
    assert_eq!(verify(&log, &[]), ExitCode::SUCCESS);
    std::fs::remove_dir_all(&folder).unwrap();
}
