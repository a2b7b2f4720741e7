//! The slow work on a log's files, on a thread of its own: it syncs files to the disk, finishes
//! them, removes old ones, and keeps space free on the disk.

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

/// An order to the thread.
pub enum Order {
    /// A file was begun.
    Began(LogSynchroniser),
    /// Nothing more will be written to a file.
    Ended {
        log: Box<LogWriter>,
        path: PathBuf,
        /// The newest time in the file.
        end: Time,
    },
    /// Everything was flushed, and nothing will be written until the next order.
    Rest,
    /// Something is written again.
    GoOn,
}

/// The sender of orders.
pub struct Keeper {
    orders: mpsc::SyncSender<Order>,
    is_low: Arc<AtomicBool>,
    thread: JoinHandle<Kept>,
}

/// The outcome of the files.
#[derive(Default)]
pub struct Kept {
    /// The size of the remaining files.
    pub written: Written,
    /// The number of remaining files.
    pub files: u64,
    /// The number of removed files.
    pub removed: u64,
    /// The reason why a file was not finished.
    pub failure: Option<LogError>,
}

/// The maximum number of waiting orders, two for each file: a disk that cannot finish that many
/// files is given no more.
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
            // This is as often as the log is flushed, and once more in between.
            period: flush / 2,
            keep,
            reserve,
            folder,
            conditions,
            is_low: is_low.clone(),
            rests: false,
            worst: WorstRuns::new(handle.clone()),
            current: None,
            files: VecDeque::new(),
            kept: Kept::default(),
        };
        // The space is checked before anything is written.
        work.guard_reserve();
        let thread = thread::Builder::new().name("hemiola log disk".into()).spawn(move || work.run())?;
        Ok(Self { orders, is_low, thread })
    }

    /// Sends an order. Waits while too many files wait to be finished: then values find no room in
    /// the queues to the recorder, and are counted as dropped.
    pub fn order(&self, order: Order) {
        // The thread receives orders until it is asked to finish; the default hook has reported a
        // panic of it.
        _ = self.orders.send(order);
    }

    /// Returns whether less than the reserve is free, and nothing is left that could be removed.
    pub fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed)
    }

    /// Waits until all orders were executed.
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
    /// The conditions under which the robot is measured.
    conditions: Conditions,
    is_low: Arc<AtomicBool>,
    /// Set while nothing is written, so that there is nothing to do until the next order.
    rests: bool,
    /// The longest runs. They are kept here because it takes time to find them and to write their
    /// traces.
    worst: WorstRuns,
    current: Option<LogSynchroniser>,
    /// Complete files, the oldest first.
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
            let order = match self.rests {
                true => self.orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => self.orders.recv_timeout(self.period),
            };
            self.rests = matches!(order, Ok(Order::Rest));
            match order {
                Ok(Order::Began(synchroniser)) => self.current = Some(synchroniser),
                Ok(Order::Ended { log, path, end }) => self.end(*log, path, end),
                Ok(Order::GoOn) => {}
                // The writer of the log notices a disk that fails.
                Ok(Order::Rest) | Err(RecvTimeoutError::Timeout) => {
                    _ = self.current.as_ref().map(LogSynchroniser::wait);
                }
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
                    true => format!("a file of the log has no end, which `log recover` can add: {error}"),
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

    /// Attaches the measurements since the robot started.
    fn attach_profile(&self, log: &mut LogWriter, at: Time) -> Result<(), LogError> {
        let mut profile = self.handle.measured();
        profile.conditions = self.conditions.clone();
        profile.runs = 1;
        log.attach(PROFILE, "application/json", at, &profile.to_json())
    }

    /// Returns whether the oldest file can be removed, because the files after it contain what is
    /// to be kept. The file that was just begun does not count.
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

    /// Removes at most one file at a time: the system may take a moment to free its space.
    fn guard_reserve(&mut self) {
        // If the system does not report the free space, nothing can be guarded.
        let is_low = free_space(&self.folder).is_ok_and(|free| free < self.reserve);
        let can_remove = self.keep.is_some() && !self.files.is_empty();
        if is_low && can_remove {
            self.remove_oldest();
        }
        self.is_low.store(is_low && !can_remove, Ordering::Relaxed);
    }
}

/// Returns an error if the file was removed, so that what was written is lost.
fn still_there(path: &Path) -> Result<(), LogError> {
    let reason = "it was removed while it was written, or the folder that it was in".to_owned();
    if path.exists() { Ok(()) } else { Err(LogError::Write { path: path.to_owned(), reason }) }
}

/// Returns how many bytes this process can still write to the disk with this folder.
pub fn free_space(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
