//! Memory that causes no page faults at critical times: locked, and touched in advance.

use crate::denial::{Denial, Outcome, remedy_for_permission};
use crate::locking::Locking;
use crate::os;
use crate::privileges::Privileges;
use crate::system_tree::SystemTree;
use std::hint::black_box;
use std::io;

/// The outcome of the request to keep memory resident.
///
/// ```
/// use hemiola_realtime::secure_memory;
///
/// let report = secure_memory(4 * 1024 * 1024);
/// if let Some(denial) = report.lock.denial() {
///     eprintln!("{denial}"); // the program runs all the same
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryReport {
    /// The outcome of locking memory.
    pub lock: Outcome,
    /// The memory that is locked, if any is.
    pub locking: Option<Locking>,
    /// Set if the allocator keeps freed memory instead of returning it to the system. Only glibc's
    /// can be configured so.
    pub keeps_heap: bool,
    /// The number of bytes of heap that were touched in advance.
    pub prefaulted_heap: usize,
}

/// Locks the process' memory as far as permitted, makes the allocator keep freed memory, and
/// touches `heap` bytes in advance (they go to the allocator's arena of the calling thread, so call
/// it on the main thread, at start-up, before other threads).
///
/// Locking is tried in the order [`Locking`] lists. Once future memory is locked, every stack of a
/// new thread is resident as a whole, unless the thread sets how much of it is to be resident
/// ([`ThreadSettings::prefaulted_stack`](crate::ThreadSettings::prefaulted_stack)). This takes
/// milliseconds per 10 MiB.
pub fn secure_memory(heap: usize) -> MemoryReport {
    let keeps_heap = os::keep_heap();
    let tree = SystemTree::of_this_machine();
    // Where that file does not exist, locking is tried.
    let limit = tree.limit("Max locked memory").flatten();
    let unlimited = limit.is_none() || Privileges::of_this_process(&tree).may_lock_memory;
    let locked = |attempts: &[Locking]| {
        let mut refusal = io::ErrorKind::Unsupported.into();
        for &locking in attempts {
            match os::lock_memory(locking) {
                Ok(()) => return Ok(locking),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    };
    let (prefaulted_heap, locked) = if unlimited {
        // The system makes memory resident in large pieces, locked already, when it is locked
        // before it is there: a third less work than a page at a time, and a walk over all of them.
        let locked = locked(&[Locking::PresentAndFuture, Locking::WhenTouched]);
        (prefault_heap(heap), locked)
    } else {
        // Memory that is not resident yet would not be locked.
        (prefault_heap(heap), locked(&[Locking::Present]))
    };
    let lock = match &locked {
        Ok(_) => Outcome::Granted,
        Err(refusal) => Outcome::Denied(explain(refusal, limit)),
    };
    MemoryReport { lock, locking: locked.ok(), keeps_heap, prefaulted_heap }
}

/// Touches the next `bytes` of the calling thread's stack, but never more than it has, and returns
/// how many were touched.
///
/// [`ThreadSettings::prefaulted_stack`](crate::ThreadSettings::prefaulted_stack) calls it on new
/// threads.
///
/// ```
/// assert!(hemiola_realtime::prefault_stack(64 * 1024) > 0);
/// ```
pub fn prefault_stack(bytes: usize) -> usize {
    /// The space that the touching itself needs at the low end, in unoptimised builds, too.
    const RESERVE: usize = 8 * PAGE;
    let start = stack_position();
    let Ok(stack) = os::stack() else { return 0 };
    if !stack.contains(&start) {
        // A sanitizer keeps local variables elsewhere, so that going down would never end.
        return 0;
    }
    let target = start.saturating_sub(bytes).max(stack.start.saturating_add(RESERVE));
    if target >= start {
        return 0;
    }
    touch_stack(target);
    start - target
}

/// The size and the alignment of a huge page; on processors that have others, a multiple of most.
pub const HUGE_PAGE: usize = 2 << 20;

/// Requests huge pages for the part of `memory` that can have them, and returns whether the system
/// accepted that. Devices read and write such memory with less work for the system, which looks up
/// one page where there were 512.
///
/// Only ranges of [`HUGE_PAGE`] bytes that begin at a multiple of it can be huge pages, and the
/// system may have none left. The contents stay as they are. This may take milliseconds, so it is
/// nothing for real-time threads, nor for memory that they touch.
///
/// ```
/// use hemiola_realtime::{HUGE_PAGE, prefer_huge_pages};
///
/// let mut memory = vec![0_u8; 2 * HUGE_PAGE];
/// memory[7] = 7;
/// if !prefer_huge_pages(&mut memory) {
///     println!("the pages stay small");
/// }
/// assert_eq!(memory[7], 7);
/// ```
pub fn prefer_huge_pages(memory: &mut [u8]) -> bool {
    os::prefer_huge_pages(memory).is_ok()
}

/// Touches `bytes` of the calling thread's stack, and releases what locking has made resident
/// beyond that: it becomes resident again, and stays so, when it is touched. Returns how many bytes
/// were touched.
pub(crate) fn settle_stack(bytes: usize) -> usize {
    let touched = prefault_stack(bytes);
    if bytes > 0 {
        // Where the system cannot release it, more is resident than was requested.
        _ = os::release_stack_beyond(bytes);
    }
    touched
}

const PAGE: usize = 4096;

#[inline(never)]
fn touch_stack(target: usize) {
    let mut page = [0u8; PAGE];
    // The compiler must assume that the page is read and written: it can neither remove it nor turn
    // this into a loop.
    let position = black_box(&mut page).as_ptr().addr();
    if position > target {
        touch_stack(target);
    }
    black_box(&mut page);
}

#[inline(never)]
fn stack_position() -> usize {
    black_box(&mut 0u8 as *mut u8).addr()
}

/// Allocates in blocks that the heap serves (larger ones get a mapping of their own, which is
/// removed when they are freed), writes to every page, and frees them all.
fn prefault_heap(bytes: usize) -> usize {
    /// Small enough for the heap, which has no mappings of its own for blocks of this size.
    const BLOCK: usize = 1024 * 1024;
    let mut blocks: Vec<Vec<u8>> = Vec::with_capacity(bytes.div_ceil(BLOCK));
    for _ in 0..bytes.div_ceil(BLOCK) {
        // Zeros are not needed: only one byte of each page is written.
        let mut block = Vec::with_capacity(BLOCK);
        block.spare_capacity_mut().iter_mut().step_by(PAGE).for_each(|byte| _ = byte.write(1));
        blocks.push(black_box(block));
    }
    blocks.iter().map(Vec::capacity).sum()
}

fn explain(error: &io::Error, limit: Option<u64>) -> Denial {
    let reason = match (error.raw_os_error(), limit) {
        (Some(libc::EPERM | libc::ENOMEM | libc::EAGAIN), Some(limit)) => format!(
            "the process may lock {} KiB (RLIMIT_MEMLOCK), which is less than it occupies, and has no CAP_IPC_LOCK ({error})",
            limit / 1024
        ),
        (Some(libc::ENOMEM | libc::EAGAIN), None) => format!("there is not enough memory to hold all of it ({error})"),
        _ => error.to_string(),
    };
    let remedy = match error.kind() {
        io::ErrorKind::Unsupported => {
            "none on this system: expect page faults after start-up and under memory pressure".into()
        }
        _ => remedy_for_permission(),
    };
    Denial { setting: "memory that is never paged out".to_string(), reason, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_is_touched_as_far_as_it_reaches_and_no_further() {
        let (asked, all) = std::thread::Builder::new()
            .stack_size(1024 * 1024)
            .spawn(|| (prefault_stack(256 * 1024), prefault_stack(usize::MAX)))
            .expect("a thread starts")
            .join()
            .expect("nothing overflows");
        assert_eq!(asked, 256 * 1024);
        // The C library may hand out a larger stack that another thread has left. One byte too far
        // would have crashed.
        assert!(all > 512 * 1024, "{all} bytes of 1 MiB or more");
    }

    #[test]
    fn what_is_in_memory_stays_when_its_pages_become_huge_wherever_it_begins() {
        let mut memory: Vec<u8> = (0..2 * HUGE_PAGE + 4321).map(|index| (index / 7) as u8).collect();
        for (begin, end) in [(0, memory.len()), (1, HUGE_PAGE), (4095, 4097), (100, 100)] {
            prefer_huge_pages(&mut memory[begin..end]);
            assert!(memory.iter().enumerate().all(|(index, &byte)| byte == (index / 7) as u8), "{begin}..{end}");
        }
    }

    #[test]
    fn the_heap_is_touched_in_whole_blocks() {
        assert_eq!(prefault_heap(0), 0);
        assert_eq!(prefault_heap(1), 1024 * 1024);
        assert_eq!(prefault_heap(2 * 1024 * 1024), 2 * 1024 * 1024);
    }

    #[test]
    fn a_refusal_names_the_limit_and_the_remedy() {
        let denial = explain(&io::Error::from_raw_os_error(libc::ENOMEM), Some(8192 * 1024));
        assert!(denial.reason.contains("8192 KiB"), "{denial}");
        assert!(denial.remedy.contains("cap_ipc_lock") && denial.remedy.contains("memlock unlimited"), "{denial}");
    }
}
