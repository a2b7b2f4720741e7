//! Who provides what, once everything is settled.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::description::Access;
use crate::problem::Warning;

/// What [`resolve`](crate::resolve) found out, cycle by cycle in the order of the description.
///
/// ```
/// use hemiola_plan::{RobotDescription, resolve};
/// let resolved = resolve(&RobotDescription::default()).unwrap();
/// assert!(resolved.cycles.is_empty() && resolved.warnings.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// One per cycle of the description, same order.
    pub cycles: Vec<ResolvedCycle>,
    /// What deserves a look.
    pub warnings: Vec<Warning>,
}

/// Where an update stands in the description of its cycle.
///
/// ```
/// use hemiola_plan::UpdateId;
/// let first = UpdateId { module: 0, update: 0 };
/// assert!(first < UpdateId { module: 0, update: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UpdateId {
    /// Index into [`CycleDescription::modules`](crate::CycleDescription::modules).
    pub module: usize,
    /// Index into [`ModuleDescription::updates`](crate::ModuleDescription::updates).
    pub update: usize,
}

/// One cycle: the updates that run, what comes in and what goes out.
///
/// ```
/// use hemiola_plan::{CycleDescription, RobotDescription, Trigger, resolve};
/// let cycle = CycleDescription { name: "motion".into(), modules: vec![], trigger: Trigger::Rate };
/// let resolved = resolve(&RobotDescription { cycles: vec![cycle], ..RobotDescription::default() }).unwrap();
/// assert_eq!(resolved.cycles[0].name, "motion");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedCycle {
    /// Its name.
    pub name: String,
    /// The updates that run, in the order of the description.
    pub updates: Vec<ResolvedUpdate>,
    /// The updates that do not run, because others provide all that they would.
    pub idle: Vec<UpdateId>,
    /// Who fills each representation of this cycle's blackboard that an update fills.
    pub providers: BTreeMap<String, UpdateId>,
    /// What comes from outside, by representation.
    pub inputs: Vec<Input>,
    /// What goes out: one consistent snapshot per reader.
    pub publishes: Vec<PublishGroup>,
}

/// An update that runs, with what it fills for others to see.
///
/// ```
/// use hemiola_plan::{Access, CycleDescription, ModuleDescription, RobotDescription, Trigger, UpdateDescription, resolve};
/// let module = ModuleDescription::new("Lights").with(UpdateDescription::new("blink", Access::Exclusive));
/// let cycle = CycleDescription { name: "motion".into(), modules: vec![module], trigger: Trigger::Rate };
/// let resolved = resolve(&RobotDescription { cycles: vec![cycle], ..RobotDescription::default() }).unwrap();
/// assert_eq!(resolved.cycles[0].updates[0].module, "Lights"); // provides nothing: an actuator, always runs
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedUpdate {
    /// Where it stands in the description.
    pub id: UpdateId,
    /// The name of its module.
    pub module: String,
    /// Its own name.
    pub name: String,
    /// Whether siblings may run at the same time.
    pub access: Access,
    /// `&T`, from this cycle or from outside.
    pub requires: Vec<String>,
    /// `Previous<T>`.
    pub uses: Vec<String>,
    /// `Samples<T>`.
    pub collects: Vec<String>,
    /// What it fills on the blackboard.
    pub provides: Vec<String>,
    /// What it fills in vain: somebody else is the provider.
    pub discarded: Vec<String>,
}

/// A representation that a cycle gets from outside.
///
/// ```
/// use hemiola_plan::{Delivery, Input, Origin};
/// let input = Input {
///     representation: "UpperImage".into(),
///     origin: Origin::Trigger { source: "camera".into(), sample: "upper".into() },
///     delivery: Delivery::Latest,
/// };
/// assert_eq!(input.delivery, Delivery::Latest);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// What.
    pub representation: String,
    /// From where.
    pub origin: Origin,
    /// The newest value, or all since the last run.
    pub delivery: Delivery,
}

/// From where an input comes.
///
/// ```
/// use hemiola_plan::Origin;
/// assert_ne!(Origin::Cycle("motion".into()), Origin::Cycle("cognition".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// The very sample that triggers the cycle.
    Trigger {
        /// Its source.
        source: String,
        /// Its name.
        sample: String,
    },
    /// Another sample, of this or another source.
    Sample {
        /// Its source.
        source: String,
        /// Its name.
        sample: String,
    },
    /// The snapshot that another cycle publishes.
    Cycle(String),
}

/// How much of an input a cycle wants.
///
/// ```
/// use hemiola_plan::Delivery;
/// assert!(Delivery::LatestAndSamples.wants_samples() && !Delivery::Latest.wants_samples());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Delivery {
    /// The newest value at the start of a run (`&T`, `Previous<T>`).
    Latest,
    /// Everything since the last run (`Samples<T>`).
    Samples,
    /// Some updates want the one, some the other.
    LatestAndSamples,
}

impl Delivery {
    /// Whether anybody reads `Samples<T>`.
    pub fn wants_samples(self) -> bool {
        self != Delivery::Latest
    }

    /// Whether anybody reads the newest value.
    pub fn wants_latest(self) -> bool {
        self != Delivery::Samples
    }
}

/// The representations of one cycle that one consumer reads: published together, as soon as their
/// providers have run.
///
/// ```
/// use hemiola_plan::{Consumer, PublishGroup};
/// let group = PublishGroup { consumer: Consumer::Source("body".into()), representations: vec!["JointRequest".into()] };
/// assert_eq!(group.consumer.to_string(), "body");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishGroup {
    /// Who reads them.
    pub consumer: Consumer,
    /// In alphabetical order.
    pub representations: Vec<String>,
}

/// Who reads what a cycle publishes.
///
/// ```
/// use hemiola_plan::Consumer;
/// assert_eq!(Consumer::Cycle("motion".into()).to_string(), "motion");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Consumer {
    /// Another cycle.
    Cycle(String),
    /// A source: a simulator, an actuator bus.
    Source(String),
}

impl std::fmt::Display for Consumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Consumer::Cycle(name) | Consumer::Source(name) => f.write_str(name),
        }
    }
}
