//! The file that a log is written to, past the page cache where the system allows it.
//!
//! Logs are written once and not read soon: copying them through the cache costs seconds of processor time per gigabyte, and pushes out what
//! others need. So whole blocks go to the disk directly (`O_DIRECT`: aligned in memory, in the file and in length). The end of the data is
//! written with zeros behind it when somebody flushes, the file is cut to its true length, and the next block goes over it. A process that is
//! killed in between leaves zeros at the end, which readers know.
//!
//! File systems that do not have it (tmpfs, some network and FUSE ones) get the same writes through the cache.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module.
pub struct Storage {
    path: PathBuf,
    file: File,
    way: Way,
    /// A block, somewhere within.
    memory: Vec<u8>,
    /// Where in the memory the block begins: at an aligned address.
    begin: usize,
    /// Of one block.
    size: usize,
    /// Bytes of the block that are filled.
    filled: usize,
    /// Where in the file the block goes.
    position: u64,
    written: Arc<AtomicU64>,
}

/// How bytes reach the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Past the page cache.
    Direct,
    /// Through it.
    Cached,
}

/// What all disks are content with.
const ALIGNMENT: usize = 4096;
/// So much goes to the disk at once.
const BLOCK: usize = 1 << 20;

impl Storage {
    /// A new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        match open(path, Way::Direct, OpenOptions::new().create_new(true)) {
            // The file system said no after it had made the file, or before.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                let file = open(path, Way::Cached, OpenOptions::new().create(true))?;
                Ok(Self::new(path, file, Way::Cached, BLOCK))
            }
            file => Ok(Self::new(path, file?, Way::Direct, BLOCK)),
        }
    }

    fn new(path: &Path, file: File, way: Way, size: usize) -> Self {
        // Never grows, so it stays where it is.
        let memory = vec![0; size + ALIGNMENT];
        let begin = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { path: path.to_owned(), file, way, memory, begin, size, filled: 0, position: 0, written: Arc::default() }
    }

    /// How many bytes there are, for others to see.
    pub fn written(&self) -> Arc<AtomicU64> {
        self.written.clone()
    }

    /// The same file once more, to be synchronised by somebody else.
    pub fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Writes the first `length` bytes of the block to its place.
    fn put(&mut self, length: usize) -> io::Result<()> {
        let block = &self.memory[self.begin..self.begin + length];
        match self.file.write_all_at(block, self.position) {
            Err(error) if error.kind() == ErrorKind::InvalidInput && self.way == Way::Direct => {
                self.file = open(&self.path, Way::Cached, &mut OpenOptions::new())?;
                self.way = Way::Cached;
                self.file.write_all_at(block, self.position)
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
        if self.filled == self.size {
            self.put(self.size)?;
            self.position += self.size as u64;
            self.filled = 0;
        }
        let count = bytes.len().min(self.size - self.filled);
        let place = self.begin + self.filled;
        self.memory[place..place + count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        let padded = self.filled.next_multiple_of(ALIGNMENT);
        self.memory[self.begin + self.filled..self.begin + padded].fill(0);
        self.put(padded)?;
        self.file.set_len(self.position + self.filled as u64)
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
                storage = Storage::new(&path, file, Way::Cached, 2 * ALIGNMENT);
            } else {
                storage = Storage::new(&path, storage.try_clone().unwrap(), storage.way, 2 * ALIGNMENT);
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
