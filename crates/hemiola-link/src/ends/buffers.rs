//! The buffers that outgoing messages are written into.

use std::mem;
use std::sync::Arc;

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::{SharedBytes, Writer};
use hemiola_realtime::{FramedBlock, SharedMemory};

use super::{Cdr, contained};
use crate::memory::SharedBlock;

/// The buffers of a topic or representation. A buffer is reused once no peer waits for its contents
/// any more.
#[derive(Debug, Default)]
pub struct Buffers {
    own: Vec<Arc<Vec<u8>>>,
    /// The length of the last message.
    last: usize,
    /// The number of messages that are not looked through for large shared bytes.
    skipped: usize,
}

/// The most buffers that are kept, and the largest size of each.
const MOST: usize = 4;
const LARGEST: usize = 8 << 20;
/// The length from which on messages are written where other processes can read them; shorter ones
/// are cheaper to copy through a socket.
const LARGE: usize = 4 << 10;
/// The number of messages after one without large shared bytes, before the next one is looked
/// through.
const SKIPPED: usize = 63;

impl Buffers {
    /// Returns whether there was a message, and the last one was small.
    pub fn are_small(&self) -> bool {
        (1..LARGE).contains(&self.last)
    }

    /// Returns the bytes that `write` writes; `None` if it fails. `write` is code of users, and may
    /// be called several times. A message about as large as the last one is written into `memory`,
    /// if there is any and it has room, unless most of it is there already.
    pub fn written(
        &mut self,
        memory: Option<&Arc<SharedMemory>>,
        write: impl Fn(&mut dyn Writer) -> bool,
    ) -> Option<Cdr> {
        let memory = memory.filter(|_| self.last >= LARGE);
        if let Some(memory) = memory
            && let Some(cdr) = self.completed(memory, &write)
        {
            return Some(cdr);
        }
        if let Some(memory) = memory
            && let Some(mut block) = memory.block(self.last + self.last / 8)
        {
            let written = contained(|| {
                let mut writer = CdrWriter::within(&mut block);
                write(&mut writer).then(|| (!writer.is_full()).then_some(writer.bytes().len()))
            });
            if let Some(length) = written.ok().flatten()? {
                self.last = length;
                return Some(Cdr::within(block, length));
            }
        }
        // Nobody else has a reference of which another one could be made.
        let free = self.own.iter().position(|buffer| Arc::strong_count(buffer) == 1);
        let mut buffer = free.map(|index| self.own.swap_remove(index)).unwrap_or_default();
        let bytes = Arc::get_mut(&mut buffer)?;
        let mut empty = mem::take(bytes);
        empty.clear();
        let written = contained(move || {
            let mut writer = CdrWriter::behind(empty);
            write(&mut writer).then(|| writer.finish())
        });
        *bytes = written.ok().flatten()?;
        self.last = bytes.len();
        if self.own.len() < MOST && bytes.capacity() <= LARGEST {
            self.own.push(buffer.clone());
        }
        Some(buffer.into())
    }

    /// Returns a message that is in CDR already: where it is, or, if it is large and there is
    /// `memory` with room for it, copied to where peers read it.
    pub fn published(&mut self, memory: Option<&Arc<SharedMemory>>, message: &SharedBytes) -> Cdr {
        self.last = message.len();
        let block = memory.filter(|_| self.last >= LARGE).and_then(|memory| memory.block(self.last));
        match block {
            Some(mut block) => {
                block[..self.last].copy_from_slice(message);
                Cdr::within(block, self.last)
            }
            None => message.clone().into(),
        }
    }

    /// Completes a message around the bytes of one of its fields, if these are in `memory`; `None`
    /// if they are not, or belong to another message.
    fn completed(&mut self, memory: &Arc<SharedMemory>, write: impl Fn(&mut dyn Writer) -> bool) -> Option<Cdr> {
        if self.skipped > 0 {
            self.skipped -= 1;
            return None;
        }
        let looked_through = contained(|| {
            let mut rest = [0; 2 * FramedBlock::ROOM];
            let mut writer = CdrWriter::around(&mut rest);
            let is_written = write(&mut writer) && !writer.is_full();
            let (before, bytes, behind) = writer.parts()?;
            let block = bytes.block::<SharedBlock>().filter(|_| is_written);
            Some(block.and_then(|block| block.framed().frame(before, behind)))
        });
        let Some(framed) = looked_through.ok().flatten() else {
            self.skipped = SKIPPED;
            return None;
        };
        let framed = framed.filter(|framed| framed.is_part_of(memory))?;
        self.last = framed.len();
        Some(framed.into())
    }

