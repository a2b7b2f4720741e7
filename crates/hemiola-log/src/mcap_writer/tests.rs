use std::io::Write;

use hemiola_model::configuration::LogCompression;
use proptest::prelude::*;

use super::*;
use crate::format::{AttachmentHeader, HEAD, parse::parse};

fn text() -> impl Strategy<Value = String> {
    "[a-z/_]{0,12}"
}

fn texts() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop::collection::btree_map(text(), text(), 0..3)
}

fn record() -> impl Strategy<Value = Record<'static>> {
    let numbers = prop::collection::btree_map(any::<u16>(), any::<u64>(), 0..4);
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        (text(), text()).prop_map(|(profile, library)| Record::Header { profile, library }),
        (any::<u16>(), text(), text(), bytes.clone()).prop_map(|(id, name, encoding, data)| Record::Schema {
            header: SchemaHeader { id, name, encoding },
            data: data.into(),
        }),
        (any::<u16>(), any::<u16>(), text(), text(), texts()).prop_map(
            |(id, schema_id, topic, message_encoding, metadata)| {
                Record::Channel(ChannelRecord { id, schema_id, topic, message_encoding, metadata })
            }
        ),
        (any::<u16>(), prop::collection::vec(any::<(u64, u64)>(), 0..4)).prop_map(|(channel_id, entries)| {
            let entry = |(log_time, offset)| MessageIndexEntry { log_time, offset };
            Record::MessageIndex { channel_id, entries: entries.into_iter().map(entry).collect() }
        }),
        (any::<[u64; 7]>(), numbers.clone(), text()).prop_map(|(n, message_index_offsets, compression)| {
            Record::ChunkIndex(ChunkIndex {
                message_start_time: n[0],
                message_end_time: n[1],
                chunk_start_offset: n[2],
                chunk_length: n[3],
                message_index_offsets,
                message_index_length: n[4],
                compression,
                compressed_size: n[5],
                uncompressed_size: n[6],
            })
        }),
        (any::<[u64; 5]>(), text(), text()).prop_map(|(n, name, media_type)| {
            let [offset, length, log_time, create_time, data_size] = n;
            Record::AttachmentIndex(AttachmentIndex {
                offset,
                length,
                log_time,
                create_time,
                data_size,
                name,
                media_type,
            })
        }),
        (any::<[u64; 3]>(), any::<u16>(), any::<[u32; 4]>(), numbers).prop_map(|(n, schema_count, m, counts)| {
            Record::Statistics(Statistics {
                message_count: n[0],
                schema_count,
                channel_count: m[0],
                attachment_count: m[1],
                metadata_count: m[2],
                chunk_count: m[3],
                message_start_time: n[1],
                message_end_time: n[2],
                channel_message_counts: counts,
            })
        }),
        (text(), texts()).prop_map(|(name, metadata)| Record::Metadata(MetadataRecord { name, metadata })),
        (any::<[u64; 2]>(), text()).prop_map(|([offset, length], name)| Record::MetadataIndex(MetadataIndex {
            offset,
            length,
            name
        })),
        any::<(u8, u64, u64)>().prop_map(|(group_opcode, group_start, group_length)| Record::SummaryOffset {
            group_opcode,
            group_start,
            group_length,
        }),
        any::<u32>().prop_map(|data_section_crc| Record::DataEnd { data_section_crc }),
        (0x80..=u8::MAX, bytes).prop_map(|(opcode, data)| Record::Unknown { opcode, data: data.into() }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(record in record()) {
        let mut bytes = Vec::new();
        write::write(&record, &[], &mut bytes);
        let (head, body) = bytes.split_at(HEAD as usize);
        prop_assert_eq!(&head[1..], (body.len() as u64).to_le_bytes());
        prop_assert_eq!(parse(head[0], body).unwrap(), record);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The MCAP project's own crate reads everything, by the index and from front to back, and all
    /// of its checksums are right.
    #[test]
    fn others_read_what_was_written(
        messages in prop::collection::vec((0..3_u8, any::<u32>(), 0..1_000_u64, prop_oneof![4 => 0..2_000_usize, 1 => 0..600_000_usize]), 0..12),
        compression in prop_oneof![Just(LogCompression::None), Just(LogCompression::Lz4), Just(LogCompression::Zstd)],
    ) {
        let mut writer = McapWriter::new(Vec::new(), Layout::full(compression), "ros2", "test").unwrap();
        let schema = writer.schema("test/msg/Bytes", "ros2msg", b"uint8[] data\n").unwrap();
        let topics: Vec<String> = (0..3).map(|topic| format!("/{topic}")).collect();
        let ids: Vec<u16> =
            topics.iter().map(|topic| writer.channel(schema, topic, "cdr", &BTreeMap::new()).unwrap()).collect();
        let data = |sequence: u32, length: usize| -> Vec<u8> { (0..length).map(|n| (n as u32 ^ sequence) as u8).collect() };
        for &(channel, sequence, time, length) in &messages {
            let header = MessageHeader { channel_id: ids[channel as usize], sequence, log_time: time, publish_time: time + 1 };
            writer.message(&header, |log| { log.extend(data(sequence, length)); true }).unwrap();
            // This message is discarded.
            writer.message(&header, |log| { log.extend([1; 100]); false }).unwrap();
        }
        let mut attachment = writer.attachment(AttachmentHeader { log_time: 1, create_time: 2, name: "a".into(), media_type: "b".into() }, 3).unwrap();
        attachment.write_all(b"123").unwrap();
        attachment.finish().unwrap();
        writer.metadata(MetadataRecord { name: "m".into(), metadata: BTreeMap::from([("k".into(), "v".into())]) }).unwrap();
        let file = writer.finish().unwrap();

        let read: Vec<_> = mcap::MessageStream::new(&file).unwrap().map(|message| message.unwrap()).collect();
        prop_assert_eq!(read.len(), messages.len());
        for (read, &(channel, sequence, time, length)) in read.iter().zip(&messages) {
            prop_assert_eq!(&*read.channel.topic, &*topics[channel as usize]);
            prop_assert_eq!((read.sequence, read.log_time, read.publish_time), (sequence, time, time + 1));
            prop_assert!(*read.data == data(sequence, length));
        }
        let summary = mcap::Summary::read(&file).unwrap().unwrap();
        let statistics = summary.stats.clone().unwrap();
        prop_assert_eq!(statistics.message_count, messages.len() as u64);
        prop_assert_eq!((statistics.channel_count, statistics.attachment_count, statistics.metadata_count), (3, 1, 1));
        prop_assert_eq!(statistics.chunk_count as usize, summary.chunk_indexes.len());
        let mut indexed = 0;
        // The crate refuses to look for indexes of a chunk that only has schemas.
        for chunk in summary.chunk_indexes.iter().filter(|chunk| !chunk.message_index_offsets.is_empty()) {
            for (channel, entries) in summary.read_message_indexes(&file, chunk).unwrap() {
                for entry in entries {
                    let message = summary.seek_message(&file, chunk, &entry).unwrap();
                    prop_assert_eq!(&message.channel.topic, &channel.topic);
                    prop_assert_eq!(message.log_time, entry.log_time);
                    indexed += 1;
                }
            }
        }
        prop_assert_eq!(indexed, messages.len());
        let attachment = mcap::read::attachment(&file, &summary.attachment_indexes[0]).unwrap();
        prop_assert_eq!(&*attachment.data, b"123");
        let metadata = mcap::read::metadata(&file, &summary.metadata_indexes[0]).unwrap();
        prop_assert_eq!(&metadata.name, "m");
    }
}

#[test]
fn a_message_of_no_channel_is_refused() {
    let mut writer = McapWriter::new(Vec::new(), Layout::full(LogCompression::None), "", "").unwrap();
    let header = MessageHeader { channel_id: 7, sequence: 0, log_time: 0, publish_time: 0 };
    assert_eq!(writer.message(&header, |_| true).unwrap_err().to_string(), "it has no channel with number 7");
}

#[test]
fn an_attachment_has_exactly_as_many_bytes_as_were_announced() {
    let mut writer = McapWriter::new(Vec::new(), Layout::full(LogCompression::None), "", "").unwrap();
    let header = AttachmentHeader { log_time: 0, create_time: 0, name: String::new(), media_type: String::new() };
    let mut attachment = writer.attachment(header, 2).unwrap();
    assert!(attachment.write(b"123").is_err());
    assert_eq!(attachment.finish().unwrap_err().to_string(), "of an attachment's 2 bytes, 2 are missing");
}

#[test]
fn the_same_channel_twice_is_one() {
    let mut writer = McapWriter::new(Vec::new(), Layout::full(LogCompression::None), "", "").unwrap();
    let schema = writer.schema("a", "ros2msg", b"").unwrap();
    assert_eq!(writer.schema("a", "ros2msg", b"").unwrap(), schema);
    let first = writer.channel(schema, "/a", "cdr", &BTreeMap::new()).unwrap();
    assert_eq!(writer.channel(schema, "/a", "cdr", &BTreeMap::new()).unwrap(), first);
    assert_ne!(writer.channel(schema, "/b", "cdr", &BTreeMap::new()).unwrap(), first);
}
