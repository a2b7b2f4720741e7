use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};

use proptest::prelude::*;

use super::*;

fn memory() -> Arc<SharedMemory> {
    SharedMemory::create(100_000).unwrap()
}

fn file(memory: &SharedMemory) -> OwnedFd {
    memory.descriptor().try_clone_to_owned().unwrap()
}

#[test]
fn blocks_are_apart_and_free_again_when_they_are_dropped() {
    let memory = memory();
    let mut blocks: Vec<_> = std::iter::from_fn(|| memory.block(5000)).collect();
    // 25 pages of which one has the words, and two in each block.
    assert_eq!(blocks.len(), 12);
    blocks.iter_mut().zip(1..).for_each(|(block, number)| block.fill(number));
    assert!(blocks.iter().zip(1..).all(|(block, number)| block.iter().all(|byte| *byte == number)));
    let dropped = blocks.remove(3).offset();
    assert_eq!(memory.block(8192).map(|block| block.offset()), Some(dropped));
    assert!(memory.block(usize::MAX).is_none());
}

#[test]
fn nobody_else_can_write_it_or_make_it_shorter() {
    let memory = memory();
    let file = file(&memory);
    assert!(rustix::io::write(&file, b"x").is_err());
    assert!(rustix::fs::ftruncate(&file, 0).is_err());
    // A descriptor of one's own does not help either.
    let again = File::options().read(true).write(true).open(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if let Ok(again) = again {
        assert!(rustix::io::write(&again, b"x").is_err());
        let hole = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        assert!(rustix::fs::fallocate(&again, hole, 0, 4096).is_err());
    }
}

#[test]
fn what_might_end_who_reads_it_is_not_opened() {
    let sealed = memory();
    assert!(ForeignMemory::open(&file(&sealed), sealed.bytes()).is_ok());
    for bytes in [0, 1, 4096, sealed.bytes() + 4096, usize::MAX] {
        assert!(ForeignMemory::open(&file(&sealed), bytes).is_err(), "{bytes}");
    }
    // Memory that its owner can shrink at any time.
    let flags = rustix::fs::MemfdFlags::ALLOW_SEALING;
    let loose = rustix::fs::memfd_create("loose", flags).unwrap();
    rustix::fs::ftruncate(&loose, 8192).unwrap();
    assert!(ForeignMemory::open(&loose, 8192).is_err());
    // A file, and something that is none.
    let path = std::env::temp_dir().join(format!("hemiola-foreign-{}", std::process::id()));
    std::fs::write(&path, [0; 8192]).unwrap();
    assert!(ForeignMemory::open(&File::open(&path).unwrap().into(), 8192).is_err());
    std::fs::remove_file(path).unwrap();
    assert!(ForeignMemory::open(&File::open("/dev/zero").unwrap().into(), 8192).is_err());
}

proptest! {
    #[test]
    fn whatever_place_is_named_it_is_copied_or_refused(
        place in prop_oneof![
            (0_u64..110_000, 0_u64..30_000),
            (any::<u64>(), any::<u64>()),
            (0_u64..110_000, prop::sample::select(vec![0, 1, u64::MAX, u32::MAX.into()])),
        ],
        word in prop_oneof![0_usize..600, any::<usize>()],
        before in 0_usize..20,
    ) {
        let memory = memory();
        let mut block = memory.block(memory.bytes() - WORDS).unwrap();
        block.iter_mut().zip(0_usize..).for_each(|(byte, place)| *byte = (place % 251) as u8);
        let seen = ForeignMemory::open(&file(&memory), memory.bytes()).unwrap();
        let ((offset, length), mut bytes) = (place, vec![9; before]);
        let expected: Option<Vec<u8>> = offset.checked_add(length).filter(|end| *end <= memory.bytes() as u64).map(|end| {
            let all = [&[0; WORDS][..], &block].concat();
            [&vec![9; before][..], &all[offset as usize..end as usize]].concat()
        });
        let part = seen.part(offset, length);
        part.iter().for_each(|part| part.append_to(&mut bytes));
        prop_assert_eq!(part.map(|_| bytes), expected.clone());
        if let Some((part, expected)) = part.zip(expected) {
            let from = before.min(part.length());
            let mut rest = vec![0; part.length() - from];
            part.copy_to(from, &mut rest);
            prop_assert_eq!(&rest[..], &expected[before + from..]);
        }
        prop_assert_eq!(seen.word(word).is_some(), word < memory.bytes() / size_of::<u64>());
        prop_assert_eq!(seen.word(word % SharedMemory::WORDS), Some(0));
    }
}
