//! Which records a file has.

use hemiola_model::configuration::LogCompression;

/// What a file may have besides its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Chunks,
    MessageIndexes,
    /// In the summary, as all that follow.
    Schemas,
    Channels,
    Statistics,
    ChunkIndexes,
    AttachmentIndexes,
    MetadataIndexes,
    SummaryOffsets,
}

/// The parts, and how they are written.
pub struct Layout {
    pub parts: Vec<Part>,
    pub compression: LogCompression,
    /// Behind the fields of records that may grow some day.
    pub padding: &'static [u8],
}

impl Layout {
    /// All that makes a file quick to look at.
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
