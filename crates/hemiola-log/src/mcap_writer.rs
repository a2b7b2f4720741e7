//! Writing of MCAP files, record by record: the chunks, the indexes, and the summary at the end.
//!
//! There are two reasons why this is not left to another crate. A message is encoded in the block
//! from which it goes to the disk, between the records before and after it, with the chunk's header
//! filled in afterwards; nothing is copied on the way. And of the records that the format leaves to
//! the writer, [`Layout`] can have any, so that the MCAP project's conformance suite can request
//! them.

mod attachment;
mod channels;
mod chunk;
mod layout;
mod summary;

use std::collections::BTreeMap;
use std::io;

use self::channels::Channels;
use self::chunk::{Compressor, OpenChunk};
pub use self::layout::{Layout, Part};
use crate::format::{
    AttachmentIndex, ChannelRecord, ChunkIndex, MAGIC, MessageHeader, MessageIndexEntry, MetadataIndex, MetadataRecord,
    Record, SchemaHeader, Statistics, write,
};

/// The destination of a file's bytes: they are appended to memory, and passed on when there are
/// enough of them.
pub trait Output {
    /// Returns the bytes that have not been passed on. They may be changed, and more may be
    /// appended.
    fn pending(&mut self) -> &mut Vec<u8>;

    /// Returns the position in the file of the next byte.
    fn position(&self) -> u64;

    /// Passes on pending bytes, which will not be changed any more.
    fn pass_on(&mut self) -> io::Result<()>;

    /// Returns the checksum of all bytes so far; 0 where it is not computed.
    fn checksum(&self) -> u32;
}

/// A file that is kept in memory.
impl Output for Vec<u8> {
    fn pending(&mut self) -> &mut Vec<u8> {
        self
    }

    fn position(&self) -> u64 {
        self.len() as u64
    }

    fn pass_on(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn checksum(&self) -> u32 {
        crc32fast::hash(self)
    }
}

/// A file that is being written. Dropping it before its end leaves a file without an end.
pub struct McapWriter<O> {
    output: O,
    layout: Layout,
    schemas: BTreeMap<u16, (SchemaHeader, Vec<u8>)>,
    channels: Channels,
    chunk: Option<OpenChunk>,
    /// The compressor; without one, records are written where they stay.
    compressor: Option<Compressor>,
    statistics: Statistics,
    chunks: Vec<ChunkIndex>,
    attachments: Vec<AttachmentIndex>,
    metadata: Vec<MetadataIndex>,
}

impl<O: Output> McapWriter<O> {
    pub fn new(mut output: O, layout: Layout, profile: &str, library: &str) -> io::Result<Self> {
        let header = Record::Header { profile: profile.to_owned(), library: library.to_owned() };
        output.pending().extend_from_slice(&MAGIC);
        write::write(&header, layout.padding, output.pending());
        output.pass_on()?;
        Ok(Self {
            compressor: Compressor::new(layout.compression)?,
            output,
            layout,
            schemas: BTreeMap::new(),
            channels: Channels::default(),
            chunk: None,
            statistics: Statistics::default(),
            chunks: Vec::new(),
            attachments: Vec::new(),
            metadata: Vec::new(),
        })
    }

    pub fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Returns the position of the next byte, not counting what has not been compressed yet.
    pub fn position(&self) -> u64 {
        self.output.position()
    }

    /// Returns a schema's number: that of an equal one, or else the lowest that is free.
    pub fn schema(&mut self, name: &str, encoding: &str, data: &[u8]) -> io::Result<u16> {
        let same = |(header, known): &(SchemaHeader, Vec<u8>)| {
            (&*header.name, &*header.encoding, &**known) == (name, encoding, data)
        };
        if let Some((&id, _)) = self.schemas.iter().find(|(_, schema)| same(schema)) {
            return Ok(id);
        }
        let id = lowest_free(|id| self.schemas.contains_key(&id))?;
        self.schema_with_id(id, name, encoding, data).map(|_| id)
    }

    /// Adds a schema under this number. Returns whether the number stands for this schema, now or
    /// already. 0 stands for none.
    pub fn schema_with_id(&mut self, id: u16, name: &str, encoding: &str, data: &[u8]) -> io::Result<bool> {
        if id == 0 {
            return Ok(false);
        }
        let header = SchemaHeader { id, name: name.to_owned(), encoding: encoding.to_owned() };
        if let Some((known, known_data)) = self.schemas.get(&id) {
            return Ok((known, &**known_data) == (&header, data));
        }
        self.describe(&Record::Schema { header: header.clone(), data: data.into() })?;
        self.schemas.insert(id, (header, data.to_owned()));
        Ok(true)
    }

    /// Returns a channel's number: that of an equal one, or else the lowest that is free.
    pub fn channel(
        &mut self,
        schema_id: u16,
        topic: &str,
        message_encoding: &str,
        metadata: &BTreeMap<String, String>,
    ) -> io::Result<u16> {
        let of_other = |record: &ChannelRecord| {
            (record.schema_id, &*record.topic, &*record.message_encoding, &record.metadata)
                == (schema_id, topic, message_encoding, metadata)
        };
        if let Some(known) = self.channels.iter().find(|channel| of_other(&channel.record)) {
            return Ok(known.record.id);
        }
        let id = lowest_free(|id| self.channels.get(id).is_some())?;
        let (topic, message_encoding) = (topic.to_owned(), message_encoding.to_owned());
        self.channel_with_id(ChannelRecord { id, schema_id, topic, message_encoding, metadata: metadata.clone() })?;
        Ok(id)
    }

