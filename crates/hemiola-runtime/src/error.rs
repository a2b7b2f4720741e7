use std::time::Duration;

use thiserror::Error;

/// What can go wrong when a robot is built, started or changed.
///
/// ```
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// use hemiola_runtime::Robot;
///
/// let mut configuration = Configuration::default();
/// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Source("Imu".into())));
/// let error = Robot::assemble(configuration).err().expect("no source is linked");
/// assert!(error.to_string().starts_with("cycle `motion` is triggered by `Imu`, and there is no source of that name"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// More workers than a cycle can have.
    #[error("a cycle has at most {maximum} workers; set `workers` in robot.toml to fewer")]
    TooManyWorkers {
        /// The most that there can be.
        maximum: usize,
    },
    /// A cycle with more independent pieces than the executor can hold.
    #[error("cycle `{cycle}` has {units} units of work, and the executor holds {maximum}: split it into two cycles")]
    TooManyUnits {
        /// The cycle.
        cycle: String,
        /// The number of units of its plan.
        units: usize,
        /// The most that there can be.
        maximum: usize,
    },
    /// The modules do not fit together.
    #[error("the modules do not fit together:\n{}", list(problems))]
    Unresolved {
        /// All that is wrong.
        problems: Vec<hemiola_plan::Problem>,
    },
    /// Parameters that a module does not take.
    #[error("parameters of `{name}`:\n{}", list(errors))]
    Parameters {
        /// The module or source.
        name: String,
        /// All that is wrong.
        errors: Vec<hemiola_model::ParametersError>,
    },
    /// A module or source that panics while it is made.
    #[error(
        "`{name}` ({location}) cannot be made with {}: it {reason}; mend what makes it, or its parameters", parameters_at(place.as_deref())
    )]
    Constructor {
        /// The module or source.
        name: String,
        /// File and line where it is declared.
        location: String,
        /// File, line and column of its table in `robot.toml`, if it has one.
        place: Option<String>,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// A representation whose default value panics while it is made.
    #[error(
        "the default value of `{name}` cannot be made: it {reason}; mend its `Default`, or take who provides and reads it out of the cycles of robot.toml"
    )]
    DefaultValue {
        /// The representation.
        name: String,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// Updates or sample methods that cannot be called.
    #[error("the robot cannot be put together:\n{}", list(refusals))]
    Refused {
        /// All of them, with the reasons.
        refusals: Vec<hemiola_model::module::Refusal>,
    },
    /// A cycle or source that shall run never, backwards, or more often than time has moments.
    #[error("`{name}` cannot run {rate} times a second; give it a rate above zero, such as 50.0")]
    Rate {
        /// The cycle or source.
        name: String,
        /// The rate.
        rate: f64,
    },
    /// A cycle that nothing triggers.
    #[error(
        "cycle `{cycle}` is triggered by `{source_name}`, and there is no source of that name; linked are: {}",
        or_none(known)
    )]
    NoSuchSource {
        /// The cycle.
        cycle: String,
        /// The source it names.
        source_name: String,
        /// The sources that there are.
        known: Vec<String>,
    },
    /// A cycle that is to run on messages which nobody sends.
    #[error(
        "cycle `{cycle}` is triggered by the topic `{topic}`, and no module uses it; topics are: {}",
        or_none(known)
    )]
    NoSuchTopic {
        /// The cycle.
        cycle: String,
        /// The topic it names.
        topic: String,
        /// The topics that there are.
        known: Vec<String>,
    },
    /// A cycle without modules.
    #[error(
        "no module matches `{pattern}` of cycle `{cycle}`: give a module's name or the Rust path that contains it, such as `my_robot::motion`; a crate of which nothing else is used needs `use my_robot as _;` to be part of the program"
    )]
    NoSuchModule {
        /// The cycle.
        cycle: String,
        /// What matches nothing.
        pattern: String,
    },
    /// Two types of the same name.
    #[error("two different types are called `{name}`; representations are known by their name, so rename one of them")]
    SameName {
        /// The name.
        name: String,
    },
    /// A representation that comes from another program, and that somebody in this robot provides.
    #[error(
        "`{representation}` comes from {received} and from {provider}: take it out of `receive` of the link, or `subscribe` of `[ros2]`, or say which of them counts, by \
         its name: `{representation} = \"..\"` in `[providers]`"
    )]
    ReceivedAndProvided {
        /// The representation.
        representation: String,
        /// The source that the link or the node is, and where robot.toml says so.
        received: String,
        /// The provider in this robot, with its location.
        provider: String,
    },
    /// A robot that cannot be cut into the processes of `robot.toml`.
    #[error("the robot cannot be cut into the processes {}: {what}; {remedy}", processes.join(", "))]
    Cut {
        /// The processes.
        processes: Vec<String>,
        /// The reason.
        what: String,
        /// The change that would help.
        remedy: &'static str,
    },
    /// Something asked for by name does not exist.
    #[error("there is no {kind} `{name}`; known are: {}", or_none(known))]
    Unknown {
        /// What was looked for.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A value does not fit a representation.
    #[error("`{name}` cannot take this value: {error}")]
    Value {
        /// The representation.
        name: String,
        /// What is wrong.
        error: hemiola_model::data::ReadError,
    },
    /// A representation that cannot leave the process.
    #[error("`{name}` is opaque: it has no form outside of the process")]
    Opaque {
        /// The representation.
        name: String,
    },
    /// An update cannot join a topic or find a service.
    #[error("`{owner}` cannot be connected to `{name}`: {reason}")]
    Port {
        /// The update, with its module or source.
        owner: String,
        /// The topic or service.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A recording of another robot, or of another version of it.
    #[error("the runs of this recording cannot be repeated: {reason}")]
    OtherRobot {
        /// The difference.
        reason: String,
    },
    /// Values of a recording have no place in a robot on its own threads.
    #[error(
        "values of a recording come into the runs of a robot that is stepped: use `into_player` or `into_stepper`, not `prepare` or `start`"
    )]
    TakenWhileLive,
    /// A change that needs what was not foreseen when the robot started.
    #[error("{what} needs the robot to start again: {why}")]
    NeedsRestart {
        /// The change.
        what: String,
        /// The reason.
        why: String,
    },
    /// Code of a module or a representation panicked over a change.
    #[error("not changed: a constructor, a default or a check that the change needs panicked: {reason}")]
    ChangePanicked {
        /// The message of the panic, and its place.
        reason: String,
    },
    /// What a change would exchange was in use before each of a cycle's next runs.
    #[error("not changed: {what}, because {why}; try again")]
    InUse {
        /// The change.
        what: String,
        /// The user of it.
        why: String,
    },
    /// A cycle has not taken up a command.
    #[error(
        "cycle `{cycle}` does not answer: it is not being triggered, or hangs; the change will be made when it runs again"
    )]
    CycleDoesNotAnswer {
        /// The cycle.
        cycle: String,
    },
    /// The robot stopped before a cycle took up a command.
    #[error(
        "cycle `{cycle}` runs no more, because the robot has stopped: what it was asked for may not have been done"
    )]
    CycleHasStopped {
        /// The cycle.
        cycle: String,
    },
    /// Names, traces or statistics failed.
    #[error(transparent)]
    Trace(#[from] hemiola_trace::Error),
    /// The destructor of a module or source panicked.
    #[error(
        "{name} ({location}) cannot be dropped: it {reason}; mend its `Drop`, or take it out of the cycles of robot.toml"
    )]
    Destructor {
        /// The module or source.
        name: String,
        /// File and line where it is declared.
        location: String,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// A module could not be made safe.
    #[error("{module} ({location}) could not be made safe: its `#[safe_state]` method {reason}")]
    NotSafe {
        /// The module.
        module: String,
        /// File and line where it is declared.
        location: String,
        /// The message and place of the failure, or that the method does not return.
        reason: String,
    },
    /// A source has ended before its first sample.
    #[error("source {name} has ended without a single sample: is its input there, and does it hold anything?")]
    NoSample {
        /// The name of the source.
        name: String,
    },
    /// A module could not be made safe before the robot ended.
    #[error(
        "{module} could not be made safe within {} ms of the robot's end: one of its updates, or its `#[safe_state]` method, does not \
         return; whatever it moves may move on",
        within.as_millis()
    )]
    Unreached {
        /// The module.
        module: String,
        /// `[safe_state] within` of robot.toml.
        within: Duration,
    },
    /// A thread of the robot ended without being asked to.
    #[error("thread `{thread}` ended though the robot was to go on: it {reason}; the robot entered its safe state")]
    ThreadEnded {
        /// The name of the thread.
        thread: String,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// A mistake in Hemiola itself.
    #[error("a mistake in Hemiola, please report it: {what}")]
    Internal {
        /// The thing that should not be.
        what: String,
    },
    /// The operating system refused.
    #[error(transparent)]
    Realtime(#[from] hemiola_realtime::RealtimeError),
}

impl RuntimeError {
    pub(crate) fn internal(what: &str) -> Self {
        Self::Internal { what: what.to_owned() }
    }
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Returns the place of the parameters that a module or source was made with.
fn parameters_at(place: Option<&str>) -> String {
    place.map_or_else(
        || "the defaults of its parameters, as robot.toml has no table for it".to_owned(),
        |place| format!("the parameters at {place}"),
    )
}

fn or_none(known: &[String]) -> String {
    if known.is_empty() { "none".into() } else { known.join(", ") }
}
