use std::time::Duration;

use thiserror::Error;

/// An error in building, starting or changing a robot.
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
    /// A cycle has more workers than it can have.
    #[error("a cycle has at most {maximum} workers; set `workers` in robot.toml to fewer")]
    TooManyWorkers {
        /// The maximum number of workers.
        maximum: usize,
    },
    /// A cycle has more independent pieces of work than the executor can hold.
    #[error("cycle `{cycle}` has {units} units of work, and the executor holds {maximum}: split it into two cycles")]
    TooManyUnits {
        /// The cycle.
        cycle: String,
        /// The number of units of its plan.
        units: usize,
        /// The maximum number of units.
        maximum: usize,
    },
    /// The modules do not fit together.
    #[error("the modules do not fit together:\n{}", list(problems))]
    Unresolved {
        /// All problems.
        problems: Vec<hemiola_plan::Problem>,
    },
    /// A module does not accept its parameters.
    #[error("parameters of `{name}`:\n{}", list(errors))]
    Parameters {
        /// The module or source.
        name: String,
        /// All problems.
        errors: Vec<hemiola_model::ParametersError>,
    },
    /// A module or source panics while it is created.
    #[error(
        "`{name}` ({location}) cannot be made with {}: it {reason}; fix its constructor or its parameters", parameters_at(place.as_deref())
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
    /// The default value of a representation panics while it is created.
    #[error(
        "the default value of `{name}` cannot be made: it {reason}; fix its `Default`, or remove what provides and reads it from the cycles of robot.toml"
    )]
    DefaultValue {
        /// The representation.
        name: String,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// There are updates or sample methods that cannot be called.
    #[error("the robot cannot be assembled:\n{}", list(refusals))]
    Refused {
        /// All of them, with the reasons.
        refusals: Vec<hemiola_model::module::Refusal>,
    },
    /// A cycle or source is to run never, backwards, or more often than time can resolve.
    #[error("`{name}` cannot run {rate} times a second; give it a rate above zero, such as 50.0")]
    Rate {
        /// The cycle or source.
        name: String,
        /// The rate.
        rate: f64,
    },
    /// A cycle is triggered by a source that does not exist.
    #[error(
        "cycle `{cycle}` is triggered by `{source_name}`, and there is no source of that name; linked are: {}",
        or_none(known)
    )]
    NoSuchSource {
        /// The cycle.
        cycle: String,
        /// The source that it names.
        source_name: String,
        /// The existing sources.
        known: Vec<String>,
    },
    /// A cycle is triggered by a topic to which nobody publishes.
    #[error(
        "cycle `{cycle}` is triggered by the topic `{topic}`, and no module uses it; topics are: {}",
        or_none(known)
    )]
    NoSuchTopic {
        /// The cycle.
        cycle: String,
        /// The topic that it names.
        topic: String,
        /// The existing topics.
        known: Vec<String>,
    },
    /// A pattern of a cycle's modules matches none.
    #[error(
        "no module matches `{pattern}` of cycle `{cycle}`: give a module's name or the Rust path that contains it, such as `my_robot::motion`; a crate of which nothing else is used needs `use my_robot as _;` to be part of the program"
    )]
    NoSuchModule {
        /// The cycle.
        cycle: String,
        /// The pattern that matches nothing.
        pattern: String,
    },
    /// Two types have the same name.
    #[error("two different types are called `{name}`; representations are known by their name, so rename one of them")]
    SameName {
        /// The name.
        name: String,
    },
    /// A representation is received from another program, and also provided by this robot.
    #[error(
        "`{representation}` comes from {received} and from {provider}: remove it from `receive` of the link, or `subscribe` of `[ros2]`, or choose one of them by \
         its name: `{representation} = \"..\"` in `[providers]`"
    )]
    ReceivedAndProvided {
        /// The representation.
        representation: String,
        /// The source for the link or the node, and its place in robot.toml.
        received: String,
        /// The provider in this robot, with its location.
        provider: String,
    },
    /// The robot cannot be cut into the processes of `robot.toml`.
    #[error("the robot cannot be cut into the processes {}: {what}; {remedy}", processes.join(", "))]
    Cut {
        /// The processes.
        processes: Vec<String>,
        /// The reason.
        what: String,
        /// The change that would help.
        remedy: &'static str,
    },
    /// The requested name does not exist.
    #[error("there is no {kind} `{name}`; known are: {}", or_none(known))]
    Unknown {
        /// The kind of what was requested.
        kind: &'static str,
        /// The requested name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A value does not fit a representation.
    #[error("`{name}` cannot take this value: {error}")]
    Value {
        /// The representation.
        name: String,
        /// The reason.
        error: hemiola_model::data::ReadError,
    },
    /// A representation cannot leave the process.
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
    /// A recording is of another robot, or of another version of it.
    #[error("the runs of this recording cannot be repeated: {reason}")]
    OtherRobot {
        /// The difference.
        reason: String,
    },
    /// A robot on its own threads cannot follow values of a recording.
    #[error(
        "values of a recording come into the runs of a robot that is stepped: use `into_player` or `into_stepper`, not `prepare` or `start`"
    )]
    TakenWhileLive,
    /// A change needs something that was not foreseen when the robot started.
    #[error("{what} requires a restart of the robot: {why}")]
    NeedsRestart {
        /// The change.
        what: String,
        /// The reason.
        why: String,
    },
    /// Code of a module or a representation panicked during a change.
    #[error("not changed: a constructor, a default or a check that the change needs panicked: {reason}")]
    ChangePanicked {
        /// The message of the panic, and its place.
        reason: String,
    },
    /// A change was not made, because what it would exchange was in use before each of a cycle's
    /// next runs.
    #[error("not changed: {what}, because {why}; try again")]
    InUse {
        /// The change.
        what: String,
        /// The user of it.
        why: String,
    },
    /// A cycle has not executed a command.
    #[error(
        "cycle `{cycle}` does not answer: it is not being triggered, or hangs; the change will be made when it runs again"
    )]
    CycleDoesNotAnswer {
        /// The cycle.
        cycle: String,
    },
    /// The robot stopped before a cycle executed a command.
    #[error(
        "cycle `{cycle}` no longer runs, because the robot has stopped: the requested change may not have been applied"
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
        "{name} ({location}) cannot be dropped: it {reason}; fix its `Drop`, or remove it from the cycles of robot.toml"
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
    #[error("source {name} has ended without a single sample: is its input there, and not empty?")]
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
    /// A thread of the robot ended unexpectedly.
    #[error("thread `{thread}` ended unexpectedly: it {reason}; the robot entered its safe state")]
    ThreadEnded {
        /// The name of the thread.
        thread: String,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// A mistake in Hemiola itself.
    #[error("a mistake in Hemiola, please report it: {what}")]
    Internal {
        /// The unexpected condition.
        what: String,
    },
    /// The operating system refused a request.
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

/// Describes the parameters with which a module or source was created.
fn parameters_at(place: Option<&str>) -> String {
    place.map_or_else(
        || "the defaults of its parameters, because robot.toml has no table for it".to_owned(),
        |place| format!("the parameters at {place}"),
    )
}

fn or_none(known: &[String]) -> String {
    if known.is_empty() { "none".into() } else { known.join(", ") }
}
