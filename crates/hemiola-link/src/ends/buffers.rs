//! The buffers that outgoing messages are written into.

use std::mem;
use std::sync::Arc;

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::Writer;
use hemiola_realtime::SharedMemory;

use super::{Cdr, contained};

/// The buffers of a topic or representation. A buffer is reused once no peer waits for its contents
/// any more.
#[derive(Debug, Default)]
pub struct Buffers {
    own: Vec<Arc<Vec<u8>>>,
    /// The length of the last message.
    last: usize,
}

/// The most buffers that are kept, and the largest size of each.
const MOST: usize = 4;
const LARGEST: usize = 8 << 20;
/// The length from which on messages are written where other processes can read them; shorter ones
/// are cheaper to copy through a socket.
const LARGE: usize = 4 << 10;

impl Buffers {
    /// Returns whether there was a message, and the last one was small.
    pub fn are_small(&self) -> bool {
        (1..LARGE).contains(&self.last)
    }

    /// Returns the bytes that `write` writes; `None` if it fails. `write` is code of users, and may
    /// be called twice. A message about as large as the last one is written into `memory`, if there
    /// is any and it has room.
    pub fn written(
        &mut self,
        memory: Option<&Arc<SharedMemory>>,
        write: impl Fn(&mut dyn Writer) -> bool,
    ) -> Option<Cdr> {
        if let Some(memory) = memory.filter(|_| self.last >= LARGE)
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
        assert!(write(10_000).block().is_none(), "nobody knows how large the first one is");
        let near = write(10_000);
        assert!(near.block().is_some_and(|block| block.is_part_of(&memory)));
        assert!(write(20_000).block().is_none(), "it is larger than the last one");
        let large = write(20_000);
        assert!(large.block().is_some());
        assert!(write(20_000).block().is_none(), "there is no room for a third one");
        drop((near, large));
        assert!(write(20_000).block().is_some());
        assert!(write(10).block().is_some(), "it was not known how small it is");
        assert!(write(10).block().is_none());
    }
}
