//! The problems of a robot's description, with messages that state the remedy.

mod messages;

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::circle::Cut;
use crate::party::Party;
use messages::{
    choice_does_not_provide, circular, doubled, list, missing, several_origins, unknown_choice, unknown_trigger,
};

/// The kind of a name that is used twice where it must be unique.
///
/// See [`Problem::Duplicate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Named {
    /// Two cycles of a robot.
    Cycle,
    /// Two sources of a robot.
    Source,
    /// Two modules of a cycle.
    Module,
    /// Two updates of a module.
    Update,
    /// Two samples of a source.
    Sample,
}

impl Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Named::Cycle => "cycles",
            Named::Source => "sources",
            Named::Module => "modules",
            Named::Update => "updates",
            Named::Sample => "samples",
        })
    }
}

/// A reason why a robot cannot run as described. The message states what is wrong, where, why, and
/// what to do.
///
/// ```
/// use hemiola_plan::{Access, CycleDescription, ModuleDescription, RobotDescription, Trigger, UpdateDescription, resolve};
/// let head = ModuleDescription::new("HeadControl").with(UpdateDescription::new("look", Access::Exclusive).requires(["BallPercept"]));
/// let system = RobotDescription {
///     cycles: vec![CycleDescription { name: "motion".into(), modules: vec![head], trigger: Trigger::Rate }],
///     ..RobotDescription::default()
/// };
/// let problems = resolve(&system).unwrap_err();
/// assert!(problems[0].to_string().starts_with("cycle `motion`: nobody provides `BallPercept`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Problem {
    /// A representation is read but nobody provides it.
    #[error("{}", missing(where_, representation, readers, similar, would_provide))]
    Missing {
        /// The cycle or source that reads it, as in "cycle `motion`".
        where_: String,
        /// The representation that is read.
        representation: String,
        /// The readers, each with the form in which it reads (`&T`, `Previous<T>`, `Samples<T>`).
        readers: Vec<Reading>,
        /// A provided representation with a similar name, and its provider.
        similar: Option<(String, Party)>,
        /// Modules that are linked but run in no cycle and would provide it, with their locations.
        would_provide: Vec<(String, Option<String>)>,
    },
    /// Several modules of a cycle provide a representation, and nothing decides which one is its
    /// provider.
    #[error("{}", doubled(cycle, representation, candidates, chosen_elsewhere.as_deref()))]
    Doubled {
        /// The cycle.
        cycle: String,
        /// The representation that is provided twice.
        representation: String,
        /// The updates that could provide it, in the order of the description.
        candidates: Vec<Party>,
        /// The module that `[providers]` chooses, where that one runs only in other cycles.
        chosen_elsewhere: Option<String>,
    },
    /// Two updates of one module provide the same representation.
    #[error(
        "module `{module}` provides `{representation}` twice, in {}.\n  A representation has one provider: \
         let one of them fill something else, or split the module.", list(updates.iter().map(|update| format!("`{update}`")))
    )]
    TwiceInModule {
        /// The module.
        module: String,
        /// The representation that is provided twice.
        representation: String,
        /// The names of the updates.
        updates: Vec<String>,
    },
    /// A value must come from outside, and there are several providers outside.
    #[error("{}", several_origins(where_, representation, readers, origins))]
    SeveralOrigins {
        /// The cycle or source that reads it, as in "cycle `motion`".
        where_: String,
        /// The representation that is read.
        representation: String,
        /// The readers.
        readers: Vec<Reading>,
        /// The parties that provide it.
        origins: Vec<Party>,
    },
    /// Updates wait for each other in a circle.
    #[error("{}", circular(cycle, circle, cut, *tangled))]
    Circular {
        /// The cycle.
        cycle: String,
        /// A shortest circle: each update with what it provides to the next; the last provides to
        /// the first.
        circle: Vec<(Party, Vec<String>)>,
        /// The ways out, cheapest first. Each breaks all circles among these updates.
        cut: Vec<Cut>,
        /// The number of updates that wait for each other in total, in this circle and those that
        /// share updates with it.
        tangled: usize,
    },
    /// An update requires what it provides itself.
    #[error(
        "cycle `{cycle}`: {update} requires `{representation}` and provides it.\n  It would wait for itself. \
         If it refines its last value, read `Previous<{representation}>`; if it refines another module's value, \
         give the result a name of its own."
    )]
    WaitsForItself {
        /// The cycle.
        cycle: String,
        /// The update.
        update: Party,
        /// The representation that it reads and fills.
        representation: String,
    },
    /// An update collects `Samples<T>` of a representation that the same cycle provides.
    #[error(
        "cycle `{cycle}`: {update} collects `Samples<{representation}>`, but {provider} provides it in the same cycle.\n  \
         Within a cycle there is exactly one value per run: use `&{representation}` \
         (or `Previous<{representation}>` for the value of the previous run)."
    )]
    CollectsOwn {
        /// The cycle.
        cycle: String,
        /// The update that collects.
        update: Party,
        /// The representation that it collects.
        representation: String,
        /// The party that provides it.
        provider: Party,
    },
    /// `[providers]` names a module or source that does not exist, or a module that runs nowhere.
    #[error("{}", unknown_choice(representation, chosen, similar.as_deref(), *is_linked, candidates))]
    UnknownChoice {
        /// The key in `[providers]`.
        representation: String,
        /// The value in `[providers]`.
        chosen: String,
        /// A module or source with a similar name.
        similar: Option<String>,
        /// Set if such a module is linked, and merely runs in no cycle.
        is_linked: bool,
        /// The parties that do provide the representation.
        candidates: Vec<Party>,
    },
    /// `[providers]` names a module or source that does not provide the representation.
    #[error("{}", choice_does_not_provide(representation, chosen, provides, similar.as_deref(), candidates))]
    ChoiceDoesNotProvide {
        /// The key in `[providers]`.
        representation: String,
        /// The value in `[providers]`.
        chosen: String,
        /// The representations that the chosen one does provide.
        provides: Vec<String>,
        /// The representation that was perhaps meant.
        similar: Option<String>,
        /// The parties that do provide the representation.
        candidates: Vec<Party>,
    },
    /// A cycle's trigger names a source or sample that does not exist.
    #[error("{}", unknown_trigger(cycle, source_name, sample, similar.as_deref(), known))]
    UnknownTrigger {
        /// The cycle.
        cycle: String,
        /// The source that it names.
        source_name: String,
        /// The sample that it names.
        sample: String,
        /// The `source.sample` that was perhaps meant.
        similar: Option<String>,
        /// Every `source.sample` that exists.
        known: Vec<String>,
    },
    /// A name is used twice where it must be unique.
    #[error("{place}: two {what} are named `{name}`.\n  Names have to be unique there: rename or remove one of them.")]
    Duplicate {
        /// The kind of thing that has the name.
        what: Named,
        /// The name.
        name: String,
        /// The place of the name, as in "cycle `motion`".
        place: String,
    },
}

