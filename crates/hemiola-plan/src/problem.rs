//! What can be wrong with a robot's description, in words that help at two in the morning.

use std::fmt::{self, Display, Write};

use serde::{Deserialize, Serialize};

use crate::circle::Cut;

/// One who provides or reads a representation, as a person would look for it.
///
/// ```
/// use hemiola_plan::Party;
/// let party = Party::Update {
///     cycle: "cognition".into(), module: "BallFinder".into(), update: "ball_percept".into(), location: Some("src/ball.rs:7".into()),
/// };
/// assert_eq!(party.to_string(), "`BallFinder.ball_percept` (src/ball.rs:7)");
/// assert_eq!(party.choice(), "BallFinder");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Party {
    /// An update of a module in a cycle.
    Update {
        /// The cycle in which it runs.
        cycle: String,
        /// Its module.
        module: String,
        /// Its name within the module.
        update: String,
        /// Where the module is declared.
        location: Option<String>,
    },
    /// A sample of a source.
    Sample {
        /// The source.
        source: String,
        /// The name of the sample.
        sample: String,
    },
}

impl Party {
    /// The name by which `[providers]` chooses it: its module or its source.
    pub fn choice(&self) -> &str {
        match self {
            Party::Update { module, .. } => module,
            Party::Sample { source, .. } => source,
        }
    }

    fn place(&self) -> String {
        match self {
            Party::Update { cycle, .. } => format!("{self} in cycle `{cycle}`"),
            Party::Sample { .. } => self.to_string(),
        }
    }
}

impl Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Update { module, update, location: Some(location), .. } => {
                write!(f, "`{module}.{update}` ({location})")
            }
            Party::Update { module, update, location: None, .. } => write!(f, "`{module}.{update}`"),
            Party::Sample { source, sample } => write!(f, "sample `{sample}` of source `{source}`"),
        }
    }
}

/// A name that is used twice where it has to be unique.
///
/// ```
/// use hemiola_plan::Named;
/// assert_eq!(Named::Cycle.to_string(), "cycles");
/// ```
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

/// A reason why a robot cannot run as described. The message says what, where, why, and what to do.
///
/// ```
/// use hemiola_plan::{Access, CycleDescription, ModuleDescription, System, Trigger, UpdateDescription, resolve};
/// let head = ModuleDescription::new("HeadControl").with(UpdateDescription::new("look", Access::Exclusive).requires(["BallPercept"]));
/// let system = System {
///     cycles: vec![CycleDescription { name: "motion".into(), modules: vec![head], trigger: Trigger::Rate }],
///     ..System::default()
/// };
/// let problems = resolve(&system).unwrap_err();
/// assert!(problems[0].to_string().starts_with("cycle `motion`: nobody provides `BallPercept`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Problem {
    /// A representation is read and nobody provides it.
    #[error("{}", missing(where_, representation, readers, similar, would_provide))]
    Missing {
        /// The cycle or source that reads it, as in "cycle `motion`".
        where_: String,
        /// What is read.
        representation: String,
        /// Who reads it, and in which form (`&T`, `Previous<T>`, `Samples<T>`).
        readers: Vec<Reading>,
        /// A provided representation with a similar name, and who provides it.
        similar: Option<(String, Party)>,
        /// Modules that are linked but run in no cycle and would provide it, with their locations.
        would_provide: Vec<(String, Option<String>)>,
    },
    /// Several modules of a cycle provide a representation and nothing says which one shall.
    #[error("{}", doubled(cycle, representation, candidates, chosen_elsewhere.as_deref()))]
    Doubled {
        /// The cycle.
        cycle: String,
        /// What is provided twice.
        representation: String,
        /// Who could provide it, in the order of the description.
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
        /// What is provided twice.
        representation: String,
        /// The names of the updates.
        updates: Vec<String>,
    },
    /// A value has to come from outside, and there are several outsiders that provide it.
    #[error("{}", several_origins(where_, representation, readers, origins))]
    SeveralOrigins {
        /// The cycle or source that reads it, as in "cycle `motion`".
        where_: String,
        /// What is read.
        representation: String,
        /// Who reads it.
        readers: Vec<Reading>,
        /// Who provides it.
        origins: Vec<Party>,
    },
    /// Updates wait for each other.
    #[error("{}", circular(cycle, circle, cut, *tangled))]
    Circular {
        /// The cycle.
        cycle: String,
        /// A shortest circle: each update with what it provides to the next; the last provides to the first.
        circle: Vec<(Party, Vec<String>)>,
        /// The ways out, cheapest first. Each breaks all circles among these updates.
        cut: Vec<Cut>,
        /// How many updates wait for each other in total, in this circle and those that share updates with it.
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
        /// What it reads and fills.
        representation: String,
    },
    /// `Samples<T>` of something that the same cycle provides.
    #[error(
        "cycle `{cycle}`: {update} collects `Samples<{representation}>`, but {provider} provides it in the same cycle.\n  \
         Within a cycle there is exactly one value per run: take `&{representation}` \
         (or `Previous<{representation}>` for the value of the previous run)."
    )]
    CollectsOwn {
        /// The cycle.
        cycle: String,
        /// Who collects.
        update: Party,
        /// What.
        representation: String,
        /// Who provides it.
        provider: Party,
    },
    /// `[providers]` names a module or source that does not exist here.
    #[error("{}", unknown_choice(representation, chosen, similar.as_deref(), candidates))]
    UnknownChoice {
        /// The key in `[providers]`.
        representation: String,
        /// The value in `[providers]`.
        chosen: String,
        /// A module or source with a similar name.
        similar: Option<String>,
        /// Who does provide the representation.
        candidates: Vec<Party>,
    },
    /// `[providers]` names a module or source that does not provide the representation.
    #[error("{}", choice_does_not_provide(representation, chosen, provides, similar.as_deref(), candidates))]
    ChoiceDoesNotProvide {
        /// The key in `[providers]`.
        representation: String,
        /// The value in `[providers]`.
        chosen: String,
        /// What the chosen one does provide.
        provides: Vec<String>,
        /// The representation that was perhaps meant.
        similar: Option<String>,
        /// Who does provide the representation.
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
    /// A name is used twice.
    #[error("{place}: two {what} are called `{name}`.\n  Names have to be unique there: rename or remove one of them.")]
    Duplicate {
        /// What has the name.
        what: Named,
        /// The name.
        name: String,
        /// Where, as in "cycle `motion`".
        place: String,
    },
}

