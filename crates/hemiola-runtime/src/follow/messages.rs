//! The messages that were in transit when a checkpoint was written.

use std::collections::BTreeMap;

use hemiola_model::cdr::CdrReader;
use hemiola_model::module::{Inlet, Place};

use crate::cycle::{Core, Cycle};
use crate::record::{CyclePart, Piece, PieceKind};

/// Makes publishers publish again what was in transit, and subscriptions release what they had
/// received of it. Called when all cycles have [resumed](Cycle::resume); nothing runs yet.
///
/// # Errors
/// Returns an error with the reason if messages cannot be read.
pub fn publish_again(cycles: &mut [Cycle], parts: &[CyclePart]) -> Result<(), String> {
    let mut topics: BTreeMap<&str, Topic<'_>> = BTreeMap::new();
    for part in parts {
        for published in &part.published {
            topics.entry(&published.topic).or_default().next.insert(published.place, published.next);
        }
    }
    for part in parts {
        for piece in part.pieces.iter().filter(|piece| piece.kind == PieceKind::Messages) {
            if let Some(topic) = topics.get_mut(&*piece.name) {
                piece.inlets.iter().for_each(|inlet| topic.note(piece, inlet));
            }
        }
    }
    for (name, topic) in &topics {
        for (&place, &next) in &topic.next {
            let Some(&first) = topic.first.get(&place) else { continue };
            for number in first..next {
                publish(cycles, name, place, topic.source(place, number))
                    .map_err(|error| format!("message {number} of publisher {place} of {name}: {error}"))?;
            }
        }
    }
    for part in parts {
        let Some(cycle) = cycles.iter_mut().find(|cycle| *cycle.core.name == *part.cycle) else { continue };
        for piece in part.pieces.iter().filter(|piece| piece.kind == PieceKind::Messages) {
            let Some(topic) = topics.get(&*piece.name) else { continue };
            let received: Vec<_> = piece.inlets.iter().filter_map(|inlet| topic.received(inlet)).collect();
            let Core { program, executor, .. } = &mut cycle.core;
            if let Some(port) = program.port_cell(&piece.name, piece.number) {
                port.repeat_run(&mut executor.between_runs(), &received);
            }
        }
    }
    Ok(())
}

/// The messages of a topic that were in transit from cycles. All others are in the log.
#[derive(Default)]
struct Topic<'p> {
    /// The number of the next message of each publisher, by its place.
    next: BTreeMap<u32, u64>,
    /// The first message of each publisher, by its place, that some subscription had not received.
    first: BTreeMap<u32, u64>,
    /// The pieces that contain messages.
    pieces: Vec<&'p Piece>,
}

impl<'p> Topic<'p> {
    fn note(&mut self, piece: &'p Piece, inlet: &Inlet) {
        let Place::Cycle(place) = inlet.place else { return };
        let first = self.first.entry(place).or_insert(inlet.first);
        *first = inlet.first.min(*first);
        self.pieces.push(piece);
    }

    /// Returns which of the messages that are published again a subscription had received before
    /// those of an inlet.
    fn received(&self, inlet: &Inlet) -> Option<Inlet> {
        let Place::Cycle(place) = inlet.place else { return None };
        let first = self.first.get(&place).copied().unwrap_or(0);
        Some(Inlet { place: inlet.place, first, count: inlet.first.saturating_sub(first) as u32 })
    }

    /// Returns the piece that contains a message, and its index there.
    fn source(&self, place: u32, number: u64) -> Option<(&'p Piece, usize)> {
        self.pieces.iter().find_map(|piece| Some((*piece, index_in(piece, Place::Cycle(place), number)?)))
    }
}

/// Returns the index of a message in a piece of a checkpoint.
fn index_in(piece: &Piece, place: Place, number: u64) -> Option<usize> {
    let mut before = 0;
    for inlet in &piece.inlets {
        if inlet.place == place && (inlet.first..inlet.end()).contains(&number) {
            return Some(before + (number - inlet.first) as usize);
        }
        before += inlet.count as usize;
    }
    None
}

fn publish(cycles: &mut [Cycle], topic: &str, place: u32, source: Option<(&Piece, usize)>) -> Result<(), String> {
    let (piece, index) = source.ok_or("no part of a checkpoint contains it")?;
    let mut publishers = cycles.iter_mut().filter_map(|cycle| {
        let Core { program, executor, .. } = &mut cycle.core;
        let mut places = program.publishers(&executor.between_runs()).into_iter();
        let found = places.find(|end| end.topic == topic && end.place == place);
        found.map(|end| (program, executor, end.number))
    });
    let Some((program, executor, number)) = publishers.next() else { return Ok(()) };
    let Some(port) = program.port_cell(topic, number) else { return Ok(()) };
    let mut reader = CdrReader::new(&piece.bytes).map_err(|error| error.to_string())?;
    let mut between = executor.between_runs();
    let record = port.port_mut(&mut between).record_mut().ok_or("its publisher keeps no record")?;
    record.publish_again(&mut reader, index).map_err(|error| error.to_string())
}
