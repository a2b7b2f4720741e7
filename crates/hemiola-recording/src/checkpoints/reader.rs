use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use hemiola_log::{Adapter, Channel, Definition, LogError, LogTime, Message, Selection};
use hemiola_model::Time;
use hemiola_model::cdr::{self, CdrWriter, MessageSchema};
use hemiola_model::data::DataType;
use hemiola_model::module::{Inlet, registry};
use hemiola_runtime::{CyclePart, Piece, PieceKind, Published, Robot, RunRecord, View};

use super::{InletHead, NAME, PartHead, PublishedHead, ViewHead, piece_schema, piece_topic};
use crate::error::RecordingError;
use crate::names::topic;
use crate::schemas::has_fields_of;
use crate::senders::place_of;
use crate::split::SplitLog;
use hemiola_model::data::Data;

/// The word for a checkpoint in errors.
const CHECKPOINT: &str = "checkpoint";

/// Gathers the checkpoints of a log.
pub struct CheckpointHeads {
    schema: MessageSchema,
    /// The parts of each checkpoint, by number.
    parts: BTreeMap<u32, Vec<PartHead>>,
    /// The reason why some parts cannot be read: they are damaged, or of another version of
    /// Hemiola.
    unreadable: Option<RecordingError>,
}

impl Default for CheckpointHeads {
    fn default() -> Self {
        let schema = MessageSchema::of("CyclePart", &PartHead::data_type());
        Self { schema, parts: BTreeMap::new(), unreadable: None }
    }
}

impl CheckpointHeads {
    /// Gathers the part in a message for which [`is_checkpoint`](super::is_checkpoint) holds.
    pub fn look(&mut self, message: &Message<'_>) {
        if !message.channel.topic.ends_with(NAME) {
            return;
        }
        if !has_fields_of(&message.channel, &self.schema) {
            self.unreadable = Some(RecordingError::OtherVersion { what: CHECKPOINT });
            return;
        }
        match cdr::decode::<PartHead>(message.data) {
            Ok(head) => self.parts.entry(head.number).or_default().push(head),
            Err(error) => {
                self.unreadable = Some(RecordingError::Damaged { what: CHECKPOINT, reason: error.to_string() });
            }
        }
    }

    /// Returns the checkpoints of which every cycle that continued has a part.
    pub fn finish(self, runs: &[Arc<RunRecord>]) -> Checkpoints {
        // The place of each run among all runs, by cycle.
        let mut orders: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
        for run in runs {
            orders.entry(&run.cycle).or_default().insert(run.run, run.order);
        }
        let (mut whole, mut refused) = (Vec::new(), Vec::new());
        refused.extend(self.unreadable.map(|reason| (Time::ZERO, Arc::new(reason))));
        for parts in self.parts.into_values() {
            let orders_of_parts = parts.iter().map(|part| orders.get(part.cycle.as_str())?.get(&part.run).copied());
            let Some(Some(last)) = orders_of_parts.max() else { continue };
            let has_part = |cycle: &str| parts.iter().any(|part| part.cycle == cycle);
            let goes_on = |runs: &BTreeMap<u32, u64>| runs.values().any(|&order| order > last);
            let lacking =
                orders.iter().find(|(cycle, runs)| !has_part(cycle) && goes_on(runs)).map(|(cycle, _)| *cycle);
            let opaque = parts.iter().flat_map(|part| &part.opaque).next();
            let missing = parts.iter().flat_map(|part| &part.missing).next();
            let under_way = topic_under_way(&parts);
            let reason: Option<RecordingError> = match (opaque, missing, lacking) {
                (Some(opaque), ..) => Some(RecordingError::OpaqueState { of: opaque.clone() }),
                (_, Some(missing), _) => Some(RecordingError::NoRoom { of: missing.clone() }),
                (.., Some(cycle)) => Some(RecordingError::PartLost { cycle: cycle.to_owned() }),
                (None, None, None) => under_way.map(|topic| RecordingError::UnderWay { topic: topic.to_owned() }),
            };
            let checkpoint = Checkpoint { parts };
            match reason {
                None => whole.push(checkpoint),
                Some(reason) => refused.push((checkpoint.time(), Arc::new(reason))),
            }
        }
        Checkpoints { whole, refused }
    }
}

/// Returns a topic with a message that no part contains, although it was published before the cut
/// and not received even in the first run after it; or with one that was received before the cut
/// and is published again after it.
fn topic_under_way(parts: &[PartHead]) -> Option<&str> {
    let all = parts.iter().flat_map(|part| &part.pieces).filter(|piece| piece.kind == PieceKind::Messages.word());
    for piece in all {
        for published in parts.iter().flat_map(|part| &part.published).filter(|published| published.topic == piece.name)
        {
            let inlet = piece.inlets.iter().find(|inlet| inlet.place == published.place);
            let (first, end) =
                inlet.map_or((0, 0), |inlet| (inlet.first, inlet.first.saturating_add(inlet.count.into())));
            if published.next < first || published.next > end {
                return Some(&piece.name);
            }
        }
    }
    None
}

