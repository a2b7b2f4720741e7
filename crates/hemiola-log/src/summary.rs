use std::collections::BTreeMap;
use std::io::{self, Read, Seek};
use std::sync::Arc;

use crate::format::{AttachmentIndex, ChunkIndex, HEAD, MAGIC, MetadataIndex, Record, Statistics, op};

use crate::channel::{Channel, Schema};
use crate::error::{Cause, LogError};
use crate::format::parse::parse;
use crate::framing::{Framing, Position};
use crate::records::Content;
use crate::source::Source;

/// The summary at the end of a file.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// if let Some(statistics) = log.summary().and_then(|summary| summary.statistics.as_ref()) {
///     println!("{} messages", statistics.message_count);
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Summary {
    /// The counts of everything.
    pub statistics: Option<Statistics>,
    /// All channels, if they are repeated.
    pub channels: BTreeMap<u16, Arc<Channel>>,
    /// All schemas, if they are repeated.
    pub schemas: BTreeMap<u16, Arc<Schema>>,
    /// The positions of chunks, with their times and channels.
    pub chunks: Vec<ChunkIndex>,
    /// The positions of attachments.
    pub attachments: Vec<AttachmentIndex>,
    /// The positions of metadata.
    pub metadata: Vec<MetadataIndex>,
}

/// The length of a footer, which is fixed.
const FOOTER: u64 = 8 + 8 + 4;
/// The length of the footer's record and of the bytes at the end.
const TAIL: u64 = HEAD + FOOTER + MAGIC.len() as u64;

/// Reads the summary, if the file has an end and a summary.
pub fn read<R: Read + Seek>(framing: &mut Framing<R>) -> Result<Option<Summary>, LogError> {
    let footer_at = framing.source.length.saturating_sub(TAIL);
    let failed = |framing: &Framing<R>, error| LogError::Read {
        path: framing.source.path.clone(),
        offset: framing.source.position(),
        error,
    };
    let start = match summary_start(&mut framing.source, footer_at) {
        Ok(Some(Ok(start))) => start,
        Ok(Some(Err(cause))) => return Err(framing.damage(Position { offset: footer_at, inside: None }, cause, 0)),
        Ok(None) => return Ok(None),
        Err(error) => return Err(failed(framing, error)),
    };
    let mut summary = Summary::default();
    framing.jump(start)?;
    while let Some(located) = framing.next_record() {
        let Content::Record(record) = located?.content else { continue };
        match record {
            Record::Statistics(statistics) => summary.statistics = Some(statistics),
            Record::Schema { header, data } => {
                let (name, encoding) = (header.name, header.encoding);
                let schema = Schema { id: header.id, name, encoding, data: data.into_owned() };
                summary.schemas.insert(schema.id, Arc::new(schema));
            }
            Record::Channel(channel) => {
                let schema = summary.schemas.get(&channel.schema_id).cloned();
                summary.channels.insert(channel.id, Arc::new(Channel::new(channel, schema)));
            }
            Record::ChunkIndex(index) => summary.chunks.push(index),
            Record::AttachmentIndex(index) => summary.attachments.push(index),
            Record::MetadataIndex(index) => summary.metadata.push(index),
            Record::Footer(_) => return Ok(Some(summary)),
            _ => {}
        }
    }
    Ok(Some(summary))
}

/// Returns where the summary begins, if the checksum over it is right.
fn summary_start<R: Read + Seek>(source: &mut Source<R>, footer_at: u64) -> io::Result<Option<Result<u64, Cause>>> {
    let mut tail = Vec::new();
    source.seek(footer_at)?;
    source.by_ref().take(TAIL).read_to_end(&mut tail)?;
    let Some((record, magic)) = tail.split_at_checked((HEAD + FOOTER) as usize) else { return Ok(None) };
    if magic != MAGIC || record[0] != op::FOOTER || record[1..HEAD as usize] != FOOTER.to_le_bytes() {
        return Ok(None);
    }
    let Ok(Record::Footer(footer)) = parse(op::FOOTER, &record[HEAD as usize..]) else { return Ok(None) };
    let start = footer.summary_start;
    if start == 0 {
        return Ok(None);
    }
    if !(MAGIC.len() as u64..=footer_at).contains(&start) {
        let reason = format!("the summary is said to begin at byte {start}");
        return Ok(Some(Err(Cause::Malformed { record: "footer", reason })));
    }
    if footer.summary_crc != 0 {
        let mut checksum = crc32fast::Hasher::new();
        let mut left = footer_at - start;
        let mut buffer = vec![0; 64 * 1024];
        source.seek(start)?;
        while left > 0 {
            let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            source.read_exact(&mut buffer[..count])?;
            checksum.update(&buffer[..count]);
            left -= count as u64;
        }
        // The checksum includes the footer up to the checksum itself.
        checksum.update(&record[..record.len() - 4]);
        let computed = checksum.finalize();
        if computed != footer.summary_crc {
            return Ok(Some(Err(Cause::Checksum { of: "summary", stored: footer.summary_crc, computed })));
        }
    }
    Ok(Some(Ok(start)))
}
