use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::data::DataType;
use hemiola_model::module::Inlet;

/// A cycle's part of a checkpoint of all that later runs depend on:
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
    /// Of the checkpoint; the parts of one number belong together.
    pub number: u32,
    /// The first run after it.
    pub run: u32,
    /// What the cycle's clock showed in that run.
    pub now: Time,
    /// What it showed in the run before.
    pub before: Option<Time>,
    /// Whether its modules have entered the safe state, and not left it.
    pub is_safe: bool,
    /// What could be written down.
    pub pieces: Vec<Piece>,
    /// What it had published of topics before that run.
    pub published: Vec<Published>,
    /// What could not, because it is opaque: modules and representations.
    pub opaque: Vec<Arc<str>>,
    /// What could not, because there was no room.
    pub missing: Vec<Arc<str>>,
}

impl CyclePart {
    /// A piece of it.
    pub fn piece(&self, kind: PieceKind, name: &str) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.kind == kind && *piece.name == *name)
    }
}

/// Something that later runs depend on.
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
    /// What it is.
    pub kind: PieceKind,
    /// Of which module or representation.
    pub name: Arc<str>,
    /// Of messages: how many ends of the same topic the cycle has before the one that received
    /// them.
    pub number: u32,
    /// Its schema.
    pub data_type: DataType,
    /// What is known of each value; nothing of a module.
    pub views: Vec<View>,
    /// Of messages: which they are.
    pub inlets: Vec<Inlet>,
    /// In CDR. Samples and messages are a sequence.
    pub bytes: Vec<u8>,
}

/// What a piece of a checkpoint is.
///
/// ```
/// use hemiola_runtime::PieceKind;
///
/// assert_eq!(PieceKind::ALL.map(PieceKind::word), ["module", "value", "input", "samples", "messages"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PieceKind {
    /// What a module remembers.
    Module,
    /// A value that the cycle provides, as the last run left it.
    Value,
    /// A value of another cycle or a source, as the first run sees it.
    Input,
    /// What the first run took from a queue of samples of another cycle.
    Samples,
    /// The messages of a topic that the first run received.
    Messages,
}

impl PieceKind {
    /// All there are.
    pub const ALL: [Self; 5] = [Self::Module, Self::Value, Self::Input, Self::Samples, Self::Messages];

    /// For names of topics.
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

/// What a publisher of a topic had published.
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
    /// How many publishers of the topic come before it.
    pub place: u32,
    /// The number of its next message.
    pub next: u64,
}

/// What is known of a value besides itself.
///
/// ```
/// use hemiola_runtime::View;
///
/// assert!(!View::default().is_stale);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// When the newest sample was taken that it derives from.
    pub stamp: Time,
    /// Whether its provider failed, so that it is an older value.
    pub is_stale: bool,
    /// Of each source, when the oldest and the newest sample were taken that it derives from.
    pub origins: Vec<Option<(Time, Time)>>,
}
