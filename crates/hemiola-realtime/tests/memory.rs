//! What locked and pre-faulted memory is good for. In a process of its own, because locking concerns all of it.
#![cfg(target_os = "linux")]

use hemiola_realtime::{Locking, ThreadSettings, prefault_stack, secure_memory, spawn};
use std::fs;
use std::hint::black_box;

/// Field 10 of proc_pid_stat(5): page faults of this thread that needed no disk.
fn page_faults_of_this_thread() -> u64 {
    let status = fs::read_to_string("/proc/thread-self/stat").expect("proc is mounted");
    // The name in field 2 may hold spaces, so count from its closing bracket.
    let after_name = status.rsplit_once(')').expect("a name in brackets").1;
    after_name.split_whitespace().nth(7).expect("10 fields").parse().expect("a number")
}

fn faults_of(work: impl FnOnce()) -> u64 {
    page_faults_of_this_thread(); // what reading itself faults in
    let before = page_faults_of_this_thread();
    work();
    page_faults_of_this_thread() - before
}

#[inline(never)]
fn use_much_stack() {
    let mut array = [0u8; 512 * 1024];
    black_box(&mut array).fill(1);
}

#[test]
fn secured_memory_is_used_without_page_faults() {
    const BYTES: usize = 8 * 1024 * 1024;
    let report = secure_memory(BYTES);
    assert!(report.prefaulted_heap >= BYTES);
    assert_eq!(report.locking.is_some(), report.lock.is_granted());
    let status = fs::read_to_string("/proc/self/status").expect("proc is mounted");
    let locked = status.lines().find_map(|line| line.strip_prefix("VmLck:")).expect("a line on locked memory");
    assert_eq!(locked.trim() != "0 kB", report.lock.is_granted(), "the kernel says {locked}");

    let touched = prefault_stack(600 * 1024);
    assert_eq!(touched, 600 * 1024);
    assert!(faults_of(use_much_stack) < 10, "128 pages of stack");

    if report.keeps_heap {
        let faults = faults_of(|| {
            let blocks: Vec<Vec<u8>> = (0..BYTES / 2 / 65_536).map(|_| vec![1u8; 65_536]).collect();
            drop(black_box(blocks));
        });
        assert!(faults < 100, "{faults} faults for 1,024 pages of heap");
    } else {
        eprintln!("not tested: this allocator gives freed memory back");
    }
}

/// What is resident of the mapping that this address lies in, in bytes (proc_pid_smaps(5)).
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
    // A size that no other thread has, so that the C library hands out no stack that was used.
    let settings = ThreadSettings::new("worker").stack_size(3 * 1024 * 1024 + 64 * 1024);
    let (at_first, after_use) = resident(settings.prefaulted_stack(256 * 1024));
    println!("resident: {at_first} bytes, {after_use} after half a megabyte was used; locked: {is_locked}");
    assert!((256 * 1024..512 * 1024).contains(&at_first), "{at_first}");
    assert!(after_use >= 512 * 1024, "{after_use}");
    let all = resident(ThreadSettings::new("other").stack_size(4 * 1024 * 1024 + 64 * 1024)).0;
    assert_eq!(all > 4 * 1024 * 1024, is_locked, "{all}");
}
