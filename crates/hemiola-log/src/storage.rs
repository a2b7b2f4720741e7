//! The file to which a log is written, bypassing the page cache where the system allows it.
//!
//! Logs are written once and not read soon: copying them through the cache costs seconds of
//! processor time per gigabyte, and evicts what others need. So whole blocks go to the disk
//! directly (`O_DIRECT`: aligned in memory, in the file and in length). Blocks are large and lie in
//! huge pages where the system has some: most of what a direct write costs is per page and per
//! write, so that copying a value into such a block costs less than writing it from where it is. A
//! thread of its own waits for the disk, while the next block is filled. On a flush the end of the
//! data is written with zeros behind it, the file is cut to its true length, and the next block is
//! written over it. A process that is killed in between leaves zeros at the end, which readers
//! recognise.
//!
//! File systems without direct writes (tmpfs, some network and FUSE ones) receive the same writes
//! through the cache.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use hemiola_realtime::{HUGE_PAGE, prefer_huge_pages};

use crate::mcap_writer::Output;

/// A file that is written in whole blocks by a thread of its own: see the module.
pub struct Storage {
    /// The same file as that of the disk's thread.
    file: File,
    /// The block that is being filled.
    block: Block,
    /// The blocks that are not in use.
    spare: Vec<Block>,
    /// The position of the block in the file.
    position: u64,
    /// The channel to the disk's thread, which ends when this is dropped.
    to_disk: SyncSender<Job>,
    from_disk: Receiver<(Block, io::Result<()>)>,
    /// The number of blocks that the disk's thread has.
    under_way: usize,
}

/// The way in which bytes reach the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Bytes bypass the page cache.
    Direct,
    /// Bytes go through the page cache.
    Cached,
}

/// A request to write the first `length` bytes of the block at `position`.
struct Job {
    block: Block,
    length: usize,
    position: u64,
}

/// The alignment that suffices for all disks.
const ALIGNMENT: usize = 4096;
/// The number of bytes from which a block is written.
const ENOUGH: usize = 2 << 20;
/// The number of bytes that a block has room for at first: it is written when the chunk ends that
/// made it large enough.
const ROOM: usize = 2 * ENOUGH;
/// The number of blocks: one is filled, one is written, and one is ready to be filled.
const BLOCKS: usize = 3;

/// Memory whose bytes begin at an aligned address: at that of a huge page, until it grows.
struct Block {
    memory: Vec<u8>,
    begin: usize,
}

impl Block {
    fn new(room: usize) -> Self {
        // Zeros from the system are not touched, so what is not used is no memory.
        let mut memory = vec![0; room + HUGE_PAGE];
        let begin = memory.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        prefer_huge_pages(&mut memory[begin..]);
        memory.truncate(begin);
        Self { memory, begin }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.begin..]
    }

    fn len(&self) -> usize {
        self.memory.len() - self.begin
    }

    fn is_aligned_to(&self, size: usize) -> bool {
        self.bytes().as_ptr().align_offset(size) == 0
    }

    /// Returns an empty block with as much room. Memory that has grown may have left its huge
    /// pages.
    fn emptied(mut self) -> Self {
        if !self.is_aligned_to(HUGE_PAGE) {
            return Self::new(self.memory.capacity());
        }
        self.memory.truncate(self.begin);
        self
    }

    /// Returns the same bytes at an aligned address: they have moved if more came than there was
    /// room for.
    fn aligned(self) -> Self {
        if self.is_aligned_to(ALIGNMENT) {
            return self;
        }
        let mut aligned = Self::new(self.memory.capacity());
        aligned.memory.extend_from_slice(self.bytes());
        aligned
    }
}

