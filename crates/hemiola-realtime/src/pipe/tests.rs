use super::*;

#[cfg(loom)]
mod models {
    use std::sync::Arc;

    use loom::cell::UnsafeCell;

    use super::*;
    use crate::sync::AtomicU64;

    /// The memory of a side: its words, and a ring of cells whose accesses loom checks.
    #[derive(Default)]
    struct Memory {
        words: [Slot; 4],
        ring: [Cell; 2],
    }

    struct Slot(AtomicU64);

    /// A byte. The access to the cell beside it is what loom checks.
    struct Cell(UnsafeCell<()>, AtomicU64);

    impl Default for Slot {
        fn default() -> Self {
            Self(AtomicU64::new(0))
        }
    }

    impl Default for Cell {
        fn default() -> Self {
            Self(UnsafeCell::new(()), AtomicU64::new(0))
        }
    }

    impl OwnSide for Arc<Memory> {
        fn length(&self) -> usize {
            self.ring.len()
        }

        fn put(&mut self, place: usize, bytes: &[u8]) {
            for (cell, byte) in self.ring[place..].iter().zip(bytes) {
                cell.0.with_mut(|_| cell.1.store((*byte).into(), Ordering::Relaxed));
            }
        }

        fn set(&self, word: PipeWord, value: u64) {
            self.words[word as usize].0.store(value, Ordering::Release);
        }
    }

    struct Foreign(Arc<Memory>);

    impl OtherSide for Foreign {
        fn length(&self) -> usize {
            self.0.ring.len()
        }

        fn copy(&self, place: usize, into: &mut [u8]) {
            for (cell, byte) in self.0.ring[place..].iter().zip(into) {
                *byte = cell.0.with(|_| cell.1.load(Ordering::Relaxed)) as u8;
            }
        }

        fn word(&self, word: PipeWord) -> u64 {
            let value = self.0.words[word as usize].0.load(Ordering::Relaxed);
            fence(Ordering::Acquire);
            value
        }
    }

    type Modelled = Pipe<Arc<Memory>, Foreign>;

    fn pair() -> (Modelled, Modelled) {
        let (near, far) = (Arc::new(Memory::default()), Arc::new(Memory::default()));
        (Pipe::new(near.clone(), Foreign(far.clone())), Pipe::new(far, Foreign(near)))
    }

    /// A bell on which threads of a model wait, as processes do on a socket.
    fn bell() -> (loom::sync::mpsc::Sender<()>, loom::sync::mpsc::Receiver<()>) {
        loom::sync::mpsc::channel()
    }

    /// A reader that sleeps is rung for whatever comes first, and reads what was written, in order.
    /// A lost ring would leave it asleep for ever, which loom reports.
    #[test]
    fn loom_a_reader_that_sleeps_gets_everything() {
        loom::model(|| {
            let (mut writer, mut reader) = pair();
            let (ring, rung) = bell();
            let writing = loom::thread::spawn(move || {
                for byte in [1, 2] {
                    assert_eq!(writer.write(&[byte]), Ok(1));
                    if writer.send() {
                        ring.send(()).unwrap();
                    }
                }
            });
            let mut received = Vec::new();
            while received.len() < 2 {
                let mut byte = [0];
                if reader.read(&mut byte) == Ok(1) {
                    received.push(byte[0]);
                } else if reader.rest().unwrap() {
                    rung.recv().unwrap();
                    reader.note_rung();
                }
            }
            assert_eq!(received, [1, 2]);
            writing.join().unwrap();
        });
    }

    /// A writer without room is rung for each time that there is some, and overwrites only what was
    /// read.
    #[test]
    fn loom_a_writer_without_room_gets_some() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(4);
        model.check(|| {
            let (mut writer, mut reader) = pair();
            let (ring, rung) = bell();
            assert_eq!(writer.write(&[1, 2, 3]), Ok(2));
            assert!(!writer.send());
            let reading = loom::thread::spawn(move || {
                for expected in [1, 2] {
                    // Giving back what was given back already is allowed.
                    for _ in 0..2 {
                        if reader.give_back() {
                            _ = ring.send(());
                        }
                    }
                    let mut byte = [0];
                    assert_eq!(reader.read(&mut byte), Ok(1));
                    assert_eq!(byte, [expected]);
                    if reader.give_back() {
                        _ = ring.send(());
                    }
                }
                reader
            });
            for byte in [3, 4] {
                while writer.write(&[byte]) == Ok(0) {
                    if !writer.want_room().unwrap() {
                        rung.recv().unwrap();
                    }
                }
                _ = writer.send();
            }
            let mut reader = reading.join().unwrap();
            let mut bytes = [0; 2];
            assert_eq!((reader.read(&mut bytes), bytes), (Ok(2), [3, 4]));
        });
    }
}

