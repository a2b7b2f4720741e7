use std::collections::BTreeMap;

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::module::Inlet;
use hemiola_runtime::{CyclePart, Piece, Published, View};

use super::{InletHead, NAME, OriginHead, PartHead, PieceHead, PublishedHead, ViewHead, piece_schema, piece_topic};
use crate::names::topic;
use crate::senders::number_of;
use hemiola_model::data::Data;

/// Writes the parts of checkpoints.
pub struct CheckpointChannels {
    schema: MessageSchema,
    /// The channels by topic, and the number of messages in each.
    channels: BTreeMap<String, (ChannelId, u32)>,
    sources: Vec<String>,
    buffer: CdrWriter,
}

impl CheckpointChannels {
    /// Creates the writer for a robot with these sources.
    pub fn new(sources: Vec<String>) -> Self {
        let schema = MessageSchema::of("CyclePart", &PartHead::data_type());
        Self { schema, channels: BTreeMap::new(), sources, buffer: CdrWriter::default() }
    }

    /// Begins a new log.
    pub fn begin(&mut self) {
        self.channels.clear();
    }

    /// Writes the part of a cycle.
    pub fn write(&mut self, part: &CyclePart, log: &mut LogWriter) -> Result<(), LogError> {
        for piece in &part.pieces {
            let topic = piece_topic(&part.cycle, piece.kind, &piece.name, piece.number);
            let (channel, sequence) =
                self.channel(topic, log, || piece_schema(piece.kind, &piece.name, &piece.data_type))?;
            log.write(channel, Origin { sequence, logged: part.now, published: part.now }, &piece.bytes)?;
        }
        // The head is written last, so that its presence shows that all pieces are complete.
        let schema = self.schema.clone();
        let (channel, sequence) = self.channel(topic(&part.cycle, NAME), log, || schema)?;
        self.buffer.clear();
        self.head(part).write(&mut self.buffer);
        log.write(channel, Origin { sequence, logged: part.now, published: part.now }, self.buffer.bytes())
    }

    fn channel(
        &mut self,
        topic: String,
        log: &mut LogWriter,
        schema: impl FnOnce() -> MessageSchema,
    ) -> Result<(ChannelId, u32), LogError> {
        if let Some((channel, count)) = self.channels.get_mut(&topic) {
            *count += 1;
            return Ok((*channel, *count));
        }
        let channel = log.channel(&topic, &schema())?;
        self.channels.insert(topic, (channel, 0));
        Ok((channel, 0))
    }

    fn head(&self, part: &CyclePart) -> PartHead {
        let names = |names: &[std::sync::Arc<str>]| names.iter().map(|name| (**name).to_owned()).collect();
        PartHead {
            cycle: (*part.cycle).to_owned(),
            number: part.number,
            run: part.run,
            now: part.now,
            before: part.before,
            is_safe: part.is_safe,
            pieces: part.pieces.iter().map(PieceHead::of).collect(),
            published: part.published.iter().map(PublishedHead::of).collect(),
            opaque: names(&part.opaque),
            missing: names(&part.missing),
            sources: self.sources.clone(),
        }
    }
}

impl PieceHead {
    fn of(piece: &Piece) -> Self {
        let views = piece.views.iter().map(ViewHead::of).collect();
        let inlets = piece.inlets.iter().map(|&Inlet { place, first, count }| InletHead {
            place: number_of(place),
            first,
            count,
        });
        Self {
            kind: piece.kind.word().to_owned(),
            name: (*piece.name).to_owned(),
            number: piece.number,
            views,
            inlets: inlets.collect(),
        }
    }
}

impl PublishedHead {
    fn of(published: &Published) -> Self {
        let Published { topic, place, next } = published;
        Self { topic: (**topic).to_owned(), place: *place, next: *next }
    }
}

impl ViewHead {
    fn of(view: &View) -> Self {
        let origins = (0..).zip(&view.origins).filter_map(|(source, span)| {
            let (oldest, newest) = (*span)?;
            Some(OriginHead { source, oldest, newest })
        });
        Self { stamp: view.stamp, is_stale: view.is_stale, origins: origins.collect() }
    }
}