/// One reader of a representation and the form in which it reads.
///
/// ```
/// use hemiola_plan::{Form, Party, Reading};
/// let reading = Reading { reader: Party::Sample { source: "body".into(), sample: "joints".into() }, form: Form::Reads };
/// assert_eq!(reading.to_string(), "sample `joints` of source `body` reads it");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Who reads.
    pub reader: Party,
    /// How.
    pub form: Form,
}

impl Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} it", self.reader, self.form)
    }
}

/// The form in which a representation is read.
///
/// ```
/// use hemiola_plan::Form;
/// assert_eq!(Form::Uses.to_string(), "uses");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `&T`.
    Requires,
    /// `Previous<T>`.
    Uses,
    /// `Samples<T>`.
    Collects,
    /// A source takes the newest value.
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

/// Something that works, and yet deserves a look.
///
/// ```
/// use hemiola_plan::Warning;
/// let warning = Warning::NeedlessChoice { representation: "BallPercept".into(), chosen: "BallFinder".into() };
/// assert!(warning.to_string().contains("no other"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// A representation is provided and read nowhere.
    Unused {
        /// The cycle.
        cycle: String,
        /// Who provides it.
        provider: Party,
        /// What nobody reads.
        representation: String,
    },
    /// `[providers]` settles what needs no settling.
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
                write!(
                    f,
                    "cycle `{cycle}`: {provider} provides `{representation}`, which no module and no source reads."
                )
            }
            Warning::NeedlessChoice { representation, chosen } => write!(
                f,
                "robot.toml: `{representation} = \"{chosen}\"` in [providers] is needless: no other provider competes. Remove the line."
            ),
        }
    }
}

fn missing(
    where_: &str,
    representation: &str,
    readers: &[Reading],
    similar: &Option<(String, Party)>,
    would_provide: &[(String, Option<String>)],
) -> String {
    let mut text = format!("{where_}: nobody provides `{representation}`; {}.", list(readers));
    if let Some((name, provider)) = similar {
        let _ = write!(text, "\n  Did you mean `{name}`, which {} provides?", provider.place());
    }
    for (module, location) in would_provide {
        let location = location.as_ref().map(|location| format!(" ({location})")).unwrap_or_default();
        let _ = write!(text, "\n  Module `{module}`{location} would provide it, but runs in no cycle: add it to one.");
    }
    if similar.is_none() && would_provide.is_empty() {
        text += "\n  Add a module or a source that provides it, or remove its readers.";
    }
    text
}

fn doubled(cycle: &str, representation: &str, candidates: &[Party], chosen_elsewhere: Option<&str>) -> String {
    let mut text =
        format!("cycle `{cycle}`: `{representation}` has {} providers: {}.", candidates.len(), list(candidates));
    if let Some(chosen) = chosen_elsewhere {
        let _ = write!(
            text,
            "\n  [providers] chooses `{chosen}`, which does not run in this cycle: leave all but one out of it."
        );
    } else {
        text += &settle(representation, candidates);
    }
    text
}

