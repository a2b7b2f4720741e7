//! The records of a file.

use hemiola_model::configuration::LogCompression;

/// A part that a file may have besides its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Chunks,
    MessageIndexes,
    /// The schemas in the summary. All parts that follow are in the summary, too.
    Schemas,
    Channels,
    Statistics,
    ChunkIndexes,
    AttachmentIndexes,
    MetadataIndexes,
    SummaryOffsets,
}

/// The parts of a file, and the way in which they are written.
pub struct Layout {
    pub parts: Vec<Part>,
    pub compression: LogCompression,
    /// The bytes behind the fields of records to which later versions may add fields.
    pub padding: &'static [u8],
}

impl Layout {
    /// Returns a layout with all parts, so that a file is quick to read.
    pub fn full(compression: LogCompression) -> Self {
        use Part::*;
        let parts = vec![
            Chunks,
            MessageIndexes,
            Schemas,
            Channels,
            Statistics,
            ChunkIndexes,
            AttachmentIndexes,
            MetadataIndexes,
            SummaryOffsets,
        ];
        Self { parts, compression, padding: &[] }
    }

    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }
}
