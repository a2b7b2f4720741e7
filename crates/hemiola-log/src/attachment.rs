//! Attachments: files inside a log. They may be large: their data is only read on demand.

use std::io::{self, BufRead, Read, Seek};

use crate::format::AttachmentHeader;

use crate::error::Cause;
use crate::source::Source;

/// The length that no name or media type exceeds.
const LONGEST_TEXT: u32 = 64 * 1024;

/// Reads an attachment's record that ends at `end`, which is then the source's position. Returns
/// its header, and the position and length of its data.
pub fn read<R: Read + Seek>(
    source: &mut Source<R>,
    end: u64,
) -> io::Result<Result<(AttachmentHeader, u64, u64), Cause>> {
    let mut input = Checked { source, end, checksum: crc32fast::Hasher::new() };
    let header = (|| {
        let (log_time, create_time) = (input.number()?, input.number()?);
        let (name, media_type) = (input.text()?, input.text()?);
        let length = input.number()?;
        Ok::<_, io::Error>((AttachmentHeader { log_time, create_time, name, media_type }, length))
    })();
    let malformed = |reason: String| Ok(Err(Cause::Malformed { record: "attachment", reason }));
    let (header, length) = match header {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return malformed(error.to_string()),
        other => other?,
    };
    let offset = input.source.position();
    if length.checked_add(4).is_none_or(|rest| rest > end - offset) {
        return malformed(format!("{length} bytes of data in a record that has {} left", end - offset));
    }
    input.pass(offset + length)?;
    let computed = input.checksum.finalize();
    let mut stored = [0; 4];
    source.read_exact(&mut stored)?;
    let stored = u32::from_le_bytes(stored);
    source.read_to(end)?;
    if stored != 0 && stored != computed {
        return Ok(Err(Cause::Checksum { of: "attachment", stored, computed }));
    }
    Ok(Ok((header, offset, length)))
}

/// The body of the record, up to its checksum.
struct Checked<'s, R> {
    source: &'s mut Source<R>,
    end: u64,
    checksum: crc32fast::Hasher,
}

impl<R: Read + Seek> Checked<'_, R> {
    fn exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        if into.len() as u64 > self.end - self.source.position() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its header does not match it"));
        }
        self.source.read_exact(into)?;
        self.checksum.update(into);
        Ok(())
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn text(&mut self) -> io::Result<String> {
        let mut length = [0; 4];
        self.exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST_TEXT {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a name of {length} bytes")));
        }
        let mut text = vec![0; length as usize];
        self.exact(&mut text)?;
        String::from_utf8(text).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "its name is not UTF-8"))
    }

    fn pass(&mut self, position: u64) -> io::Result<()> {
        while self.source.position() < position {
            let wanted = usize::try_from(position - self.source.position()).unwrap_or(usize::MAX);
            let there = self.source.fill_buf()?;
            if there.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let count = there.len().min(wanted);
            self.checksum.update(&there[..count]);
            self.source.consume(count);
        }
        Ok(())
    }
}
