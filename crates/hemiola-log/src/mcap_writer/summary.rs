//! The end of a file, which describes its content and positions.

use super::{McapWriter, Output, Part};
use crate::format::{Footer, Record, op, write};

impl<O: Output> McapWriter<O> {
    /// Returns the summary, its offsets and the footer.
    pub(super) fn summary(&mut self) -> Vec<u8> {
        let (start, padding) = (self.output.position(), self.layout.padding);
        let mut groups = Groups { start, padding, bytes: Vec::new(), offsets: Vec::new() };
        if self.layout.has(Part::Schemas) {
            let schemas = self.schemas.values();
            let record =
                |(header, data): &_| Record::Schema { header: Clone::clone(header), data: Vec::clone(data).into() };
            groups.add(op::SCHEMA, schemas.map(record));
        }
        if self.layout.has(Part::Channels) {
            let channels = self.channels.iter();
            groups.add(op::CHANNEL, channels.map(|channel| Record::Channel(channel.record.clone())));
        }
        if self.layout.has(Part::Statistics) {
            groups.add(op::STATISTICS, [Record::Statistics(self.statistics())]);
        }
        if self.layout.has(Part::ChunkIndexes) {
            groups.add(op::CHUNK_INDEX, self.chunks.drain(..).map(Record::ChunkIndex));
        }
        if self.layout.has(Part::AttachmentIndexes) {
            groups.add(op::ATTACHMENT_INDEX, self.attachments.drain(..).map(Record::AttachmentIndex));
        }
        if self.layout.has(Part::MetadataIndexes) {
            groups.add(op::METADATA_INDEX, self.metadata.drain(..).map(Record::MetadataIndex));
        }
        groups.finish(self.layout.has(Part::SummaryOffsets))
    }

    fn statistics(&self) -> crate::format::Statistics {
        // Numbers are of 16 bits, so their counts fit; no program writes four billion attachments.
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let messages = self.channels.iter().filter(|channel| channel.messages > 0);
        crate::format::Statistics {
            schema_count: u16::try_from(self.schemas.len()).unwrap_or(u16::MAX),
            channel_count: count(self.channels.len()),
            attachment_count: count(self.attachments.len()),
            metadata_count: count(self.metadata.len()),
            chunk_count: count(self.chunks.len()),
            channel_message_counts: messages.map(|channel| (channel.record.id, channel.messages)).collect(),
            ..self.statistics.clone()
        }
    }
}

/// A summary in which records of one kind stand together, so that readers find them by their kind.
struct Groups {
    /// The position in the file at which they begin.
    start: u64,
    padding: &'static [u8],
    bytes: Vec<u8>,
    offsets: Vec<Record<'static>>,
}

impl Groups {
    fn add<'r>(&mut self, group_opcode: u8, records: impl IntoIterator<Item = Record<'r>>) {
        let begin = self.bytes.len();
        records.into_iter().for_each(|record| write::write(&record, self.padding, &mut self.bytes));
        let (group_start, group_length) = (self.start + begin as u64, (self.bytes.len() - begin) as u64);
        if group_length > 0 {
            self.offsets.push(Record::SummaryOffset { group_opcode, group_start, group_length });
        }
    }

    fn finish(mut self, with_offsets: bool) -> Vec<u8> {
        let groups = self.bytes.len() as u64;
        if with_offsets {
            self.offsets.iter().for_each(|offset| write::write(offset, self.padding, &mut self.bytes));
        }
        let summary_start = if groups > 0 { self.start } else { 0 };
        let summary_offset_start = if with_offsets { self.start + groups } else { 0 };
        let footer = Footer { summary_start, summary_offset_start, summary_crc: 0 };
        write::write(&Record::Footer(footer), &[], &mut self.bytes);
        // The checksum covers everything before itself.
        let end = self.bytes.len() - 4;
        let checksum = crc32fast::hash(&self.bytes[..end]);
        self.bytes[end..].copy_from_slice(&checksum.to_le_bytes());
        self.bytes
    }
}