/// The checkpoints of a log with which a replay can begin.
#[derive(Default)]
pub struct Checkpoints {
    /// The usable checkpoints, in their order.
    whole: Vec<Checkpoint>,
    /// The times of others, and the reasons why they cannot be used.
    refused: Vec<(Time, Arc<RecordingError>)>,
}

/// All parts of a checkpoint.
struct Checkpoint {
    parts: Vec<PartHead>,
}

impl Checkpoint {
    /// Returns whether a message belongs to one of the parts.
    fn has(&self, message: &Message<'_>) -> bool {
        let is_of = |part: &PartHead| message.channel.topic.starts_with(&(topic(&part.cycle, NAME) + "/"));
        self.parts.iter().any(|part| is_of(part) && nanoseconds(part.now) == message.log_time.nanoseconds())
    }

    /// Returns the time at which the last cycle continues.
    fn time(&self) -> Time {
        self.parts.iter().map(|part| part.now).max().unwrap_or_default()
    }
}

impl Checkpoints {
    /// Returns the reason why a checkpoint that is not later than `time` cannot be used, if there
    /// is one.
    pub fn refusal(&self, time: Option<Time>) -> Option<Arc<RecordingError>> {
        let mut refused = self.refused.iter().filter(|(at, _)| time.is_none_or(|time| *at <= time));
        refused.next().map(|(_, reason)| reason.clone())
    }

    /// Returns whether the log has no checkpoint at all, usable or not.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.refused.is_empty()
    }

    /// Returns the parts of the last checkpoint that is not later than `time`, or of the first one,
    /// converted for this robot. Returns `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if they cannot be read, or do not belong to this robot.
    pub fn parts(&self, log: &SplitLog, robot: &Robot, time: Option<Time>) -> Result<Option<Resumed>, RecordingError> {
        let checkpoint = match time {
            Some(time) => self.whole.iter().rev().find(|checkpoint| checkpoint.time() <= time),
            None => self.whole.first(),
        };
        let Some(checkpoint) = checkpoint else { return Ok(None) };
        let bytes = pieces(log, checkpoint)?;
        let mut resumed = Resumed { time: checkpoint.time(), parts: Vec::new(), changes: Vec::new() };
        for head in &checkpoint.parts {
            let part = resumed.part(head, &bytes, robot)?;
            resumed.parts.push(part);
        }
        Ok(Some(resumed))
    }
}

/// A checkpoint, converted for a robot.
pub struct Resumed {
    /// The time at which the last of its cycles continues.
    pub time: Time,
    /// The part from which each cycle continues.
    pub parts: Vec<CyclePart>,
    /// The differences from the recorded robot, a line each.
    pub changes: Vec<String>,
}

/// The channel and the bytes of a piece.
type PieceMessage = (Arc<Channel>, Vec<u8>);

/// Returns a time in the form of logs.
fn nanoseconds(time: Time) -> u64 {
    u64::try_from(time.nanoseconds()).unwrap_or(0)
}

/// Reads the pieces of a checkpoint, by topic.
fn pieces(log: &SplitLog, checkpoint: &Checkpoint) -> Result<BTreeMap<String, PieceMessage>, LogError> {
    let times = || checkpoint.parts.iter().map(|part| nanoseconds(part.now));
    let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let mut selection = Selection::all()
        .from(LogTime::from_nanoseconds(first))
        .before(LogTime::from_nanoseconds(last.saturating_add(1)));
    for part in &checkpoint.parts {
        selection = selection.topic(topic(&part.cycle, NAME) + "/*");
    }
    let mut messages = log.messages(selection)?;
    let mut found = BTreeMap::new();
    while let Some(message) = messages.next() {
        match message {
            Ok(message) if checkpoint.has(&message.as_message()) => {
                found.insert(message.channel.topic.clone(), (message.channel.clone(), message.data));
            }
            Err(error @ LogError::Read { .. }) => return Err(error),
            // Damage elsewhere was reported already; damage of a piece is noticed because it is
            // missing.
            _ => {}
        }
    }
    Ok(found)
}

