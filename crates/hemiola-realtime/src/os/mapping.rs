//! Mappings of memory that processes share.
//!
//! # Safety
//! A mapping is `length` bytes at `address`, aligned to a page, from its creation until it is
//! dropped. Its file is sealed against shrinking, so that every access finds memory.
#![expect(unsafe_code, reason = "system calls")]

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::{NonNull, null_mut};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mprotect, munlock, munmap};

/// A mapping of shared memory.
#[derive(Debug)]
pub(crate) struct Mapping {
    address: NonNull<u8>,
    length: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread; its owner decides who accesses it.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// The seals with which only the creator of a file can write it, and no process can change its
/// length or punch a hole in it.
const SEALS: SealFlags = SealFlags::FUTURE_WRITE.union(SealFlags::SHRINK).union(SealFlags::GROW).union(SealFlags::SEAL);

impl Mapping {
    /// Creates memory of zeros that only this mapping can write, and returns its file, which others
    /// can map to read it. It has no name, and is freed with the last process that maps it.
    pub(crate) fn create(length: usize) -> io::Result<(Self, OwnedFd)> {
        let file = memfd_create("hemiola", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, length as u64)?;
        let mapping = Self::new(&file, length, MprotectFlags::READ | MprotectFlags::WRITE)?;
        fcntl_add_seals(&file, SEALS)?;
        Ok((mapping, file))
    }

    /// Maps memory of another process to read it.
    ///
    /// # Errors
    /// Returns an error if it is not such memory, or has another length.
    pub(crate) fn open(file: &OwnedFd, length: usize) -> io::Result<Self> {
        let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidData, why.to_owned()));
        if !fcntl_get_seals(file).is_ok_and(|seals| seals.contains(SEALS)) {
            return refused("it is no memory that stays as long as it is, and that only its owner can write");
        }
        let found = fstat(file)?;
        if u64::try_from(found.st_size).ok() != Some(length as u64) {
            return refused("it has another length than was said");
        }
        // Huge pages may be missing when they are touched, which ends the process.
        if u64::try_from(found.st_blksize).ok() != Some(rustix::param::page_size() as u64) {
            return refused("its pages are of another size");
        }
        Self::new(file, length, MprotectFlags::READ)
    }

    fn new(file: impl AsFd, length: usize, access: MprotectFlags) -> io::Result<Self> {
        // Where all memory is locked, a whole accessible mapping is made resident when it is
        // mapped. This memory is not locked, so pages that are never used occupy no memory. SAFETY:
        // a new mapping, at an address that the kernel chooses.
        let address = unsafe { mmap(null_mut(), length, ProtFlags::empty(), MapFlags::SHARED, file, 0)? };
        let Some(start) = NonNull::new(address.cast::<u8>()) else { return Err(io::ErrorKind::OutOfMemory.into()) };
        let mapping = Self { address: start, length };
        // SAFETY: the pages of the mapping that was just created, which nothing refers to yet.
        unsafe {
            _ = munlock(address, length);
            mprotect(address, length, access)?;
        }
        Ok(mapping)
    }

    /// Returns the address of the first byte.
    pub(crate) fn address(&self) -> NonNull<u8> {
        self.address
    }

    /// Returns the number of bytes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was created with this address and length, and nothing refers to it
        // any more.
        _ = unsafe { munmap(self.address.as_ptr().cast::<c_void>(), self.length) };
    }
}
