//! Tests of the driver against a simulated device that disconnects and sends invalid lines.
#![forbid(unsafe_code)]

use std::io::{ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::configuration::{Catalog, parse};
use hemiola::prelude::*;
use hemiola::runtime::{Pace, Robot, RobotHandle};
use hemiola_book::range_finder::{Keeper, Range, RangeFinder, RangeFinderParameters, Speed};

// ANCHOR: device
/// A range finder for tests: it sends what the test chooses.
struct Device {
    listener: TcpListener,
    is_plugged_in: AtomicBool,
}

impl Device {
    fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").unwrap(), is_plugged_in: AtomicBool::new(false) }
    }

    fn address(&self) -> String {
        self.listener.local_addr().unwrap().to_string()
    }

    /// Waits until the driver connects, and sends it a text.
    fn send(&self, text: &str) -> TcpStream {
        let (mut stream, _) = self.listener.accept().unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Sends two metres to every client, 200 times a second, and disconnects in the middle of a
    /// line when the device is unplugged.
    fn measure(&self) {
        loop {
            let mut stream = self.send("2.");
            while self.is_plugged_in.load(Ordering::Relaxed) && stream.write_all(b"0\n2.").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}
// ANCHOR_END: device

fn driver(device: &Device, patience: Duration) -> RangeFinder {
    let pause = Duration::from_millis(1);
    RangeFinder::create(RangeFinderParameters { address: device.address(), patience, pause })
}

fn at(milliseconds: u64) -> Clock {
    let now = Time::ZERO + Duration::from_millis(milliseconds);
    Clock::new(now, Duration::from_millis(10), 1)
}

// ANCHOR: reconnects
#[test]
fn a_device_that_hangs_up_is_connected_to_again() {
    let device = Device::new();
    let mut driver = driver(&device, Duration::from_secs(60));
    let mut range = Range::default();
    let mut sample = || driver.range(&at(10), &mut range).map(|stamp| (stamp.unwrap(), range.metres));
    thread::scope(|scope| {
        scope.spawn(|| {
            drop(device.send("1.25\n"));
            drop(device.send("0.75\n"));
        });
        let (stamp, metres) = sample().unwrap();
        assert!(metres == 1.25 && stamp > at(10).now(), "it is stamped when it came, not when it was asked for");
        assert_eq!(sample().unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(sample().unwrap().1, 0.75);
    });
}
// ANCHOR_END: reconnects

#[test]
fn silence_nonsense_and_an_absent_device_are_errors() {
    let fails = |device: &Device, patience, text: &str| {
        let mut driver = driver(device, patience);
        thread::scope(|scope| {
            let stream = scope.spawn(|| device.send(text));
            let error = driver.range(&at(10), &mut Range::default()).unwrap_err();
            drop(stream.join());
            error
        })
    };
    let device = Device::new();
    let silent = fails(&device, Duration::from_millis(20), "");
    assert!(matches!(silent.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{silent}");
    let nonsense = fails(&device, Duration::from_secs(60), "far\n");
    assert_eq!(nonsense.to_string(), "\"far\\n\" is no distance");

    let mut driver = driver(&device, Duration::from_secs(60));
    drop(device);
    let absent = driver.range(&at(10), &mut Range::default()).unwrap_err();
    assert_eq!(absent.kind(), ErrorKind::ConnectionRefused);
}

// ANCHOR: keeper
#[test]
fn a_cart_that_does_not_know_what_is_ahead_stands_still() {
    let range = Range { metres: 2.0 };
    let speed = |now| {
        let mut speed = Speed::default();
        let seen = Fresh::new(&range, at(100).now(), at(now).now());
        Keeper {}.drive(seen, &mut speed);
        speed.metres_per_second
    };
    assert_eq!(speed(150), 0.5);
    assert_eq!(speed(500), 0.0, "the range is 400 ms old");
}
// ANCHOR_END: keeper

/// The maximum wait for anything, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

#[track_caller]
fn wait_until(robot: &RobotHandle, what: &str, is_so: impl Fn(&Speed) -> bool) {
    let begin = Instant::now();
    while !robot.with_value(&is_so).unwrap_or(false) {
        assert!(begin.elapsed() < PATIENCE, "{what}: {:?}", robot.messages());
        thread::sleep(Duration::from_millis(5));
    }
}

// ANCHOR: robot
#[test]
fn the_robot_stops_without_its_range_finder_and_goes_on_with_it() {
    let device = Arc::new(Device::new());
    let configuration = format!(
        r#"
        [cycle.motion]
        rate = 100.0
        modules = ["hemiola_book::range_finder"]
        [source.RangeFinder.parameters]
        address = "{}"
        "#,
        device.address()
    );
    let loaded = parse(&configuration, "robot.toml", &Catalog::linked()).unwrap();
    let running = Robot::assemble(loaded.configuration).unwrap().start(Pace::default()).unwrap();
    let robot = running.handle();
    let measuring = device.clone();
    thread::spawn(move || measuring.measure());
    for _ in 0..2 {
        device.is_plugged_in.store(true, Ordering::Relaxed);
        wait_until(robot, "it drives", |speed| speed.metres_per_second > 0.0);
        device.is_plugged_in.store(false, Ordering::Relaxed);
        wait_until(robot, "it stands still", |speed| speed.metres_per_second == 0.0);
    }
    running.stop();
}
// ANCHOR_END: robot
