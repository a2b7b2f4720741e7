//! The buffers into which messages are written that are sent.

use std::mem;
use std::sync::Arc;

use hemiola_model::cdr::CdrWriter;

use super::{Cdr, contained};

/// The buffers of a topic or representation, which are used again when no peer waits for what is in
/// them.
#[derive(Debug, Default)]
pub struct Buffers(Vec<Cdr>);

/// The most buffers that are kept, and the largest of them.
const MOST: usize = 4;
const LARGEST: usize = 8 << 20;

impl Buffers {
    /// Returns what `write` writes, which is code of users; `None` if it cannot.
    pub fn written(&mut self, write: impl FnOnce(&mut CdrWriter) -> bool) -> Option<Cdr> {
        let free = self.0.iter_mut().position(|buffer| Arc::get_mut(buffer).is_some());
        let mut buffer = free.map(|index| self.0.swap_remove(index)).unwrap_or_default();
        let bytes = Arc::get_mut(&mut buffer)?;
        let mut empty = mem::take(bytes);
        empty.clear();
        let written = contained(move || {
            let mut writer = CdrWriter::behind(empty);
            write(&mut writer).then(|| writer.finish())
        });
        *bytes = written.ok().flatten()?;
        if self.0.len() < MOST && bytes.capacity() <= LARGEST {
            self.0.push(buffer.clone());
        }
        Some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use hemiola_model::Data as _;

    use super::*;

    fn write(buffers: &mut Buffers, number: u8) -> Cdr {
        buffers
            .written(|writer| {
                number.write(writer);
                true
            })
            .unwrap()
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
        assert_eq!(buffers.0.len(), MOST);
    }

    #[test]
    fn what_cannot_be_written_takes_no_buffer() {
        let mut buffers = Buffers::default();
        assert!(buffers.written(|_| false).is_none());
        assert!(buffers.written(|_| panic!("as users' types may")).is_none());
        assert_eq!(write(&mut buffers, 4)[4..], [4]);
    }
}
