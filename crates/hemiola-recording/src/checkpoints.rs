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
    /// The first run after the checkpoint.
    run: u32,
    /// The time on the cycle's clock in that run.
    now: Time,
    /// The time on the cycle's clock in the previous run.
    before: Option<Time>,
    /// Set if the modules of the cycle have entered the safe state, and not left it.
    is_safe: bool,
    /// The pieces that were written.
    pieces: Vec<PieceHead>,
    /// The messages of topics that the cycle had published before that run.
    published: Vec<PublishedHead>,
    /// The modules and representations that could not be written because they are opaque.
    opaque: Vec<String>,
    /// The modules and representations that could not be written because there was no room.
    missing: Vec<String>,
    /// The robot's sources, in the order of the numbers by which origins refer to them.
    sources: Vec<String>,
}

#[derive(Data)]
#[data(name = "hemiola/PieceHead")]
struct PieceHead {
    /// The kind of the piece: `module`, `value`, `input`, `samples` or `messages`.
    kind: String,
    /// The name of the module, representation or topic.
    name: String,
    /// For messages, the number of earlier ends of the same topic in the cycle.
    number: u32,
    /// The facts about each value; empty for a module.
    views: Vec<ViewHead>,
    /// For messages, the publishers and numbers of these messages.
    inlets: Vec<InletHead>,
}

/// The messages of one publisher.
#[derive(Data)]
#[data(name = "hemiola/InletHead")]
struct InletHead {
    /// The number of publishers of the topic that precede it.
    place: u32,
    /// The number of the first message.
    first: u64,
    count: u32,
}

#[derive(Data)]
#[data(name = "hemiola/PublishedHead")]
struct PublishedHead {
    topic: String,
    /// The number of publishers of the topic that precede it.
    place: u32,
    /// The number of its next message.
    next: u64,
}

#[derive(Data)]
#[data(name = "hemiola/ViewHead")]
struct ViewHead {
    /// The time stamp of the newest sample from which the value derives.
    stamp: Time,
    /// Set if the provider of the value failed, so that it is an older value.
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
