use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::data::DataType;
use hemiola_model::module::Inlet;

/// A cycle's part of a checkpoint, which contains everything that later runs depend on:
/// [`Observation::with_checkpoints`](crate::Observation::with_checkpoints).
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// use hemiola_runtime::{Observation, Robot};
/// use std::time::Duration;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// let mut seen = stepper.handle().observe(Observation::default().with_checkpoints(Duration::from_secs(1)))?;
/// stepper.run_for(Duration::from_millis(1500));
/// let part = seen.next_part().expect("a second has passed");
/// assert_eq!((&*part.cycle, part.number, part.run), ("motion", 1, 100));
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CyclePart {
    /// The cycle.
    pub cycle: Arc<str>,
    /// The number of the checkpoint; parts with the same number belong together.
    pub number: u32,
    /// The first run after the checkpoint.
    pub run: u32,
    /// The time on the cycle's clock in that run.
    pub now: Time,
    /// The time on the cycle's clock in the previous run.
    pub before: Option<Time>,
    /// Set if its modules have entered the safe state, and not left it.
    pub is_safe: bool,
    /// The pieces that could be written.
    pub pieces: Vec<Piece>,
    /// The messages of topics that it had published before that run.
    pub published: Vec<Published>,
    /// The modules and representations that could not be written because they are opaque.
    pub opaque: Vec<Arc<str>>,
    /// The modules and representations that could not be written because there was no room.
    pub missing: Vec<Arc<str>>,
}

impl CyclePart {
    /// Finds a piece of the part.
    pub fn piece(&self, kind: PieceKind, name: &str) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.kind == kind && *piece.name == *name)
    }
}

/// A piece of a checkpoint: something that later runs depend on.
///
/// ```
/// use hemiola_model::{Data, cdr};
/// use hemiola_runtime::{Piece, PieceKind};
/// # let part = hemiola_runtime::CyclePart { cycle: "motion".into(), number: 1, run: 100, now: Default::default(), before: None, is_safe: false, pieces: vec![Piece {
/// #     kind: PieceKind::Value, name: "Odometry".into(), number: 0, data_type: f32::data_type(), views: Vec::new(), inlets: Vec::new(), bytes: cdr::encode(&0.5_f32) }], opaque: vec![], published: vec![], missing: vec![] };
///
/// let odometry = part.piece(PieceKind::Value, "Odometry").expect("motion provides it");
/// assert_eq!(cdr::decode::<f32>(&odometry.bytes), Ok(0.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The kind of the piece.
    pub kind: PieceKind,
    /// The name of the module or representation.
    pub name: Arc<str>,
    /// For messages, the number of earlier ends of the same topic in the cycle.
    pub number: u32,
    /// The schema of the bytes.
    pub data_type: DataType,
    /// The facts about each value; empty for a module.
    pub views: Vec<View>,
    /// For messages, the publishers and numbers of these messages.
    pub inlets: Vec<Inlet>,
    /// The contents in CDR. Samples and messages are a sequence.
    pub bytes: Vec<u8>,
}

/// The kind of a piece of a checkpoint.
///
/// ```
/// use hemiola_runtime::PieceKind;
///
/// assert_eq!(PieceKind::ALL.map(PieceKind::word), ["module", "value", "input", "samples", "messages"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PieceKind {
    /// The state of a module.
    Module,
    /// A value that the cycle provides, as the last run left it.
    Value,
    /// A value of another cycle or a source, as the first run sees it.
    Input,
    /// The samples that the first run took from a queue of another cycle.
    Samples,
    /// The messages of a topic that the first run received.
    Messages,
}

impl PieceKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Module, Self::Value, Self::Input, Self::Samples, Self::Messages];

    /// Returns the word for names of topics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Value => "value",
            Self::Input => "input",
            Self::Samples => "samples",
            Self::Messages => "messages",
        }
    }
}

/// The progress of a publisher of a topic.
///
/// ```
/// use hemiola_runtime::Published;
///
/// let bumps = Published { topic: "Bumped".into(), place: 0, next: 3 }; // messages 0, 1 and 2
/// # assert_eq!(bumps.next, 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The topic.
    pub topic: Arc<str>,
    /// The number of publishers of the topic that precede it.
    pub place: u32,
    /// The number of its next message.
    pub next: u64,
}

/// The facts about a value, besides the value itself.
///
/// ```
/// use hemiola_runtime::View;
///
/// assert!(!View::default().is_stale);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The time stamp of the newest sample from which it derives.
    pub stamp: Time,
    /// Set if its provider failed, so that it is an older value.
    pub is_stale: bool,
    /// The time stamps of the oldest and the newest sample of each source from which it derives.
    pub origins: Vec<Option<(Time, Time)>>,
}
