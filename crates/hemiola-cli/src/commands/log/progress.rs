//! The progress of long work, on a terminal.

use hemiola_words::bytes;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use hemiola_recording::RecordingError;
use hemiola_recording::replay::ReplayLog;

/// A line on the terminal that is redrawn, and removed at the end.
pub struct Progress {
    begin: Instant,
    last: Instant,
    is_shown: bool,
    is_terminal: bool,
}

/// Work that takes less time than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(400);
const INTERVAL: Duration = Duration::from_millis(100);

impl Progress {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { begin: now, last: now, is_shown: false, is_terminal: std::io::stderr().is_terminal() }
    }

    pub fn show(&mut self, done: u64, all: u64) {
        let now = Instant::now();
        if !self.is_terminal || now - self.begin < PATIENCE || now - self.last < INTERVAL {
            return;
        }
        self.last = now;
        self.is_shown = true;
        let share = done as f64 / all.max(1) as f64;
        let filled = (share * 30.0) as usize;
        let seconds = (now - self.begin).as_secs_f64();
        let (rate, left) = ((done as f64 / seconds) as u64, seconds * (1.0 - share) / share.max(1e-9));
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(30 - filled.min(30)));
        // A terminal that is gone needs no bar.
        _ = write!(
            std::io::stderr(),
            "\r\x1b[K{bar} {:3.0} %  {} of {}, {}/s, {left:.0} s left",
            share * 100.0,
            bytes(done),
            bytes(all),
            bytes(rate)
        );
    }
}

/// Reads a log, and shows the progress.
pub fn read_log(path: &Path) -> Result<ReplayLog, RecordingError> {
    let mut progress = Progress::new();
    ReplayLog::read_with(path, |done, all| progress.show(done, all))
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