impl Resumed {
    fn part(
        &mut self,
        head: &PartHead,
        bytes: &BTreeMap<String, PieceMessage>,
        robot: &Robot,
    ) -> Result<CyclePart, RecordingError> {
        let sources = robot.begins();
        let mut pieces = Vec::new();
        for piece in &head.pieces {
            let kind = PieceKind::ALL.into_iter().find(|kind| kind.word() == piece.kind);
            let kind = kind.ok_or_else(|| RecordingError::UnknownPiece { kind: piece.kind.clone() })?;
            let topic = piece_topic(&head.cycle, kind, &piece.name, piece.number);
            let found = bytes.get(&topic);
            let (channel, recorded) = found.ok_or(RecordingError::PieceLost { topic, number: head.number })?;
            let Some((data_type, default)) = wanted(robot, kind, &piece.name) else {
                self.changes.push(format!("{} is not part of this robot, or opaque now", piece.name));
                continue;
            };
            let views = piece.views.iter().map(|view| view.view(&head.sources, &sources)).collect();
            let schema = piece_schema(kind, &piece.name, &data_type);
            let mut tell = |change| self.changes.push(format!("{} {change}", piece.name));
            let bytes = adapted(channel, recorded, (&schema, &data_type), &default, &mut tell)?;
            let (name, number) = (piece.name.as_str().into(), piece.number);
            let inlets = piece.inlets.iter().map(|&InletHead { place, first, count }| Inlet {
                place: place_of(place),
                first,
                count,
            });
            pieces.push(Piece { kind, name, number, data_type, views, inlets: inlets.collect(), bytes });
        }
        Ok(CyclePart {
            cycle: head.cycle.as_str().into(),
            number: head.number,
            run: head.run,
            now: head.now,
            before: head.before,
            is_safe: head.is_safe,
            pieces,
            published: head.published.iter().map(published).collect(),
            opaque: Vec::new(),
            missing: Vec::new(),
        })
    }
}

/// Converts a message of a channel to `schema`: fields of the same name have the recorded values,
/// all others those of `default`. Differences are reported to `tell`.
///
/// # Errors
/// Returns an error if the message cannot be converted at all.
pub fn adapted(
    channel: &Channel,
    recorded: &[u8],
    (schema, data_type): (&MessageSchema, &DataType),
    default: &[u8],
    tell: &mut dyn FnMut(String),
) -> Result<Vec<u8>, RecordingError> {
    if has_fields_of(channel, schema) {
        return Ok(recorded.to_vec());
    }
    let problem =
        |error: &dyn Display| RecordingError::Unreadable { topic: channel.topic.clone(), reason: error.to_string() };
    let from = channel.definition().map_err(|error| problem(&error))?;
    let to = Definition::parse(&schema.name, &schema.text).map_err(|error| problem(&error))?;
    let from = Arc::new(from.renamed(data_type));
    let moved = from.moved(data_type);
    let moved = moved.iter().map(|(field, source)| (field.as_str(), source.clone()));
    let adapter = Adapter::new(&from, &Arc::new(to), default, moved).map_err(|error| problem(&error))?;
    let changes: Vec<_> = adapter.changes().iter().map(ToString::to_string).collect();
    if !changes.is_empty() {
        tell(format!("differs from the recorded type: {}", changes.join(", ")));
    }
    let mut misfits = Vec::new();
    let adapted = adapter.adapt(recorded, |misfit| misfits.push(misfit.to_string()));
    misfits.into_iter().take(1).for_each(|misfit| tell(format!("has a default: {misfit}")));
    adapted.map_err(|error| problem(&error))
}

/// Returns the type and the initial value of the state that this robot has under that name; `None`
/// if it has none there.
fn wanted(robot: &Robot, kind: PieceKind, name: &str) -> Option<(DataType, Vec<u8>)> {
    let mut writer = CdrWriter::default();
    if kind == PieceKind::Module {
        let module = registry::modules().into_iter().find(|module| module.name() == name)?;
        let data_type = module.state().data_type()?.clone();
        let configured = robot.configuration().modules.get(name).map(|module| module.parameters.clone());
        module.create(&configured.unwrap_or_default()).ok()?.into_state(&mut writer);
        return Some((data_type, writer.finish()));
    }
    let descriptor = match kind {
        PieceKind::Messages => robot.message(name)?,
        _ => robot.representation(name)?,
    };
    let data_type = descriptor.data_type()?;
    if matches!(kind, PieceKind::Samples | PieceKind::Messages) {
        return Some((DataType::Sequence(Box::new(data_type)), cdr::encode(&Vec::<u8>::new())));
    }
    descriptor.create().write(&mut writer);
    Some((data_type, writer.finish()))
}

fn published(head: &PublishedHead) -> Published {
    Published { topic: head.topic.as_str().into(), place: head.place, next: head.next }
}

impl ViewHead {
    /// Returns the view of a value. Sources, which are numbered in the log and in this robot, are
    /// matched by their names.
    fn view(&self, recorded: &[String], sources: &[String]) -> View {
        let mut origins = vec![None; sources.len()];
        for origin in &self.origins {
            let name = recorded.get(origin.source as usize);
            if let Some(index) = name.and_then(|name| sources.iter().position(|source| source == name)) {
                origins[index] = Some((origin.oldest, origin.newest));
            }
        }
        View { stamp: self.stamp, is_stale: self.is_stale, origins }
    }
}
