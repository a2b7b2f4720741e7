//! What takes its time, on a thread of its own: what was flushed shall outlive the machine's power,
//! a file gets its end, old ones go, and something stays free on the disk.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hemiola_log::{LogError, LogSynchroniser, LogWriter, Written};
use hemiola_model::Time;
use hemiola_model::configuration::LogExtent;
use hemiola_runtime::RobotHandle;
use hemiola_trace::Conditions;

use super::worst::WorstRuns;
use crate::names::PROFILE;
use crate::sync::{AtomicBool, Ordering};

/// What is to be done.
pub enum Order {
    /// A file has begun.
    Began(LogSynchroniser),
    /// Nothing more comes to a file.
    Ended {
        log: Box<LogWriter>,
        path: PathBuf,
        /// The newest time in it.
        end: Time,
    },
}

/// The end that gives orders.
pub struct Keeper {
    orders: mpsc::SyncSender<Order>,
    is_low: Arc<AtomicBool>,
    thread: JoinHandle<Kept>,
}

/// What became of the files.
#[derive(Default)]
pub struct Kept {
    /// In those that are there.
    pub written: Written,
    /// How many there are.
    pub files: u64,
    /// Files that are gone.
    pub removed: u64,
    /// A file did not get its end.
    pub failure: Option<LogError>,
}

/// Two for each file. A disk that cannot end as many files shall not be given more.
const MOST_ORDERS: usize = 16;

impl Keeper {
    pub fn start(
        handle: &RobotHandle,
        flush: Duration,
        keep: Option<LogExtent>,
        reserve: u64,
        folder: PathBuf,
        conditions: Conditions,
    ) -> io::Result<Self> {
        let (orders, received) = mpsc::sync_channel(MOST_ORDERS);
        let is_low = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            handle: handle.clone(),
            orders: received,
            // As often as something is flushed, and once more.
            period: flush / 2,
            keep,
            reserve,
            folder,
            conditions,
            is_low: is_low.clone(),
            worst: WorstRuns::new(handle.clone()),
            current: None,
            files: VecDeque::new(),
            kept: Kept::default(),
        };
        // Before anything is written.
        work.guard_reserve();
        let thread = thread::Builder::new().name("hemiola log disk".into()).spawn(move || work.run())?;
        Ok(Self { orders, is_low, thread })
    }

    /// Waits while too many files wait for their end: then values find no room on their way to the
    /// recorder, and are counted as for any other reason.
    pub fn order(&self, order: Order) {
        // It waits for orders until it is asked to finish; a panic of its own was reported by the
        // default hook.
        _ = self.orders.send(order);
    }

    /// Whether less than the reserve is free, and nothing that could be removed is left.
    pub fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed)
    }

    /// Waits until all orders have been obeyed.
    pub fn finish(self) -> Kept {
        drop(self.orders);
        self.thread.join().unwrap_or_default()
    }
}

struct Work {
    handle: RobotHandle,
    orders: mpsc::Receiver<Order>,
    period: Duration,
    keep: Option<LogExtent>,
    reserve: u64,
    folder: PathBuf,
    /// What is measured of which robot.
    conditions: Conditions,
    is_low: Arc<AtomicBool>,
    /// Here, for it takes a while to look for them and to write their traces.
    worst: WorstRuns,
    current: Option<LogSynchroniser>,
    /// Whole files, the oldest first.
    files: VecDeque<WholeFile>,
    kept: Kept,
}

struct WholeFile {
    path: PathBuf,
    written: Written,
    end: Time,
}

impl Work {
    fn run(mut self) -> Kept {
        loop {
            self.guard_reserve();
            self.worst.look_if_due();
            match self.orders.recv_timeout(self.period) {
                Ok(Order::Began(synchroniser)) => self.current = Some(synchroniser),
                Ok(Order::Ended { log, path, end }) => self.end(*log, path, end),
                // A disk that fails is noticed by who writes.
                Err(RecvTimeoutError::Timeout) => _ = self.current.as_ref().map(LogSynchroniser::wait),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        for WholeFile { written, .. } in &self.files {
            self.kept.written.messages += written.messages;
            self.kept.written.bytes += written.bytes;
        }
        self.kept.files = self.files.len() as u64;
        self.kept
    }

    fn end(&mut self, mut log: LogWriter, path: PathBuf, end: Time) {
        let attached = self.worst.attach(&mut log, end).and_then(|()| self.attach_profile(&mut log, end));
        match attached.and_then(|()| log.finish()).and_then(|written| still_there(&path).map(|()| written)) {
            Ok(written) => self.files.push_back(WholeFile { path, written, end }),
            Err(error) => {
                let text = match path.exists() {
                    true => format!("a file of the log has no end, which `log recover` can give it: {error}"),
                    false => format!("a file of the log is lost: {error}"),
                };
                self.handle.note(text);
                self.kept.failure = Some(error);
            }
        }
        while self.has_too_many(end) {
            self.remove_oldest();
        }
    }

    /// What was measured since the robot started.
    fn attach_profile(&self, log: &mut LogWriter, at: Time) -> Result<(), LogError> {
        let mut profile = self.handle.measured();
        profile.conditions = self.conditions.clone();
        profile.runs = 1;
        log.attach(PROFILE, "application/json", at, &profile.to_json())
    }

    /// Whether the oldest file can go: what comes after it holds what is to be kept. The file that
    /// has just begun does not count.
    fn has_too_many(&self, now: Time) -> bool {
        let Some(oldest) = self.files.front() else { return false };
        match self.keep {
            Some(LogExtent::Time(keep)) => now.since(oldest.end) >= keep,
            Some(LogExtent::Size(keep)) => {
                self.files.iter().skip(1).map(|file| file.written.bytes).sum::<u64>() >= keep
            }
            None => false,
        }
    }

    fn remove_oldest(&mut self) {
        let Some(WholeFile { path, .. }) = self.files.pop_front() else { return };
        match fs::remove_file(&path) {
            Ok(()) => self.kept.removed += 1,
            Err(error) => self.handle.note(format!("{} cannot be removed: {error}", path.display())),
        }
    }

    /// One file at a time: it may take the system a moment until its room is free.
    fn guard_reserve(&mut self) {
        // Where the system does not tell, there is nothing to guard.
        let is_low = free_space(&self.folder).is_ok_and(|free| free < self.reserve);
        let can_remove = self.keep.is_some() && !self.files.is_empty();
        if is_low && can_remove {
            self.remove_oldest();
        }
        self.is_low.store(is_low && !can_remove, Ordering::Relaxed);
    }
}

/// What was written to a file that was removed is written to nowhere.
fn still_there(path: &Path) -> Result<(), LogError> {
    let reason = "it was removed while it was written, or the folder that it was in".to_owned();
    if path.exists() { Ok(()) } else { Err(LogError::Write { path: path.to_owned(), reason }) }
}

/// What this process can still write to the disk with this folder.
pub fn free_space(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