#[cfg(not(loom))]
mod with_memory {
    use std::collections::VecDeque;
    use std::sync::{Arc, mpsc};
    use std::thread;

    use proptest::prelude::*;

    use super::*;
    use crate::{ForeignMemory, SharedMemory};

    const LENGTH: usize = 4096;

    fn seen(memory: &SharedMemory) -> Arc<ForeignMemory> {
        let descriptor = memory.descriptor().try_clone_to_owned().unwrap();
        Arc::new(ForeignMemory::open(&descriptor, memory.bytes()).unwrap())
    }

    fn pair() -> (MemoryPipe, MemoryPipe) {
        let sides = [(); 2].map(|()| {
            let memory = SharedMemory::create(1 << 16).unwrap();
            let ring = memory.block(LENGTH).unwrap();
            let place = PipePlace { word: 24, offset: ring.offset(), length: LENGTH as u64 };
            ((seen(&memory), place), (memory, ring, 24))
        });
        let [(seen_near, near), (seen_far, far)] = sides;
        (MemoryPipe::new(near, seen_far).unwrap(), MemoryPipe::new(far, seen_near).unwrap())
    }

    proptest! {
        #[test]
        fn what_is_written_in_any_pieces_is_read_in_any_pieces(
            acts in prop::collection::vec((any::<bool>(), 0..5000_usize), 0..60),
        ) {
            let ((mut writer, mut reader), mut under_way, mut next) = (pair(), VecDeque::<u8>::new(), 0_u8);
            for (writes, length) in acts {
                if writes {
                    let bytes: Vec<u8> = (0..length).map(|byte| next.wrapping_add(byte as u8)).collect();
                    let count = writer.write(&bytes).unwrap();
                    prop_assert_eq!(count, length.min(LENGTH - under_way.len()));
                    next = next.wrapping_add(count as u8);
                    under_way.extend(&bytes[..count]);
                    _ = writer.send();
                } else {
                    let mut bytes = vec![0; length];
                    let count = reader.read(&mut bytes).unwrap();
                    prop_assert!(count <= length && (count > 0 || length == 0 || under_way.is_empty()));
                    prop_assert!(under_way.drain(..count).eq(bytes[..count].iter().copied()));
                    _ = reader.give_back();
                }
            }
        }
    }

    #[test]
    fn it_is_rung_once_for_each_sleep_and_not_for_who_looks_by_itself() {
        let (mut writer, mut reader) = pair();
        let send = |writer: &mut MemoryPipe| {
            writer.write(&[1]).unwrap();
            writer.send()
        };
        assert!(!send(&mut writer), "nobody has said that it sleeps");
        assert!(!reader.prepare_to_sleep().unwrap(), "there is something");
        let mut bytes = [0; 10];
        assert_eq!(reader.read(&mut bytes), Ok(1));
        assert!(reader.prepare_to_sleep().unwrap());
        assert_eq!([(); 3].map(|()| send(&mut writer)), [true, false, false]);
        assert_eq!(reader.read(&mut bytes), Ok(3));
        assert!(reader.prepare_to_sleep().unwrap() && send(&mut writer));
        reader.stay_awake();
        assert!(!send(&mut writer) && reader.has_news().unwrap());
        assert_eq!((reader.rest(), reader.read(&mut bytes), reader.rest()), (Ok(false), Ok(2), Ok(true)));
        assert!(!send(&mut writer), "it looks by itself until it prepares to sleep");
        assert_eq!((reader.read(&mut bytes), reader.prepare_to_sleep(), reader.rest()), (Ok(1), Ok(true), Ok(true)));
        assert!(send(&mut writer));
    }