fn several_origins(where_: &str, representation: &str, readers: &[Reading], origins: &[Party]) -> String {
    let mut text = format!(
        "{where_}: `{representation}` has to come from outside ({}), and {} provide it: {}.",
        list(readers),
        origins.len(),
        list(origins.iter().map(Party::place))
    );
    let distinct =
        origins.iter().all(|origin| origins.iter().filter(|other| other.choice() == origin.choice()).count() == 1);
    if distinct {
        text += &settle(representation, origins);
    } else {
        text += "\n  They have the same name, so [providers] cannot tell them apart: let one of them provide it under another name.";
    }
    text
}

/// The exact lines that settle who provides `representation`, with the first candidate as the example.
fn settle(representation: &str, candidates: &[Party]) -> String {
    let mut text = format!(
        "\n  Choose one in robot.toml:\n    [providers]\n    {representation} = \"{}\"",
        candidates[0].choice()
    );
    let others: Vec<_> = candidates[1..].iter().map(|other| format!("\"{}\"", other.choice())).collect();
    let _ = write!(text, "   # or {}", others.join(" or "));
    text
}

fn circular(cycle: &str, circle: &[(Party, Vec<String>)], cuts: &[Cut], tangled: usize) -> String {
    let short = |party: &Party| match party {
        Party::Update { module, update, .. } => format!("{module}.{update}"),
        Party::Sample { source, sample } => format!("{source}.{sample}"),
    };
    let mut text = format!("cycle `{cycle}`: updates wait for each other in a circle:\n    ");
    for (party, through) in circle {
        let _ = write!(text, "{} -({})-> ", short(party), through.join(", "));
    }
    text += &short(&circle[0].0);
    if tangled > circle.len() {
        let _ = write!(text, "\n  It is the shortest of several circles; {tangled} updates are caught in them.");
    }
    text += "\n  One of them has to be content with the value of the previous run. To cut ";
    text += if tangled > circle.len() { "all circles at once:" } else { "the circle:" };
    for (number, cut) in cuts.iter().enumerate() {
        let _ = write!(text, "\n    {} {cut}", if number == 0 { "-" } else { "- or" });
    }
    text
}

fn unknown_choice(representation: &str, chosen: &str, similar: Option<&str>, candidates: &[Party]) -> String {
    let mut text = format!(
        "robot.toml: [providers] says `{representation} = \"{chosen}\"`, but no cycle runs a module `{chosen}` \
         and no source is called so."
    );
    if let Some(similar) = similar {
        let _ = write!(text, "\n  Did you mean `{similar}`?");
    }
    text += &provided_by(representation, candidates);
    text
}

fn choice_does_not_provide(
    representation: &str,
    chosen: &str,
    provides: &[String],
    similar: Option<&str>,
    candidates: &[Party],
) -> String {
    let what = if provides.is_empty() {
        "nothing at all".to_string()
    } else {
        list(provides.iter().map(|name| format!("`{name}`")))
    };
    let mut text = format!(
        "robot.toml: [providers] says `{representation} = \"{chosen}\"`, but `{chosen}` does not provide it; it provides {what}."
    );
    if let Some(similar) = similar {
        let _ = write!(text, "\n  Did you mean the representation `{similar}`?");
    }
    text += &provided_by(representation, candidates);
    text
}

fn provided_by(representation: &str, candidates: &[Party]) -> String {
    if candidates.is_empty() {
        format!("\n  Nobody provides `{representation}`.")
    } else {
        format!("\n  `{representation}` is provided by {}.", list(candidates.iter().map(Party::place)))
    }
}

fn unknown_trigger(cycle: &str, source: &str, sample: &str, similar: Option<&str>, known: &[String]) -> String {
    let mut text = format!("cycle `{cycle}` is triggered by `{source}.{sample}`, which no source delivers.");
    if let Some(similar) = similar {
        let _ = write!(text, "\n  Did you mean `{similar}`?");
    }
    if known.is_empty() {
        text += "\n  This robot has no sources: give the cycle a rate, or link a source.";
    } else {
        let _ = write!(text, "\n  Known samples: {}.", list(known.iter().map(|name| format!("`{name}`"))));
    }
    text
}

/// "a", "a and b", "a, b and c"; beyond six the rest is counted.
fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    const SHOWN: usize = 6;
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.len() > SHOWN + 1 {
        let rest = items.len() - SHOWN;
        items.truncate(SHOWN);
        items.push(format!("{rest} more"));
    }
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
