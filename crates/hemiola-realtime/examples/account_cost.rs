//! Measures the cost of reading the kernel's accounts:
//! `cargo run --release -p hemiola-realtime --example account_cost`.
//!
//! Method: it reads as the service thread of a robot does, but without the pauses: the accounts of
//! some threads that sleep, then what the host took of all cores; it prints medians and 99th
//! percentiles of many readings.

use hemiola_realtime::{KernelThread, StolenTime, ThreadAccount};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const THREADS: usize = 8;
const LOOKS: usize = 2_000;

fn main() -> std::io::Result<()> {
    let (tell, told) = channel();
    let sleepers: Vec<_> = (0..THREADS)
        .map(|_| {
            let tell = tell.clone();
            let (end, ended) = channel::<()>();
            let thread = std::thread::spawn(move || {
                // The receiver waits for all of them.
                _ = tell.send(KernelThread::current());
                _ = ended.recv();
            });
            (end, thread)
        })
        .collect();
    let threads = told.iter().take(THREADS).map(ThreadAccount::of).collect::<Result<Vec<_>, _>>()?;
    let mut stolen = StolenTime::open()?;
    let cores = stolen.read()?.count();
    report(&format!("{THREADS} threads"), || threads.iter().all(|thread| thread.read().is_ok()));
    report(&format!("the host, {cores} cores"), || stolen.read().is_ok_and(|cores| cores.count() > 0));
    for (end, thread) in sleepers {
        drop(end);
        _ = thread.join();
    }
    Ok(())
}

fn report(what: &str, mut look: impl FnMut() -> bool) {
    let mut took: Vec<Duration> = (0..LOOKS)
        .map(|_| {
            let begin = Instant::now();
            assert!(look(), "an account that could be read once");
            begin.elapsed()
        })
        .collect();
    took.sort_unstable();
    println!("{what:<20} median {:>9.2?}, 99 of 100 within {:>9.2?}", took[LOOKS / 2], took[LOOKS * 99 / 100]);
}
