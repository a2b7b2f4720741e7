//! A file with a thread that waits for its disk, so that writing to it never waits.
//!
//! Up to 32 MiB that the disk has not accepted yet are queued in memory. A piece for which there is
//! no room is refused as a whole, and so are all later pieces: the file ends with a complete piece,
//! and has no gap.

use std::collections::VecDeque;
use std::io::{self, Error, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use hemiola_trace::human_duration;

/// The end that waits for the disk.
pub struct Disk(Arc<Shared>);

/// The end to which is written: no call waits for the disk.
pub struct ToDisk(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Vec<u8>>,
    /// The bytes of all pieces, and of the one that is being written.
    waiting: usize,
    /// Set if a piece was refused because there was no room.
    is_full: bool,
    /// Set if the writer was dropped.
    is_closed: bool,
    /// Set if the disk's thread has written everything, or has failed.
    has_ended: bool,
    /// The error of the disk, until it was returned once.
    failure: Option<Error>,
}

/// The maximum number of queued bytes.
const ROOM: usize = 32 << 20;

impl Disk {
    /// Starts a thread that writes to `file`.
    ///
    /// # Errors
    /// Returns an error if the system refuses the thread.
    pub fn start(file: impl Write + Send + 'static) -> io::Result<(ToDisk, Self)> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let written = shared.clone();
        thread::Builder::new().name("hemiola trace".into()).spawn(move || written.write_all_to(file))?;
        Ok((ToDisk(shared.clone()), Self(shared)))
    }

    /// Waits until everything that was accepted is written, for at most `patience`. The writer must
    /// be dropped before.
    ///
    /// # Errors
    /// Returns an error if the disk has failed, and the error was not returned before, or if it
    /// takes longer.
    pub fn wait(self, patience: Duration) -> io::Result<()> {
        let state = self.0.state();
        let ended = self.0.changed.wait_timeout_while(state, patience, |state| !state.has_ended);
        let (mut state, _) = ended.unwrap_or_else(PoisonError::into_inner);
        if !state.has_ended {
            let (bytes, patience) = (state.waiting, human_duration(patience));
            let text = format!("the disk has not accepted the last {bytes} bytes in {patience}");
            return Err(Error::new(ErrorKind::TimedOut, text));
        }
        state.failure.take().map_or(Ok(()), Err)
    }
}

impl Write for ToDisk {
    /// Accepts all bytes or none.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        if state.is_full || state.has_ended {
            return Err(Error::other("nothing more is written to it"));
        }
        if bytes.len() > ROOM - state.waiting {
            state.is_full = true;
            return Err(Error::other("the disk is too slow: more than 32 MiB would wait for it"));
        }
        state.waiting += bytes.len();
        state.pieces.push_back(bytes.to_vec());
        self.0.changed.notify_all();
        Ok(bytes.len())
    }

    /// Does nothing: the [`Disk`] is the end that waits.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ToDisk {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the pieces, on the disk's thread.
    fn write_all_to(&self, mut file: impl Write) {
        let mut result = Ok(());
        while result.is_ok()
            && let Some(piece) = self.next_piece()
        {
            result = file.write_all(&piece);
            self.state().waiting -= piece.len();
        }
        let result = result.and_then(|()| file.flush());
        // Closing the file may take long, too.
        drop(file);
        let mut state = self.state();
        *state = State { has_ended: true, failure: result.err(), ..State::default() };
        self.changed.notify_all();
    }

    /// Waits for the next piece; `None` if the writer was dropped and all pieces were written.
    fn next_piece(&self) -> Option<Vec<u8>> {
        let wanting = |state: &mut State| state.pieces.is_empty() && !state.is_closed;
        let state = self.changed.wait_while(self.state(), wanting);
        state.unwrap_or_else(PoisonError::into_inner).pieces.pop_front()
    }
}

