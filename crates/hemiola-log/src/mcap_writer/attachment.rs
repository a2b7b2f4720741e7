//! Writing of attachments: files inside the log, which may be larger than memory.

use std::io::{self, Write};

use super::{McapWriter, Output};
use crate::format::{AttachmentHeader, AttachmentIndex, HEAD, op, write};

/// Writes the data of an attachment.
pub struct AttachmentWriter<'w, O> {
    writer: &'w mut McapWriter<O>,
    header: AttachmentHeader,
    length: u64,
    left: u64,
    offset: u64,
    checksum: crc32fast::Hasher,
}

impl<O: Output> Write for AttachmentWriter<'_, O> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = (self.left.checked_sub(bytes.len() as u64))
            .ok_or_else(|| io::Error::other(format!("an attachment has more than its {} bytes", self.length)))?;
        self.checksum.update(bytes);
        self.writer.output.pending().extend_from_slice(bytes);
        self.writer.output.pass_on()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<O: Output> McapWriter<O> {
    /// Begins an attachment. Exactly `length` bytes must be written to the result, which must then
    /// be finished.
    pub fn attachment(&mut self, header: AttachmentHeader, length: u64) -> io::Result<AttachmentWriter<'_, O>> {
        self.end_chunk()?;
        let offset = self.output.position();
        let pending = self.output.pending();
        let begin = write::begin(op::ATTACHMENT, pending);
        write::attachment_header(&header, length, pending);
        let fields = begin + HEAD as usize;
        // The checksum comes after the data.
        let rest = length + 4 + self.layout.padding.len() as u64;
        write::set_length(begin, (pending.len() - fields) as u64 + rest, pending);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&pending[fields..]);
        Ok(AttachmentWriter { writer: self, header, length, left: length, offset, checksum })
    }
}

impl<O: Output> AttachmentWriter<'_, O> {
    pub fn finish(self) -> io::Result<()> {
        let Self { writer, header, length: data_size, left, offset, checksum } = self;
        if left > 0 {
            return Err(io::Error::other(format!("of an attachment's {data_size} bytes, {left} are missing")));
        }
        let output = &mut writer.output;
        write::u32(checksum.finalize(), output.pending());
        output.pending().extend_from_slice(writer.layout.padding);
        let AttachmentHeader { log_time, create_time, name, media_type } = header;
        let length = output.position() - offset;
        let index = AttachmentIndex { offset, length, log_time, create_time, data_size, name, media_type };
        writer.attachments.push(index);
        output.pass_on()
    }
}