impl Problem {
    /// Returns the key of the configuration that the problem involves, such as
    /// `providers.BallPercept`.
    pub fn key(&self) -> Option<String> {
        match self {
            Problem::UnknownChoice { representation, .. }
            | Problem::ChoiceDoesNotProvide { representation, .. }
            | Problem::Doubled { representation, chosen_elsewhere: Some(_), .. } => {
                Some(format!("providers.{representation}"))
            }
            Problem::UnknownTrigger { cycle, .. } => Some(format!("cycle.{cycle}.trigger")),
            _ => None,
        }
    }
}

/// A reader of a representation and the form in which it reads.
///
/// See [`Problem`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The party that reads.
    pub reader: Party,
    /// The form in which it reads.
    pub form: Form,
}

impl Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} it", self.reader, self.form)
    }
}

/// The form in which a representation is read.
///
/// See [`Reading`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `&T`: an update reads the value of this run.
    Requires,
    /// `Previous<T>`: an update reads the value of the previous run.
    Uses,
    /// `Samples<T>`: an update reads everything since its last run.
    Collects,
    /// A source reads the newest value.
    Reads,
}

impl Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Requires => "requires",
            Form::Uses => "uses",
            Form::Collects => "collects",
            Form::Reads => "reads",
        })
    }
}

/// A finding that does not prevent a robot from running, but should be checked.
///
/// ```
/// use hemiola_plan::Warning;
/// let warning = Warning::NeedlessChoice { representation: "BallPercept".into(), chosen: "BallFinder".into() };
/// assert!(warning.to_string().contains("no other"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// A representation is provided but read nowhere.
    Unused {
        /// The cycle.
        cycle: String,
        /// The party that provides it.
        provider: Party,
        /// The representation that nobody reads.
        representation: String,
    },
    /// `[providers]` chooses where there is no choice.
    NeedlessChoice {
        /// The key in `[providers]`.
        representation: String,
        /// The value in `[providers]`.
        chosen: String,
    },
}

impl Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Unused { cycle, provider, representation } => {
                write!(f, "cycle `{cycle}`: {provider} provides `{representation}`, which no module or source reads.")
            }
            Warning::NeedlessChoice { representation, chosen } => write!(
                f,
                "robot.toml: `{representation} = \"{chosen}\"` in [providers] is unnecessary: there is no other provider. Remove the line."
            ),
        }
    }
}
