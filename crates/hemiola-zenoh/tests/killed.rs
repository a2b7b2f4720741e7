//! A process that is killed while it talks: its peer notices at once, and meets the next one.

mod common;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{FREE, Odometry, Side, connecting, listening, odometry};
use hemiola_bus::WhenFull;

/// The number of times that a process is killed.
const TIMES: u64 = 5;
const ADDRESS: &str = "HEMIOLA_TEST_ADDRESS";

/// The other process: publishes as fast as it is read.
#[test]
#[ignore = "it is the process that another test starts and kills"]
fn other_process() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let side = Side::open("other", connecting(&address, &["Odometry"], &[]));
    let mut driven = side.publisher("Odometry");
    side.until_wanted();
    for number in 1.. {
        driven.publish(odometry(number));
        // It sends each of them, so that none is dropped before.
        side.until(|link| link.sent[0].messages == number);
    }
}

/// A process that is killed when it is dropped.
struct Other(Child);

impl Other {
    fn start(address: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["other_process", "--exact", "--ignored", "--quiet"]).env(ADDRESS, address).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn who_is_killed_is_gone_at_once_and_what_has_come_was_in_order() {
    let robot = Side::open("robot", listening(FREE, &[], &["Odometry"]));
    let topic = robot.bus.readable_topic::<Odometry>("Odometry").unwrap();
    let mut seen = topic.queue(4096, WhenFull::DropOldest);
    let mut quickest = Duration::MAX;
    for time in 1..=TIMES {
        let other = Other::start(&robot.address());
        let (wanted, mut last) = (10 + time * 7 % 23, 0);
        while last < wanted {
            assert_eq!(common::next(&mut seen), odometry(last + 1));
            last += 1;
        }
        drop(other);
        let killed = Instant::now();
        robot.until(|link| link.parted == time && link.peers.is_empty());
        quickest = quickest.min(killed.elapsed());
        while seen.receive().is_some() {}
    }
    // If it were gone because it is silent, each time would take ten seconds.
    assert!(quickest < Duration::from_secs(5), "{quickest:?}");
    let link = robot.statistics();
    assert_eq!((link.met, link.refused, link.received[0].lost), (TIMES, 0, 0), "{link}");
    assert!(robot.notes().iter().any(|note| note.contains("`other` has disconnected: it has closed the connection")));
}
