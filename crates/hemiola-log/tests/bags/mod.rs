//! Bags of ROS 1, made for a test.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::Write;

/// A bag that is being written: record after record, then its index.
#[derive(Default)]
pub struct BagWriter {
    chunks: Vec<u8>,
    chunk: Vec<u8>,
    connections: Vec<Vec<u8>>,
}

/// The compression of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    None,
    Bz2,
    Lz4,
}

pub const PACKINGS: [Packing; 3] = [Packing::None, Packing::Bz2, Packing::Lz4];

impl BagWriter {
    /// Adds a publisher of a topic.
    pub fn connection(&mut self, topic: &str, type_name: &str, definition: &str) -> u32 {
        let number = self.connections.len() as u32;
        let data = fields(&[
            ("topic", topic.as_bytes()),
            ("type", type_name.as_bytes()),
            ("md5sum", b"*"),
            ("message_definition", definition.as_bytes()),
        ]);
        let header = fields(&[("op", &[7]), ("conn", &number.to_le_bytes()), ("topic", topic.as_bytes())]);
        let record = record(&header, &data);
        self.chunk.extend(&record);
        self.connections.push(record);
        number
    }

    pub fn message(&mut self, connection: u32, nanoseconds: u64, data: &[u8]) {
        let [seconds, nanoseconds] = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000].map(|part| part as u32);
        let time = [seconds.to_le_bytes(), nanoseconds.to_le_bytes()].concat();
        let header = fields(&[("op", &[2]), ("conn", &connection.to_le_bytes()), ("time", &time)]);
        self.chunk.extend(record(&header, data));
    }

    pub fn end_chunk(&mut self, packing: Packing) {
        let records = std::mem::take(&mut self.chunk);
        let (name, packed) = match packing {
            Packing::None => ("none", records.clone()),
            Packing::Bz2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                encoder.write_all(&records).expect("memory can be written");
                ("bz2", encoder.finish().expect("as before"))
            }
            Packing::Lz4 => {
                let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
                encoder.write_all(&records).expect("memory can be written");
                ("lz4", encoder.finish().expect("as before"))
            }
        };
        let size = (records.len() as u32).to_le_bytes();
        let header = fields(&[("compression", name.as_bytes()), ("op", &[5]), ("size", &size)]);
        self.chunks.extend(record(&header, &packed));
        // This is the index of the chunk, which is not needed to read it from front to back.
        let header = fields(&[("conn", &[0; 4]), ("count", &[0; 4]), ("op", &[4]), ("ver", &[1, 0, 0, 0])]);
        self.chunks.extend(record(&header, &[]));
    }

    /// Finishes the bag, with an index or as a recorder leaves it that was killed.
    pub fn finish(self, has_index: bool) -> Vec<u8> {
        let mut bag = b"#ROSBAG V2.0\n".to_vec();
        let position = 13 + bag_header(0).len() + self.chunks.len();
        bag.extend(bag_header(if has_index { position as u64 } else { 0 }));
        bag.extend(self.chunks);
        if has_index {
            self.connections.iter().for_each(|connection| bag.extend(connection));
        }
        bag
    }
}

fn bag_header(index: u64) -> Vec<u8> {
    let fields =
        fields(&[("op", &[3]), ("index_pos", &index.to_le_bytes()), ("conn_count", &[0; 4]), ("chunk_count", &[0; 4])]);
    let padding = vec![b' '; 4096 - 8 - fields.len()];
    record(&fields, &padding)
}

pub fn fields(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let field = |(name, value): &(&str, &[u8])| {
        let text = [name.as_bytes(), b"=", value].concat();
        [&(text.len() as u32).to_le_bytes(), &text[..]].concat()
    };
    fields.iter().flat_map(field).collect()
}

pub fn record(header: &[u8], data: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    [&length(header), header, &length(data), data].concat()
}