    /// Appends to `bytes` what `write` writes, which is code of users, and returns its length;
    /// `None` if it fails, with a part of it appended.
    pub fn append(&mut self, bytes: &mut Vec<u8>, write: impl Fn(&mut dyn Writer) -> bool) -> Option<usize> {
        let begin = bytes.len();
        contained(|| write(&mut CdrWriter::append_to(bytes))).ok().filter(|is_written| *is_written)?;
        self.last = bytes.len() - begin;
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use hemiola_model::Data as _;

    use super::*;

    fn write(buffers: &mut Buffers, number: u8) -> Cdr {
        let written = buffers.written(None, |writer| {
            number.write(writer);
            true
        });
        written.unwrap()
    }

    #[test]
    fn a_buffer_is_used_again_as_soon_as_nobody_waits_for_what_is_in_it() {
        let mut buffers = Buffers::default();
        let first = write(&mut buffers, 1);
        let second = write(&mut buffers, 2);
        assert_eq!((&first[4..], &second[4..]), (&[1][..], &[2][..]));
        let place = first.as_ptr();
        drop(first);
        let third = write(&mut buffers, 3);
        assert_eq!((third.as_ptr(), &third[4..], &second[4..]), (place, &[3][..], &[2][..]));
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let mut buffers = Buffers::default();
        let held: Vec<_> = (0..10).map(|number| write(&mut buffers, number)).collect();
        assert!(held.iter().zip(0..).all(|(cdr, number)| cdr[4..] == [number]));
        assert_eq!(buffers.own.len(), MOST);
    }

    #[test]
    fn what_is_appended_has_the_length_by_which_the_next_one_is_judged() {
        let (mut buffers, mut bytes) = (Buffers::default(), vec![1]);
        let write = |writer: &mut dyn Writer| {
            7_u16.write(writer);
            true
        };
        assert_eq!((buffers.append(&mut bytes, write), &bytes[..]), (Some(6), &[1, 0, 1, 0, 0, 7, 0][..]));
        assert!(buffers.are_small());
        assert_eq!(buffers.append(&mut bytes, |_| panic!("as users' types may")), None);
        assert_eq!(buffers.append(&mut bytes, |_| false), None);
        assert!(buffers.are_small());
    }

    #[test]
    fn what_cannot_be_written_takes_no_buffer() {
        let mut buffers = Buffers::default();
        assert!(buffers.written(None, |_| false).is_none());
        assert!(buffers.written(None, |_| panic!("as users' types may")).is_none());
        assert_eq!(write(&mut buffers, 4)[4..], [4]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_message_is_completed_around_bytes_that_are_there() {
        use crate::memory::PeerMemory;
        use hemiola_model::data::SharedBytes;

        let of_the_process = PeerMemory::of_the_process().unwrap();
        let memory = of_the_process.words().unwrap().memory().clone();
        let mut bytes = SharedBytes::default();
        let overwrite = |bytes: &mut SharedBytes, value| {
            bytes.overwrite(10_000, |bytes| bytes.fill(value));
            (bytes.as_ptr(), (7_u16, bytes.clone(), 9_u64))
        };
        let write = |buffers: &mut Buffers, message: &(u16, SharedBytes, u64)| {
            let write = |writer: &mut dyn Writer| {
                message.write(writer);
                true
            };
            let cdr = buffers.written(Some(&memory), write).unwrap();
            assert_eq!(cdr[..], hemiola_model::cdr::encode(message));
            cdr
        };
        let is_around = |cdr: &Cdr, bytes: *const u8| cdr.as_ptr_range().contains(&bytes);
        let mut buffers = Buffers { last: LARGE, ..Buffers::default() };
        let (place, message) = overwrite(&mut bytes, 1);
        let first = write(&mut buffers, &message);
        assert!(is_around(&first, place) && first.place_in(&memory).is_some());
        let other = write(&mut Buffers { last: LARGE, ..Buffers::default() }, &message);
        assert!(is_around(&other, place), "another link completes it in the same way");
        let other = write(&mut buffers, &(8, bytes.clone(), 9));
        assert!(!is_around(&other, place), "another message with the same bytes");
        drop((message, other));
        let (next, message) = overwrite(&mut bytes, 2);
        assert!(next != place, "the first message is still under way");
        assert!(is_around(&write(&mut buffers, &message), next));
        drop((first, message));
        assert_eq!(overwrite(&mut bytes, 3).0, next, "it has come back");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_large_is_written_where_others_can_read_it_while_there_is_room() {
        let (mut buffers, memory) = (Buffers::default(), SharedMemory::create(56 << 10).unwrap());
        let mut write = |length: usize| {
            let message = vec![7_u8; length];
            let write = |writer: &mut dyn Writer| {
                message.write(writer);
                true
            };
            let cdr = buffers.written(Some(&memory), write).unwrap();
            assert_eq!(cdr[..], hemiola_model::cdr::encode(&message));
            cdr
        };
        let is_there = |cdr: &Cdr| cdr.place_in(&memory).is_some();
        assert!(!is_there(&write(10_000)), "nobody knows how large the first one is");
        let near = write(10_000);
        assert!(is_there(&near));
        assert!(!is_there(&write(20_000)), "it is larger than the last one");
        let large = write(20_000);
        assert!(is_there(&large));
        assert!(!is_there(&write(20_000)), "there is no room for a third one");
        drop((near, large));
        assert!(is_there(&write(20_000)));
        assert!(is_there(&write(10)), "it was not known how small it is");
        assert!(!is_there(&write(10)));
    }
}
