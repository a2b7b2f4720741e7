//! The file that a log is written to, past the page cache where the system allows it.
//!
//! Logs are written once and not read soon: copying them through the cache costs seconds of processor time per gigabyte, and pushes out what
//! others need. So whole blocks go to the disk directly (`O_DIRECT`: aligned in memory, in the file and in length). A thread of its own waits
//! for the disk, while the next block is filled. The end of the data is written with zeros behind it when somebody flushes, the file is cut to
//! its true length, and the next block goes over it. A process that is killed in between leaves zeros at the end, which readers know.
//!
//! File systems that do not have it (tmpfs, some network and FUSE ones) get the same writes through the cache.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// See the module.
pub struct Storage {
    /// The same as that of the disk's thread.
    file: File,
    /// What is being filled.
    block: Block,
    /// Blocks that nobody needs at present.
    spare: Vec<Block>,
    /// Bytes of the block that are filled.
    filled: usize,
    /// Where in the file the block goes.
    position: u64,
    written: Arc<AtomicU64>,
    /// Ends when this is dropped.
    to_disk: SyncSender<Job>,
    from_disk: Receiver<(Block, io::Result<()>)>,
    /// Blocks that the disk's thread has.
    under_way: usize,
}

/// How bytes reach the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Past the page cache.
    Direct,
    /// Through it.
    Cached,
}

/// The first `length` bytes of the block go to `position`.
struct Job {
    block: Block,
    length: usize,
    position: u64,
}

/// What all disks are content with.
const ALIGNMENT: usize = 4096;
/// So much goes to the disk at once.
const BLOCK: usize = 1 << 20;
/// One is filled, one is written, and one is ready to be.
const BLOCKS: usize = 3;

/// Memory that begins at an aligned address.
struct Block {
    /// Never grows, so it stays where it is.
    memory: Vec<u8>,
    begin: usize,
    size: usize,
}

impl Block {
    fn new(size: usize) -> Self {
        let memory = vec![0; size + ALIGNMENT];
        let begin = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { memory, begin, size }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.begin..self.begin + self.size]
    }
}

impl Storage {
    /// A new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        match open(path, Way::Direct, OpenOptions::new().create_new(true)) {
            // The file system said no after it had made the file, or before.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                let file = open(path, Way::Cached, OpenOptions::new().create(true))?;
                Self::new(path, file, Way::Cached, BLOCK)
            }
            file => Self::new(path, file?, Way::Direct, BLOCK),
        }
    }

    fn new(path: &Path, file: File, way: Way, size: usize) -> io::Result<Self> {
        let (to_disk, jobs) = sync_channel::<Job>(BLOCKS);
        let (done, from_disk) = sync_channel(BLOCKS);
        let mut disk = Disk { path: path.to_owned(), file: file.try_clone()?, way, has_failed: false };
        thread::Builder::new().name("hemiola disk".into()).spawn(move || {
            for Job { mut block, length, position } in jobs {
                // What was written stays as it is when the disk has failed: nothing goes behind a gap, and nothing over it.
                let result = match disk.has_failed {
                    false => disk.put(&block.bytes()[..length], position),
                    true => Err(io::Error::other("the disk has failed before")),
                };
                disk.has_failed |= result.is_err();
                // Who has gone may have left more to write.
                _ = done.send((block, result));
            }
        })?;
        Ok(Self {
            file,
            block: Block::new(size),
            spare: (1..BLOCKS).map(|_| Block::new(size)).collect(),
            filled: 0,
            position: 0,
            written: Arc::default(),
            to_disk,
            from_disk,
            under_way: 0,
        })
    }

    /// How many bytes there are, for others to see.
    pub fn written(&self) -> Arc<AtomicU64> {
        self.written.clone()
    }

    /// The same file once more, to be synchronised by somebody else.
    pub fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Has the first `length` bytes of the block written, and goes on with `next`.
    fn put(&mut self, length: usize, next: Block) -> io::Result<()> {
        let block = std::mem::replace(&mut self.block, next);
        self.to_disk.send(Job { block, length, position: self.position }).map_err(|_| gone())?;
        self.under_way += 1;
        Ok(())
    }

    /// Waits for a block that was written.
    fn take_back(&mut self) -> io::Result<Block> {
        let (block, result) = self.from_disk.recv().map_err(|_| gone())?;
        self.under_way -= 1;
        result.map(|()| block)
    }
}

