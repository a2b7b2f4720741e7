//! Checks the effect of locked and pre-faulted memory. The test has a process of its own, because
//! locking concerns all of it.
#![cfg(target_os = "linux")]

use hemiola_realtime::{prefault_stack, secure_memory};
use std::fs;
use std::hint::black_box;

/// Returns field 10 of proc_pid_stat(5): page faults of this thread that needed no disk.
fn page_faults_of_this_thread() -> u64 {
    let status = fs::read_to_string("/proc/thread-self/stat").expect("proc is mounted");
    // The name in field 2 may hold spaces, so the fields are counted from its closing bracket.
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
