//! Addresses and ports that no other program of this host uses: a module of each test that listens
//! somewhere, leaves, and expects the place to be free when it or a process of it listens again.
#![allow(dead_code, reason = "each test uses some of it")]

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// Returns an address of the loopback interface for each number below 64 that only this process
/// uses: a port of it that was free stays free, as other programs connect and listen elsewhere.
/// Only Linux has more than one such address.
pub fn own_loopback(number: u8) -> Ipv4Addr {
    assert!(number < 64, "there are 64 for each process");
    // A process ID has 22 bits at most.
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    match cfg!(target_os = "linux") {
        true => Ipv4Addr::new(127, 64 | number, middle ^ (high << 2), low),
        false => Ipv4Addr::LOCALHOST,
    }
}

/// Returns a free port of 127.0.0.1 that the system gives to nobody who asks for any port, and no
/// other process that calls this tries soon.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = (std::process::id() as u16).wrapping_mul(8);
    // Linux gives away ports from 32,768 on.
    let ports = (0..2_000).map(|_| 10_000 + first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000);
    let mut free = ports.filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok());
    free.next().expect("one of so many ports is free")
}
