//! The exchange of snapshots between publisher and consumer: always the newest one, or, in a
//! replay, those that were read in the recording.
//!
//! A replay runs one cycle after the other, where the robot ran them at the same time: when a
//! consumer begins, the publisher may already have published what the consumer of the recording did
//! not see yet. So the publisher passes on exactly the runs that were read, in order, and the
//! consumer reads them one by one.

use hemiola_bus::exchange::{LatestReader, LatestWriter, QueueReader, QueueWriter, latest, queue};

/// The publisher's end.
pub enum SnapshotWriter<T> {
    Newest(LatestWriter<T>),
    Recorded(RecordedWriter<T>),
}

/// The consumer's end.
pub enum SnapshotReader<T> {
    Newest(LatestReader<T>),
    Recorded(RecordedReader<T>),
}

/// The writer of a replay. A few buffers circulate between both ends.
pub struct RecordedWriter<T> {
    /// The runs whose snapshots will be read, the next one last.
    wanted: Vec<u32>,
    filled: QueueWriter<T>,
    returned: QueueReader<T>,
    /// The buffer to fill; `None` if there are too few, which the sizes rule out.
    back: Option<T>,
}

/// The reader of a replay: see [`RecordedWriter`].
pub struct RecordedReader<T> {
    filled: QueueReader<T>,
    returns: QueueWriter<T>,
    front: T,
}

/// Creates both ends for the newest snapshot, in one of three buffers.
pub fn newest<T>(make: impl FnMut() -> T) -> (SnapshotWriter<T>, SnapshotReader<T>) {
    let (writer, reader) = latest(make);
    (SnapshotWriter::Newest(writer), SnapshotReader::Newest(reader))
}

/// Creates both ends for the snapshots of these runs, of which `waiting` may wait at the same time.
pub fn recorded<T>(
    runs: &[u32],
    waiting: usize,
    mut make: impl FnMut() -> T,
) -> (SnapshotWriter<T>, SnapshotReader<T>) {
    let buffers = buffers(waiting);
    let (filled, filled_reader) = queue(buffers);
    let (mut returns, returned) = queue(buffers);
    for _ in 2..buffers {
        // The queue has room for all buffers.
        _ = returns.push(make());
    }
    let wanted = runs.iter().rev().copied().collect();
    (
        SnapshotWriter::Recorded(RecordedWriter { wanted, filled, returned, back: Some(make()) }),
        SnapshotReader::Recorded(RecordedReader { filled: filled_reader, returns, front: make() }),
    )
}

/// Returns the number of buffers if `waiting` snapshots wait: in addition, one is filled, one is
/// read, and one is on its way back.
pub fn buffers(waiting: usize) -> usize {
    waiting + 3
}

impl<T> SnapshotWriter<T> {
    /// Returns whether the consumer reads, or may read, what this run publishes.
    pub fn wants(&self, run: u32) -> bool {
        match self {
            Self::Newest(_) => true,
            Self::Recorded(recorded) => recorded.wanted.last() == Some(&run),
        }
    }

    /// Changes the buffer to fill; after [`publish`](Self::publish) it is an older one.
    pub fn with_back(&mut self, change: impl FnOnce(&mut T)) {
        match self {
            Self::Newest(newest) => newest.with_back(change),
            Self::Recorded(recorded) => {
                if let Some(back) = &mut recorded.back {
                    change(back);
                }
            }
        }
    }

    /// Publishes the filled buffer; returns `false` if one that was never read is lost by that.
    pub fn publish(&mut self) -> bool {
        match self {
            Self::Newest(newest) => newest.publish(),
            Self::Recorded(recorded) => {
                recorded.wanted.pop();
                if let Some(filled) = recorded.back.take() {
                    // The queue has room for all buffers.
                    _ = recorded.filled.push(filled);
                }
                recorded.back = recorded.returned.pop();
                true
            }
        }
    }
}

impl<T> SnapshotReader<T> {
    /// Returns whether there is a snapshot that was not read yet.
    pub fn has_new(&self) -> bool {
        match self {
            Self::Newest(newest) => newest.has_new(),
            // In a replay the recording determines what triggers a run.
            Self::Recorded(_) => false,
        }
    }

    /// Acquires the newest snapshot, or the next recorded one; returns `false` if there is none.
    /// Calls `release` before it acquires the newest one, so that the consumer never holds the
    /// values of two snapshots.
    pub fn take(&mut self, release: impl FnOnce()) -> bool {
        match self {
            Self::Newest(newest) => {
                newest.has_new() && {
                    release();
                    newest.take()
                }
            }
            Self::Recorded(recorded) => {
                let Some(next) = recorded.filled.pop() else { return false };
                _ = recorded.returns.push(std::mem::replace(&mut recorded.front, next));
                true
            }
        }
    }

    /// Changes the snapshot that was acquired last.
    pub fn with_front_mut<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        match self {
            Self::Newest(newest) => newest.with_front_mut(change),
            Self::Recorded(recorded) => change(&mut recorded.front),
        }
    }

    /// Reads the snapshot that was acquired last.
    pub fn with_front<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        match self {
            Self::Newest(newest) => newest.with_front(look),
            Self::Recorded(recorded) => look(&recorded.front),
        }
    }
}