impl Storage {
    /// Creates a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        match open(path, Way::Direct, OpenOptions::new().create_new(true)) {
            // The file system refused, before or after it had made the file.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                let file = open(path, Way::Cached, OpenOptions::new().create(true))?;
                Self::new(path, file, Way::Cached)
            }
            file => Self::new(path, file?, Way::Direct),
        }
    }

    fn new(path: &Path, file: File, way: Way) -> io::Result<Self> {
        let (to_disk, jobs) = sync_channel::<Job>(BLOCKS);
        let (done, from_disk) = sync_channel(BLOCKS);
        let mut disk = Disk { path: path.to_owned(), file: file.try_clone()?, way, has_failed: false };
        thread::Builder::new().name("hemiola disk".into()).spawn(move || {
            for Job { block, length, position } in jobs {
                // After the disk has failed, nothing more is written: nothing behind a gap, and
                // nothing over what was written.
                let result = match disk.has_failed {
                    false => disk.put(&block.bytes()[..length], position),
                    true => Err(io::Error::other("the disk has already failed")),
                };
                disk.has_failed |= result.is_err();
                // If the receiver is gone, the other jobs are still done.
                _ = done.send((block, result));
            }
        })?;
        Ok(Self {
            file,
            block: Block::new(ROOM),
            spare: (1..BLOCKS).map(|_| Block::new(ROOM)).collect(),
            position: 0,
            to_disk,
            from_disk,
            under_way: 0,
        })
    }

    /// Returns another handle of the file, for synchronisation by another thread.
    pub fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Writes everything to the file before it returns.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.under_way > 0 {
            let block = self.take_back()?;
            self.spare.push(block);
        }
        let filled = self.block.len();
        self.block.memory.resize(self.block.begin + filled.next_multiple_of(ALIGNMENT), 0);
        let empty = self.spare.pop().unwrap_or_else(|| Block::new(ROOM));
        self.put(self.block.len(), empty)?;
        let mut block = self.take_back()?;
        // Later bytes go behind the last ones, over the zeros.
        let whole = filled - filled % ALIGNMENT;
        block.memory.truncate(block.begin + filled);
        block.memory.drain(block.begin..block.begin + whole);
        self.position += whole as u64;
        self.spare.push(std::mem::replace(&mut self.block, block));
        self.file.set_len(self.position())
    }

    /// Sends the first `length` bytes of the block to the disk, and continues with `next`.
    fn put(&mut self, length: usize, next: Block) -> io::Result<()> {
        let block = std::mem::replace(&mut self.block, next).aligned();
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

impl Output for Storage {
    fn pending(&mut self) -> &mut Vec<u8> {
        &mut self.block.memory
    }

    fn position(&self) -> u64 {
        self.position + self.block.len() as u64
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let filled = self.block.len();
        if filled < ENOUGH {
            return Ok(());
        }
        let whole = filled - filled % ALIGNMENT;
        let next = match self.spare.pop() {
            Some(block) => block,
            None => self.take_back()?,
        };
        let mut next = next.emptied();
        next.memory.extend_from_slice(&self.block.bytes()[whole..]);
        self.put(whole, next)?;
        self.position += whole as u64;
        Ok(())
    }

    /// Returns no checksum: each chunk has its own, and one over all would mean a second pass over
    /// every byte.
    fn checksum(&self) -> u32 {
        0
    }
}

/// Returns the error for a thread that has ended, which only a panic causes, which has been
/// printed.
fn gone() -> io::Error {
    io::Error::other("the thread that writes has ended")
}

/// The state of the disk's thread.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_is_written_and_whenever_it_is_flushed_the_file_has_it(
            // Some pieces are longer than a block.
            pieces in prop::collection::vec((prop_oneof![3 => 0..20_000_usize, 1 => 0..3_000_000_usize], any::<bool>()), 0..12),
            direct in any::<bool>(),
        ) {
            let path = std::env::temp_dir().join(format!("hemiola-storage-{}-{direct}", std::process::id()));
            _ = std::fs::remove_file(&path);
            let mut storage = Storage::create(&path).unwrap();
            if !direct {
                let file = open(&path, Way::Cached, &mut OpenOptions::new()).unwrap();
                storage = Storage::new(&path, file, Way::Cached).unwrap();
            }
            let mut expected = Vec::new();
            for (length, flushed) in pieces {
                let piece: Vec<u8> = (0..length).map(|index| (index * 31 + expected.len()) as u8 | 1).collect();
                storage.pending().extend_from_slice(&piece);
                storage.pass_on().unwrap();
                expected.extend(piece);
                if flushed {
                    storage.flush().unwrap();
                    prop_assert!(std::fs::read(&path).unwrap() == expected);
                }
                prop_assert_eq!(storage.position(), expected.len() as u64);
            }
            storage.flush().unwrap();
            prop_assert!(std::fs::read(&path).unwrap() == expected);
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