#[cfg(all(test, not(loom)))]
pub mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// The time after which a test that hangs fails.
    const LIMIT: Duration = Duration::from_secs(60);

    /// A disk that accepts a piece whenever it is allowed to, and fails once it will never be
    /// allowed to again.
    pub struct Slow {
        may: Receiver<()>,
        taken: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.may.recv().map_err(|_| Error::other("it is on fire"))?;
            self.taken.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns a disk, the sender that allows it to accept a piece, and what it has accepted.
    pub fn slow() -> (Slow, Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let ((leave, may), taken) = (channel(), Arc::default());
        (Slow { may, taken: Arc::clone(&taken) }, leave, taken)
    }

    /// Waits until the disk's thread has begun with a piece.
    fn wait_for_begin(to_disk: &ToDisk) {
        while !to_disk.0.state().pieces.is_empty() {
            thread::yield_now();
        }
    }

    #[test]
    fn whoever_writes_does_not_wait_for_the_disk_and_all_gets_there_in_order() {
        let (slow, leave, taken) = slow();
        let (mut to_disk, disk) = Disk::start(slow).unwrap();
        let pieces: Vec<Vec<u8>> = (1..100).map(|number| vec![number; number.into()]).collect();
        pieces.iter().for_each(|piece| to_disk.write_all(piece).unwrap());
        assert!(taken.lock().unwrap().is_empty(), "the disk may take nothing yet");
        pieces.iter().for_each(|_| leave.send(()).unwrap());
        drop(to_disk);
        disk.wait(LIMIT).unwrap();
        assert_eq!(*taken.lock().unwrap(), pieces.concat());
    }

    #[test]
    fn what_waits_is_bounded_in_bytes_and_a_piece_that_does_not_fit_is_the_end() {
        // There are many small pieces, or one that is larger than the remaining room.
        for (pieces, length, last) in [(ROOM / 4096, 4096, 1), (1, ROOM - 10, 11), (2, 100, ROOM), (0, 0, ROOM + 1)] {
            let (slow, leave, taken) = slow();
            let (mut to_disk, disk) = Disk::start(slow).unwrap();
            (0..pieces).for_each(|_| to_disk.write_all(&vec![1; length]).unwrap());
            let error = to_disk.write_all(&vec![2; last]).unwrap_err().to_string();
            assert!(error.contains("more than 32 MiB would wait"), "{error}");
            assert_eq!(to_disk.0.state().waiting, pieces * length);
            // There is room again, but a piece is missing.
            (0..pieces).for_each(|_| leave.send(()).unwrap());
            assert!(to_disk.write_all(&[3]).is_err());
            drop(to_disk);
            disk.wait(LIMIT).unwrap();
            assert_eq!(taken.lock().unwrap().len(), pieces * length);
            assert!(taken.lock().unwrap().iter().all(|byte| *byte == 1));
        }
    }

    #[test]
    fn what_is_being_written_waits_too() {
        let (slow, _leave, _) = slow();
        let (mut to_disk, _disk) = Disk::start(slow).unwrap();
        to_disk.write_all(&vec![1; ROOM / 2]).unwrap();
        wait_for_begin(&to_disk);
        assert!(to_disk.write_all(&vec![1; ROOM / 2 + 1]).is_err());
    }

    #[test]
    fn a_disk_that_fails_is_told_once_to_whoever_writes_or_waits() {
        let (hot, leave, _) = slow();
        let (mut to_disk, disk) = Disk::start(hot).unwrap();
        drop(leave);
        to_disk.write_all(b"first").unwrap();
        let shared = to_disk.0.clone();
        drop(shared.changed.wait_timeout_while(shared.state(), LIMIT, |state| !state.has_ended).unwrap());
        assert_eq!(to_disk.write(b"second").unwrap_err().to_string(), "it is on fire");
        assert_eq!(to_disk.write(b"third").unwrap_err().to_string(), "nothing more is written to it");
        drop(to_disk);
        disk.wait(LIMIT).unwrap();

        let (hot, leave, _) = slow();
        let (mut to_disk, disk) = Disk::start(hot).unwrap();
        to_disk.write_all(b"first").unwrap();
        drop((leave, to_disk));
        assert_eq!(disk.wait(LIMIT).unwrap_err().to_string(), "it is on fire");
    }

    #[test]
    fn a_disk_that_hangs_is_not_waited_for_for_ever() {
        let (slow, _leave, _) = slow();
        let (mut to_disk, disk) = Disk::start(slow).unwrap();
        to_disk.write_all(b"first").unwrap();
        drop(to_disk);
        let error = disk.wait(Duration::from_millis(1)).unwrap_err();
        assert_eq!(error.to_string(), "the disk has not accepted the last 5 bytes in 1.00 ms");
    }
}
