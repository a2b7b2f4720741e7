//! Idle links cost nothing. This test is alone in its process, so that all threads are known.

mod common;

use std::fs;
use std::time::Duration;

use common::{Side, connecting, free_tcp, free_unix, listening};

/// Returns how often the threads of all links have been woken so far, and the number of threads.
fn wake_ups() -> (u64, usize) {
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let names = threads.map(|thread| (fs::read_to_string(thread.join("comm")).unwrap(), thread));
    let of_links: Vec<_> = names.filter(|(name, _)| name.starts_with("hemiola")).map(|(_, thread)| thread).collect();
    let counts = of_links.iter().map(|thread| {
        let status = fs::read_to_string(thread.join("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
        line.trim().parse::<u64>().unwrap()
    });
    (counts.sum(), of_links.len())
}

#[test]
fn links_on_which_nothing_is_said_wake_no_thread() {
    let sides: Vec<_> = [free_unix(), free_tcp()]
        .into_iter()
        .flat_map(|address| {
            let here = Side::open("here", listening(address, &["Ball"], &["Goal"]));
            let there = Side::open("there", connecting(here.address(), &["Goal"], &["Ball"]));
            [here, there]
        })
        .collect();
    sides.iter().for_each(|side| drop(side.until(|link| link.met == 1)));
    // The first frames have probably been sent by now; if not, the next round tries again.
    let quiet = (0..20).any(|_| {
        let before = wake_ups();
        assert_eq!(before.1, sides.len(), "each has one thread");
        assert!(before.0 > 0, "the threads are found");
        std::thread::sleep(Duration::from_millis(1500));
        wake_ups() == before
    });
    assert!(quiet, "there is always something");
}