/// It only ends by a panic, which it has told of.
fn gone() -> io::Error {
    io::Error::other("the thread that writes has ended")
}

/// What the disk's thread has.
struct Disk {
    path: PathBuf,
    file: File,
    way: Way,
    has_failed: bool,
}

impl Disk {
    fn put(&mut self, bytes: &[u8], position: u64) -> io::Result<()> {
        match self.file.write_all_at(bytes, position) {
            Err(error) if error.kind() == ErrorKind::InvalidInput && self.way == Way::Direct => {
                self.file = open(&self.path, Way::Cached, &mut OpenOptions::new())?;
                self.way = Way::Cached;
                self.file.write_all_at(bytes, position)
            }
            done => done,
        }
    }
}

fn open(path: &Path, way: Way, options: &mut OpenOptions) -> io::Result<File> {
    let flags = match way {
        #[cfg(target_os = "linux")]
        Way::Direct => libc::O_DIRECT,
        _ => 0,
    };
    options.write(true).custom_flags(flags).open(path)
}

impl Write for Storage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.block.size;
        if self.filled == size {
            let next = match self.spare.pop() {
                Some(block) => block,
                None => self.take_back()?,
            };
            self.put(size, next)?;
            self.position += size as u64;
            self.filled = 0;
        }
        let count = bytes.len().min(size - self.filled);
        let filled = self.filled;
        self.block.bytes()[filled..filled + count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.under_way > 0 {
            let block = self.take_back()?;
            self.spare.push(block);
        }
        let (filled, padded) = (self.filled, self.filled.next_multiple_of(ALIGNMENT));
        self.block.bytes()[filled..padded].fill(0);
        // The block comes back as it is: more goes behind what it has.
        let other = self.spare.pop().unwrap_or_else(|| Block::new(self.block.size));
        self.put(padded, other)?;
        let block = self.take_back()?;
        self.spare.push(std::mem::replace(&mut self.block, block));
        self.file.set_len(self.position + filled as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_is_written_and_whenever_it_is_flushed_the_file_has_it(
            pieces in prop::collection::vec((0..20_000usize, any::<bool>()), 0..20),
            direct in any::<bool>(),
        ) {
            let path = std::env::temp_dir().join(format!("hemiola-storage-{}-{direct}", std::process::id()));
            _ = std::fs::remove_file(&path);
            let mut storage = Storage::create(&path).unwrap();
            if !direct {
                let file = open(&path, Way::Cached, &mut OpenOptions::new()).unwrap();
                storage = Storage::new(&path, file, Way::Cached, 2 * ALIGNMENT).unwrap();
            } else {
                let file = storage.try_clone().unwrap();
                storage = Storage::new(&path, file, Way::Direct, 2 * ALIGNMENT).unwrap();
            }
            let mut expected = Vec::new();
            for (length, flushed) in pieces {
                let piece: Vec<u8> = (0..length).map(|index| (index * 31 + expected.len()) as u8 | 1).collect();
                storage.write_all(&piece).unwrap();
                expected.extend(piece);
                if flushed {
                    storage.flush().unwrap();
                    prop_assert!(std::fs::read(&path).unwrap() == expected);
                }
            }
            storage.flush().unwrap();
            prop_assert!(std::fs::read(&path).unwrap() == expected);
            prop_assert_eq!(storage.written().load(Ordering::Relaxed), expected.len() as u64);
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn a_file_that_exists_is_left_alone() {
        let path = std::env::temp_dir().join(format!("hemiola-storage-exists-{}", std::process::id()));
        std::fs::write(&path, "precious").unwrap();
        assert_eq!(Storage::create(&path).err().map(|error| error.kind()), Some(ErrorKind::AlreadyExists));
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        std::fs::remove_file(&path).unwrap();
    }
}
