//! Checkpoints in logs, which contain everything that later runs depend on: a message for each
//! module's state, value and input from which a cycle continues, in topics below `/cycle/_state`,
//! and one in `/cycle/_state` itself, which shows that all of them are complete. All messages of
//! one part have the same time.

mod reader;
mod remembered;
mod writer;

pub use reader::{CheckpointHeads, Checkpoints, Resumed, adapted};
pub use writer::CheckpointChannels;

use hemiola_model::cdr::MessageSchema;
use hemiola_model::data::DataType;
use hemiola_runtime::PieceKind;

use crate::names::topic;
use hemiola_macros::Data;
use hemiola_model::Time;
use remembered::of_module;

/// The last part of topics. ROS 2 treats names that begin with an underscore as hidden.
const NAME: &str = "_state";

/// Returns whether messages of this topic belong to checkpoints.
pub fn is_checkpoint(topic: &str) -> bool {
    topic.split('/').nth(2) == Some(NAME)
}

/// Returns the schema of a piece's messages.
fn piece_schema(kind: PieceKind, name: &str, data_type: &DataType) -> MessageSchema {
    match kind {
        PieceKind::Samples | PieceKind::Messages => MessageSchema::of(&format!("{name}Sequence"), data_type),
        PieceKind::Module => MessageSchema::of(name, &of_module(name, data_type)),
        PieceKind::Value | PieceKind::Input => MessageSchema::of(name, data_type),
    }
}

fn piece_topic(cycle: &str, kind: PieceKind, name: &str, number: u32) -> String {
    // Each of several subscriptions to a topic has messages of its own.
    let number = if number == 0 { String::new() } else { format!("_{number}") };
    topic(cycle, NAME) + &topic(kind.word(), name) + &number
}

/// The head of a cycle's part of a checkpoint, which shows that the part is complete and has
/// everything else from which its runs continue.
#[derive(Data)]
#[data(name = "hemiola/CyclePart")]
struct PartHead {
    /// The cycle.
    cycle: String,
    /// The number of the checkpoint.
    number: u32,
    /// The first run after it.
    run: u32,
    /// What the cycle's clock showed in that run.
    now: Time,
    /// What it showed in the run before.
    before: Option<Time>,
    /// Whether its modules have entered the safe state.
    is_safe: bool,
    /// What was written down.
    pieces: Vec<PieceHead>,
    /// What it had published of topics before that run.
    published: Vec<PublishedHead>,
    /// What could not be, because it is opaque.
    opaque: Vec<String>,
    /// What could not be, because there was no room.
    missing: Vec<String>,
    /// The robot's sources, which origins speak of by their numbers here.
    sources: Vec<String>,
}

#[derive(Data)]
#[data(name = "hemiola/PieceHead")]
struct PieceHead {
    /// `module`, `value`, `input`, `samples` or `messages`.
    kind: String,
    /// Of which module, representation or topic.
    name: String,
    /// Of messages: how many ends of the same topic the cycle has before the one that received
    /// them.
    number: u32,
    /// Of each value.
    views: Vec<ViewHead>,
    /// Of messages: which they are.
    inlets: Vec<InletHead>,
}

/// The messages of one publisher.
#[derive(Data)]
#[data(name = "hemiola/InletHead")]
struct InletHead {
    /// How many publishers of the topic come before it.
    place: u32,
    /// The number of the first message.
    first: u64,
    count: u32,
}

#[derive(Data)]
#[data(name = "hemiola/PublishedHead")]
struct PublishedHead {
    topic: String,
    /// How many publishers of the topic come before it.
    place: u32,
    /// The number of its next message.
    next: u64,
}

#[derive(Data)]
#[data(name = "hemiola/ViewHead")]
struct ViewHead {
    /// When the newest sample was taken that it derives from.
    stamp: Time,
    /// Whether its provider failed, so that it is an older value.
    is_stale: bool,
    origins: Vec<OriginHead>,
}

/// The samples from which a value derives, as the oldest and the newest.
#[derive(Data)]
#[data(name = "hemiola/OriginHead")]
struct OriginHead {
    source: u32,
    oldest: Time,
    newest: Time,
}
