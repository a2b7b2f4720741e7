//! The providers of all representations, as resolved.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::description::Access;
use crate::problem::Warning;

/// The result of [`resolve`](crate::resolve), cycle by cycle in the order of the description.
///
/// See [`resolve`](crate::resolve()).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The resolved cycles, one per cycle of the description, in the same order.
    pub cycles: Vec<ResolvedCycle>,
    /// The findings that should be checked.
    pub warnings: Vec<Warning>,
}

/// The position of an update in the description of its cycle.
///
/// See [`ResolvedUpdate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UpdateId {
    /// The index into [`CycleDescription::modules`](crate::CycleDescription::modules).
    pub module: usize,
    /// The index into [`ModuleDescription::updates`](crate::ModuleDescription::updates).
    pub update: usize,
}

/// A resolved cycle: the updates that run, its inputs and what it publishes.
///
/// ```
/// use hemiola_plan::{CycleDescription, RobotDescription, Trigger, resolve};
/// let cycle = CycleDescription { name: "motion".into(), modules: vec![], trigger: Trigger::Rate };
/// let resolved = resolve(&RobotDescription { cycles: vec![cycle], ..RobotDescription::default() }).unwrap();
/// assert_eq!(resolved.cycles[0].name, "motion");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedCycle {
    /// The name of the cycle.
    pub name: String,
    /// The updates that run, in the order of the description.
    pub updates: Vec<ResolvedUpdate>,
    /// The updates that do not run, because others provide everything that they would.
    pub idle: Vec<UpdateId>,
    /// The update that fills each representation of this cycle's blackboard, if one does.
    pub providers: BTreeMap<String, UpdateId>,
    /// The representations that come from outside, by name.
    pub inputs: Vec<Input>,
    /// The groups that the cycle publishes: one consistent snapshot per reader.
    pub publishes: Vec<PublishGroup>,
}

/// An update that runs, with the representations that it fills.
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
    /// The position of the update in the description.
    pub id: UpdateId,
    /// The name of the module.
    pub module: String,
    /// The name of the update.
    pub name: String,
    /// The way in which the update borrows its module.
    pub access: Access,
    /// The `&T` that it reads, from this cycle or from outside.
    pub requires: Vec<String>,
    /// The `Previous<T>` that it reads.
    pub uses: Vec<String>,
    /// The `Samples<T>` that it reads.
    pub collects: Vec<String>,
    /// The representations that it fills on the blackboard.
    pub provides: Vec<String>,
    /// The representations that it fills without effect, because another update is the provider.
    pub discarded: Vec<String>,
}

/// A representation that a cycle receives from outside.
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
    /// The name of the representation.
    pub representation: String,
    /// The place from which it comes.
    pub origin: Origin,
    /// The values that are delivered: the newest one, all since the last run, or both.
    pub delivery: Delivery,
}

/// The place from which an input comes.
///
/// See [`Input`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// The sample that triggers the cycle.
    Trigger {
        /// The source of the sample.
        source: String,
        /// The name of the sample.
        sample: String,
    },
    /// Another sample, of this or another source.
    Sample {
        /// The source of the sample.
        source: String,
        /// The name of the sample.
        sample: String,
    },
    /// The snapshot that another cycle publishes.
    Cycle(String),
}

/// The values of an input that a cycle reads.
///
/// See [`Input`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Delivery {
    /// The newest value at the start of a run (`&T`, `Previous<T>`).
    Latest,
    /// Everything since the last run (`Samples<T>`).
    Samples,
    /// The newest value for some updates, and everything since the last run for others.
    LatestAndSamples,
}

impl Delivery {
    /// Returns whether any update reads `Samples<T>`.
    pub fn wants_samples(self) -> bool {
        self != Delivery::Latest
    }

    /// Returns whether any update reads the newest value.
    pub fn wants_latest(self) -> bool {
        self != Delivery::Samples
    }
}

/// The representations of one cycle that one consumer reads. They are published together, as soon
/// as their providers have run.
///
/// See [`ResolvedCycle::publishes`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishGroup {
    /// The consumer that reads them.
    pub consumer: Consumer,
    /// The representations, in alphabetical order.
    pub representations: Vec<String>,
}

/// A reader of what a cycle publishes.
///
/// See [`PublishGroup`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Consumer {
    /// Another cycle.
    Cycle(String),
    /// A source, such as a simulator or an actuator bus.
    Source(String),
}

impl std::fmt::Display for Consumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Consumer::Cycle(name) | Consumer::Source(name) => f.write_str(name),
        }
    }
}