    /// Adds a channel under its number. Returns whether the number stands for this channel, now or
    /// already.
    pub fn channel_with_id(&mut self, record: ChannelRecord) -> io::Result<bool> {
        if let Some(known) = self.channels.get(record.id) {
            return Ok(known.record == record);
        }
        self.describe(&Record::Channel(record.clone()))?;
        self.channels.add(record);
        Ok(true)
    }

    /// Writes a schema or channel to the place where messages are written.
    fn describe(&mut self, record: &Record<'_>) -> io::Result<()> {
        if self.layout.has(Part::Chunks) {
            self.open_chunk();
            write::write(record, &[], self.records());
            Ok(())
        } else {
            write::write(record, self.layout.padding, self.output.pending());
            self.output.pass_on()
        }
    }

    /// Writes a message, whose data `encode` appends to what is there; if that returns `false`,
    /// nothing is written.
    ///
    /// # Errors
    /// Fails if the output fails, or if the channel was not added.
    #[inline]
    pub fn message(&mut self, header: &MessageHeader, encode: impl FnOnce(&mut Vec<u8>) -> bool) -> io::Result<()> {
        let Some(channel) = self.channels.get_mut(header.channel_id) else {
            return Err(io::Error::other(format!("it has no channel with number {}", header.channel_id)));
        };
        if self.chunk.is_none() && self.layout.has(Part::Chunks) {
            self.chunk = Some(OpenChunk::begin(&mut self.output, self.compressor.as_mut()));
        }
        let records = match &mut self.compressor {
            Some(compressor) if self.chunk.is_some() => &mut compressor.records,
            _ => self.output.pending(),
        };
        let begin = write::begin_message(header, records);
        if !encode(records) {
            records.truncate(begin);
            return Ok(());
        }
        write::end(begin, records);
        channel.messages += 1;
        let Some(chunk) = &mut self.chunk else {
            count(&mut self.statistics, 1, header.log_time, header.log_time);
            return self.output.pass_on();
        };
        let offset = chunk.count(header.log_time, begin);
        channel.index.push(MessageIndexEntry { log_time: header.log_time, offset });
        if chunk.is_full(records) { self.end_chunk() } else { Ok(()) }
    }

    /// Writes metadata.
    pub fn metadata(&mut self, record: MetadataRecord) -> io::Result<()> {
        self.end_chunk()?;
        let (offset, name) = (self.output.position(), record.name.clone());
        write::write(&Record::Metadata(record), self.layout.padding, self.output.pending());
        let length = self.output.position() - offset;
        self.metadata.push(MetadataIndex { offset, length, name });
        self.output.pass_on()
    }

    /// Writes a record of some program's own kind.
    pub fn private(&mut self, opcode: u8, data: &[u8]) -> io::Result<()> {
        self.end_chunk()?;
        write::write(&Record::Unknown { opcode, data: data.into() }, &[], self.output.pending());
        self.output.pass_on()
    }

    /// Ends the chunk and passes it on.
    pub fn end_chunk(&mut self) -> io::Result<()> {
        let Some(chunk) = self.chunk.take() else { return Ok(()) };
        let mut index = chunk.end(&mut self.output, self.compressor.as_mut())?;
        let indexes_begin = self.output.position();
        for channel in self.channels.iter_mut() {
            let (channel_id, messages) = (channel.record.id, channel.index.len() as u64);
            if messages == 0 {
                continue;
            }
            count(&mut self.statistics, messages, index.message_start_time, index.message_end_time);
            if self.layout.has(Part::MessageIndexes) {
                index.message_index_offsets.insert(channel_id, self.output.position());
                let record = Record::MessageIndex { channel_id, entries: std::mem::take(&mut channel.index) };
                write::write(&record, self.layout.padding, self.output.pending());
                let Record::MessageIndex { entries, .. } = record else { continue };
                // The memory is reused for the next chunk.
                channel.index = entries;
            }
            channel.index.clear();
        }
        index.message_index_length = self.output.position() - indexes_begin;
        self.chunks.push(index);
        self.output.pass_on()
    }

    /// Writes the end of the file. The output must still pass on the last bytes.
    pub fn finish(mut self) -> io::Result<O> {
        self.end_chunk()?;
        let end = Record::DataEnd { data_section_crc: self.output.checksum() };
        write::write(&end, &[], self.output.pending());
        let summary = self.summary();
        let pending = self.output.pending();
        pending.extend_from_slice(&summary);
        pending.extend_from_slice(&MAGIC);
        Ok(self.output)
    }

    fn open_chunk(&mut self) {
        if self.chunk.is_none() {
            self.chunk = Some(OpenChunk::begin(&mut self.output, self.compressor.as_mut()));
        }
    }

    /// Returns the memory to which records of the chunk are written.
    fn records(&mut self) -> &mut Vec<u8> {
        match &mut self.compressor {
            Some(compressor) if self.chunk.is_some() => &mut compressor.records,
            _ => self.output.pending(),
        }
    }
}

/// Counts messages that were logged between these times.
fn count(statistics: &mut Statistics, messages: u64, first: u64, last: u64) {
    if messages == 0 {
        return;
    }
    let known = if statistics.message_count == 0 { first } else { statistics.message_start_time };
    statistics.message_start_time = known.min(first);
    statistics.message_end_time = statistics.message_end_time.max(last);
    statistics.message_count += messages;
}

fn lowest_free(is_taken: impl Fn(u16) -> bool) -> io::Result<u16> {
    let free = (1..=u16::MAX).find(|&id| !is_taken(id));
    free.ok_or_else(|| io::Error::other("a log has at most 65,535 channels and as many schemas"))
}

#[cfg(test)]
mod tests;
