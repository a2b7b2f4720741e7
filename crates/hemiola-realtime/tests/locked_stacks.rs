//! Checks how much stack a thread has where memory is locked. The test has a process of its own,
//! because locking concerns all of it, and another test's threads use stacks as well.
#![cfg(target_os = "linux")]

use hemiola_realtime::{Locking, ThreadSettings, secure_memory, spawn};
use std::fs;
use std::hint::black_box;

#[inline(never)]
fn use_much_stack() {
    let mut array = [0u8; 512 * 1024];
    black_box(&mut array).fill(1);
}

/// Returns how much of the mapping that this address lies in is resident, in bytes
/// (proc_pid_smaps(5)).
fn resident_around(address: usize) -> usize {
    let smaps = fs::read_to_string("/proc/self/smaps").expect("proc is mounted");
    let mut is_here = false;
    for line in smaps.lines() {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let bounds = range.map(|(from, to)| (usize::from_str_radix(from, 16), usize::from_str_radix(to, 16)));
        if let Some((Ok(from), Ok(to))) = bounds {
            is_here = (from..to).contains(&address);
        } else if let Some(size) = line.strip_prefix("Rss:").filter(|_| is_here) {
            return 1024 * size.trim().strip_suffix(" kB").expect("kilobytes").parse::<usize>().expect("a number");
        }
    }
    panic!("no mapping around {address:x}")
}

#[test]
fn a_thread_that_says_how_much_stack_it_needs_takes_no_more_though_memory_is_locked() {
    let is_locked = secure_memory(0).locking == Some(Locking::PresentAndFuture);
    let resident = |settings: ThreadSettings| {
        let body = || {
            let at_first = resident_around(black_box(&mut 0_u8 as *mut u8).addr());
            use_much_stack();
            (at_first, resident_around(black_box(&mut 0_u8 as *mut u8).addr()))
        };
        spawn(settings, body).expect("a thread starts").thread.join().expect("it does not panic")
    };
    // No other thread has this size, so that the C library hands out no stack that was used.
    let settings = ThreadSettings::new("worker").stack_size(3 * 1024 * 1024 + 64 * 1024);
    let (at_first, after_use) = resident(settings.prefaulted_stack(256 * 1024));
    println!("resident: {at_first} bytes, {after_use} after half a megabyte was used; locked: {is_locked}");
    assert!((256 * 1024..512 * 1024).contains(&at_first), "{at_first}");
    assert!(after_use >= 512 * 1024, "{after_use}");
    let all = resident(ThreadSettings::new("other").stack_size(4 * 1024 * 1024 + 64 * 1024)).0;
    assert_eq!(all > 4 * 1024 * 1024, is_locked, "{all}");
}
