//! Links cost nothing while nothing is sent. This test is alone in its process, where all threads
//! are known.

mod common;

use std::fs;
use std::time::Duration;

use common::{Side, connecting, free_tcp, free_unix, listening};

/// Returns how often the threads of all links have been woken so far.
fn wake_ups() -> u64 {
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let of_links = threads.filter(|thread| {
        let name = fs::read_to_string(thread.join("comm")).unwrap();
        ["hemiola links", "hemiola bell"].contains(&name.trim())
    });
    let counts = of_links.map(|thread| {
        let status = fs::read_to_string(thread.join("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
        line.trim().parse::<u64>().unwrap()
    });
    counts.sum()
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
    // The frames at the beginning were sent by now; if not, the next round looks again.
    let quiet = (0..20).any(|_| {
        let before = wake_ups();
        assert!(before > 0, "the threads are found");
        std::thread::sleep(Duration::from_millis(1500));
        wake_ups() == before
    });
    assert!(quiet, "there is always something");
}
