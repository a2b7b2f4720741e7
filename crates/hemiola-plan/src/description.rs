//! The description of a robot for the planner: its cycles, modules and sources, as plain owned
//! data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The description of everything that decides which module computes what: the cycles with their
/// modules, the sources, and the choices of `robot.toml`.
///
/// ```
/// use hemiola_plan::{Access, CycleDescription, ModuleDescription, RobotDescription, Trigger, UpdateDescription, resolve};
///
/// let ball = ModuleDescription::new("BallFinder")
///     .with(UpdateDescription::new("ball_percept", Access::Exclusive).provides(["BallPercept"]));
/// let head = ModuleDescription::new("HeadControl")
///     .with(UpdateDescription::new("look", Access::Exclusive).requires(["BallPercept"]));
/// let system = RobotDescription {
///     cycles: vec![CycleDescription { name: "cognition".into(), modules: vec![ball, head], trigger: Trigger::Rate }],
///     ..RobotDescription::default()
/// };
/// assert_eq!(resolve(&system).unwrap().cycles[0].updates.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RobotDescription {
    /// The cycles, in the order in which they are shown.
    pub cycles: Vec<CycleDescription>,
    /// The sources, which fill representations outside any cycle.
    pub sources: Vec<SourceDescription>,
    /// The `[providers]` table of `robot.toml`: representation to the module (or source) that
    /// provides it.
    pub providers: BTreeMap<String, String>,
    /// Modules that are linked into the robot and run in no cycle. They only make messages more
    /// helpful.
    pub spare: Vec<ModuleDescription>,
}

/// A set of modules that run once per trigger.
///
/// See [`RobotDescription`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CycleDescription {
    /// The name, which is unique among the cycles of a robot.
    pub name: String,
    /// The modules that run here. A module may run in several cycles; each has its own instance.
    pub modules: Vec<ModuleDescription>,
    /// The event that starts a run.
    #[serde(default)]
    pub trigger: Trigger,
}

/// The event that starts a run of a cycle.
///
/// See [`CycleDescription`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A timer, whose rate does not matter to the plan.
    #[default]
    Rate,
    /// A new sample of a source.
    Sample {
        /// The name of the source.
        source: String,
        /// The name of one of its samples.
        sample: String,
    },
}

/// A module and its updates.
///
/// ```
/// use hemiola_plan::{Access, ModuleDescription, UpdateDescription};
/// let module = ModuleDescription::new("BallFinder")
///     .at("src/ball_finder.rs:12")
///     .with(UpdateDescription::new("ball_percept", Access::Exclusive).requires(["UpperImage"]).provides(["BallPercept"]));
/// assert_eq!(module.updates[0].provides, ["BallPercept"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleDescription {
    /// The name, which is unique among the modules of a robot.
    pub name: String,
    /// The updates, in the order in which they are declared.
    pub updates: Vec<UpdateDescription>,
    /// The place where the module is declared (`file:line`), for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

impl ModuleDescription {
    /// Describes a module without updates.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), updates: Vec::new(), location: None }
    }

    /// Adds an update.
    pub fn with(mut self, update: UpdateDescription) -> Self {
        self.updates.push(update);
        self
    }

    /// Sets the place where the module is declared.
    pub fn at(mut self, location: impl Into<String>) -> Self {
        self.location = Some(location.into());
        self
    }
}

/// The way in which an update borrows its module: whether it may run at the same time as its
/// siblings.
///
/// See [`UpdateDescription`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// `&mut self`: runs one after another with the other exclusive updates of the module.
    #[default]
    Exclusive,
    /// `&self`: may run at the same time as any other concurrent update of the module.
    Concurrent,
}

/// The representations that an update reads and writes, according to its signature.
///
/// ```
/// use hemiola_plan::{Access, UpdateDescription};
/// let update = UpdateDescription::new("ball_percept", Access::Concurrent)
///     .requires(["UpperImage"]) // &UpperImage
///     .uses(["WorldModel"])     // Previous<WorldModel>
///     .collects(["Imu"])        // Samples<Imu>
///     .provides(["BallPercept"]); // &mut BallPercept
/// assert_eq!(update.uses, ["WorldModel"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UpdateDescription {
    /// The name, which is unique within the module.
    pub name: String,
    /// The access to the module: whether siblings may run at the same time.
    pub access: Access,
    /// `&T`: this cycle's value, read after its provider ran.
    pub requires: Vec<String>,
    /// `Previous<T>`: the value at the end of the previous run; no ordering.
    pub uses: Vec<String>,
    /// `Samples<T>`: everything that came from outside the cycle since this update last ran.
    pub collects: Vec<String>,
    /// `&mut T`: the representations that it fills.
    pub provides: Vec<String>,
}

impl UpdateDescription {
    /// Describes an update that reads and fills nothing yet.
    pub fn new(name: impl Into<String>, access: Access) -> Self {
        Self { name: name.into(), access, ..Self::default() }
    }

    /// Adds representations that it requires (`&T`).
    pub fn requires<T: Into<String>>(mut self, representations: impl IntoIterator<Item = T>) -> Self {
        self.requires.extend(representations.into_iter().map(Into::into));
        self
    }

    /// Adds representations of which it uses the previous value (`Previous<T>`).
    pub fn uses<T: Into<String>>(mut self, representations: impl IntoIterator<Item = T>) -> Self {
        self.uses.extend(representations.into_iter().map(Into::into));
        self
    }

    /// Adds representations of which it reads everything since its last run (`Samples<T>`).
    pub fn collects<T: Into<String>>(mut self, representations: impl IntoIterator<Item = T>) -> Self {
        self.collects.extend(representations.into_iter().map(Into::into));
        self
    }

    /// Adds representations that it fills (`&mut T`).
    pub fn provides<T: Into<String>>(mut self, representations: impl IntoIterator<Item = T>) -> Self {
        self.provides.extend(representations.into_iter().map(Into::into));
        self
    }
}

/// A sensor driver, a simulator or a log: it fills representations outside any cycle.
///
/// ```
/// use hemiola_plan::{SampleDescription, SourceDescription};
/// let camera = SourceDescription {
///     name: "camera".into(),
///     samples: vec![SampleDescription { name: "upper".into(), provides: vec!["UpperImage".into()], reads: vec![] }],
/// };
/// assert_eq!(camera.samples[0].provides, ["UpperImage"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceDescription {
    /// The name, which is unique among the sources of a robot.
    pub name: String,
    /// The samples that it delivers, each at its own pace.
    pub samples: Vec<SampleDescription>,
}

/// A kind of sample of a source: values that arrive together, with one time stamp.
///
/// ```
/// use hemiola_plan::SampleDescription;
/// // The body of a simulated robot: sensors out, the newest joint request in.
/// let body = SampleDescription { name: "body".into(), provides: vec!["JointAngles".into()], reads: vec!["JointRequest".into()] };
/// assert_eq!(body.reads, ["JointRequest"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SampleDescription {
    /// The name, which is unique within the source.
    pub name: String,
    /// The representations that every sample fills.
    pub provides: Vec<String>,
    /// The representations of cycles whose newest values the source reads.
    pub reads: Vec<String>,
}
