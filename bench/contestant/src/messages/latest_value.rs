//! The newest value from one thread to another, each on a core of its own: numbers, or values of 1
//! kB; written a thousand times per second, or without a pause. The reader reads without a pause.
//!
//! Reads and writes are measured separately: time per read over the whole run; time per write, at 1
//! kHz of each write by itself (what reading the clock takes is taken off), without a pause over
//! the whole run.

use std::sync::Barrier;

use super::assignment::print;
use super::{Assignment, Payload};
use crate::sync::{AtomicBool, Ordering};
use crate::{monotonic_ns, sleep_until_ns, system};

/// The writing end.
pub trait Writer<T>: Send {
    /// Makes a new value the newest.
    fn write(&mut self, fill: impl FnOnce(&mut T));
}

/// The reading end.
pub trait Reader<T>: Send {
    /// Reads the newest value; the one before the first write counts, too.
    fn read(&mut self, look: impl FnOnce(&T));
}

/// Measures a contestant; the value before the first write is `T::default()`.
///
/// # Panics
/// If a value is torn, older than one that was seen before, or the last one is never seen.
pub fn measure<T: Payload, W: Writer<T>, R: Reader<T>>(assignment: &Assignment, mut make: impl FnMut() -> (W, R)) {
    let (period_ns, duration_ns) = (assignment.number("period-ns"), assignment.number("duration-ns"));
    let (mut read_ps, mut write_ps) = (Vec::new(), Vec::new());
    for repetition in 0..=assignment.number("repetitions") {
        let (mut writer, mut reader) = make();
        let (barrier, over) = (Barrier::new(2), AtomicBool::new(false));
        let (written, read) = std::thread::scope(|scope| {
            let (barrier, over) = (&barrier, &over);
            let writing = scope.spawn(move || {
                system::keep_to_core(0);
                barrier.wait();
                let written = write(&mut writer, period_ns, duration_ns);
                over.store(true, Ordering::Release);
                // The writer is dropped only when the reader has seen the last value.
                barrier.wait();
                written
            });
            let reading = scope.spawn(move || {
                system::keep_to_core(1);
                barrier.wait();
                let read = read(&mut reader, over);
                barrier.wait();
                read
            });
            (writing.join().expect("the writer"), reading.join().expect("the reader"))
        });
        assert_eq!(read.last, written.last, "the value that stays");
        if repetition > 0 {
            read_ps.push(read.ps);
            write_ps.push(written.ps);
        }
    }
    print("read_ps", read_ps);
    print("write_ps", write_ps);
}

struct Outcome {
    last: u64,
    ps: u64,
}

fn write<T: Payload>(writer: &mut impl Writer<T>, period_ns: u64, duration_ns: u64) -> Outcome {
    let begin = monotonic_ns();
    if period_ns == 0 {
        let mut last = 0;
        // The loop writes at least once, however short the time is.
        loop {
            last += 1;
            writer.write(|value| value.fill(last));
            if last % 1024 == 0 && monotonic_ns() - begin >= duration_ns {
                break;
            }
        }
        return Outcome { last, ps: (monotonic_ns() - begin) * 1000 / last };
    }
    let clock_ps = clock_ps();
    let mut each: Vec<u64> = (1..=duration_ns / period_ns)
        .map(|sequence| {
            sleep_until_ns(begin + sequence * period_ns);
            let before = monotonic_ns();
            writer.write(|value| value.fill(sequence));
            ((monotonic_ns() - before) * 1000).saturating_sub(clock_ps)
        })
        .collect();
    let last = each.len() as u64;
    let middle = each.len() / 2;
    Outcome { last, ps: *each.select_nth_unstable(middle).1 }
}

fn read<T: Payload>(reader: &mut impl Reader<T>, over: &AtomicBool) -> Outcome {
    let begin = monotonic_ns();
    let (mut last, mut reads) = (0, 0);
    let mut look = |reader: &mut _| {
        let mut tag = 0;
        Reader::read(reader, |value: &T| tag = std::hint::black_box(value.tag()));
        assert!(tag >= last && tag != u64::MAX, "read {tag} after {last}");
        last = tag;
    };
    // The loop reads at least once: the writer may be through before this thread runs.
    loop {
        (0..64).for_each(|_| look(reader));
        reads += 64;
        if over.load(Ordering::Acquire) {
            break;
        }
    }
    let ps = (monotonic_ns() - begin) * 1000 / reads;
    // The last value was written before `over`, so that this read sees it.
    look(reader);
    Outcome { last, ps }
}

/// Returns how long it takes to read the clock.
fn clock_ps() -> u64 {
    const READINGS: u64 = 10_000;
    let begin = monotonic_ns();
    let last = (0..READINGS).map(|_| monotonic_ns()).max().unwrap_or(begin);
    (last - begin) * 1000 / READINGS
}