    #[test]
    fn a_writer_is_rung_for_if_it_has_found_no_room() {
        let (mut writer, mut reader) = pair();
        assert_eq!(writer.write(&[7; LENGTH + 1]), Ok(LENGTH));
        _ = writer.send();
        let mut bytes = [0; 100];
        assert_eq!(reader.read(&mut bytes), Ok(100));
        assert!(!reader.give_back(), "it has not asked for room");
        assert_eq!(writer.write(&[7; LENGTH]), Ok(100));
        assert_eq!(writer.want_room(), Ok(false));
        _ = writer.send();
        assert_eq!(reader.read(&mut bytes), Ok(100));
        assert!(reader.give_back() && !reader.give_back());
        assert_eq!(writer.has_room(), Ok(true));
    }

    #[test]
    fn numbers_that_cannot_be_are_errors() {
        let (near, far) = (SharedMemory::create(1 << 16).unwrap(), SharedMemory::create(1 << 16).unwrap());
        let place = PipePlace { word: 0, offset: 8192, length: LENGTH as u64 };
        let pipe = || MemoryPipe::new((near.clone(), near.block(LENGTH).unwrap(), 0), (seen(&far), place)).unwrap();
        let length = LENGTH as u64;
        for (written, is_possible) in [(0, true), (length, true), (length + 1, false), (u64::MAX, false)] {
            far.set_word(8, written);
            assert_eq!(pipe().read(&mut [0; 10]).is_ok(), is_possible, "{written}");
            assert_eq!(pipe().prepare_to_sleep().is_ok(), is_possible, "{written}");
        }
        far.set_word(8, 5);
        let mut goes_back = pipe();
        assert_eq!(goes_back.read(&mut [0; 10]), Ok(5));
        far.set_word(8, 4);
        assert_eq!(goes_back.has_news(), Err(PipeMisuse { found: 4, possible: (5, 5 + length) }));
        for (read, is_possible) in [(0, true), (length, true), (length + 1, false), (u64::MAX, false)] {
            let mut pipe = pipe();
            assert_eq!(pipe.write(&[0; LENGTH]), Ok(LENGTH));
            far.set_word(1, read);
            assert_eq!(pipe.want_room().is_ok(), is_possible, "{read}");
        }
    }

    #[test]
    fn a_place_that_is_not_there_makes_no_pipe() {
        let (near, far) = (SharedMemory::create(1 << 16).unwrap(), SharedMemory::create(1 << 16).unwrap());
        let of = |word: usize, place: PipePlace| {
            MemoryPipe::new((near.clone(), near.block(LENGTH).unwrap(), word), (seen(&far), place)).is_some()
        };
        let place = PipePlace { word: 0, offset: 4096, length: 4096 };
        let last = SharedMemory::WORDS - PipePlace::WORDS;
        assert!(of(0, place) && of(last, PipePlace { word: last, ..place }));
        assert!(!of(last + 1, place));
        for word in [last + 1, usize::MAX] {
            assert!(!of(0, PipePlace { word, ..place }), "{word}");
        }
        for (offset, length) in [(4096, 0), (4096, 1 << 16), (u64::MAX, 1), (1 << 16, 1)] {
            assert!(!of(0, PipePlace { offset, length, ..place }), "{length} bytes from {offset} on");
        }
    }

    /// Two real threads, each of which sleeps whenever it has nothing to do. A lost ring would
    /// leave one of them asleep for ever.
    #[test]
    fn bytes_arrive_between_threads_that_sleep_all_the_time() {
        const BYTES: usize = 4 << 20;
        let (mut writer, mut reader) = pair();
        let (wake_writer, writer_rung) = mpsc::sync_channel(1);
        let (wake_reader, reader_rung) = mpsc::sync_channel(1);
        let byte = |place: usize| (place * 31 / 7) as u8;
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut done = 0;
                while done < BYTES {
                    let bytes: Vec<u8> = (done..BYTES.min(done + 1 + done % 3000)).map(byte).collect();
                    let count = writer.write(&bytes).unwrap();
                    done += count;
                    if writer.send() {
                        _ = wake_reader.try_send(());
                    }
                    if count < bytes.len() && !writer.want_room().unwrap() {
                        writer_rung.recv().unwrap();
                    }
                }
            });
            let (mut done, mut bytes) = (0, [0; 1500]);
            while done < BYTES {
                let count = reader.read(&mut bytes).unwrap();
                assert!(bytes[..count].iter().zip(done..).all(|(found, place)| *found == byte(place)));
                done += count;
                if reader.give_back() {
                    _ = wake_writer.try_send(());
                }
                if count == 0 && reader.prepare_to_sleep().unwrap() {
                    reader_rung.recv().unwrap();
                }
            }
        });
    }
}
