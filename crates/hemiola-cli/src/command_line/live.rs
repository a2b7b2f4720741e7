//! What can be typed to look at a running robot, and to change it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::time::parse_duration;

#[derive(Subcommand, Debug)]
pub enum LiveCommand {
    /// List the robots that run on this host
    Ps(PsArguments),
    /// Open a log in the live page, with a time line to play it by
    #[command(after_help = "Examples:
  view game.mcap                      prints the page's address; ends by Ctrl-C
  view logs/ --page 9000              the log of a folder, at a port of your choice

A log of several files is opened by its first one. Logs of other programs (MCAP with CDR, as ROS 2 writes it) can be seen as well.")]
    View(ViewArguments),
    /// Watch a running robot: cycles, tasks, chains, topics, sources, links, messages; the whole
    /// terminal
    Top(OutputArguments),
    /// Show values of a running robot
    #[command(after_help = "Examples:
  show Ball                           as it stands in robot.toml
  show Ball.position[0] Pose          parts, and several
  show Ball --watch                   again and again
  show Ball --watch --json | jq .value.position")]
    Show(ShowArguments),
    /// Draw numbers of a running robot over time
    #[command(after_help = "Examples:
  plot Ball.position.x Ball.position.y
  plot timing:motion.response timing:Walk.joints
                                      how long runs of a cycle and executions of an update take, in seconds
  plot topic:goals.count --for 10s --json > goals.jsonl")]
    Plot(PlotFieldsArguments),
    /// Look at topics of a running robot, and publish
    #[command(after_help = "Examples:
  topic list
  topic hz whistle                    how regularly messages come
  topic echo whistle --count 3
  topic pub goals '{ team = 1 }' --rate 2")]
    Topic(TopicArguments),
    /// Call services of a running robot
    #[command(after_help = "Examples:
  service list
  service call save_map '{ name = \"final\" }'")]
    Service(ServiceArguments),
    /// Look at the links of a running robot to other programs
    #[command(after_help = "Example:
  link list                           who is there, what was sent, received and lost, and the last problem")]
    Link(LinkArguments),
    /// Say who provides what on a running robot, and let somebody else do so
    #[command(after_help = "Examples:
  providers list
  providers switch Ball BallFilter")]
    Providers(ProvidersArguments),
    /// Let a representation show a value, whatever its provider says
    #[command(after_help = "Example:
  override Ball '{ seen = true, position = [1.0, 0.5] }'
                                      until `release Ball`; fields that are left out stay as they are now")]
    Override(OverrideArguments),
    /// End an `override`
    Release(ReleaseArguments),
    /// Run a cycle on another number of workers
    #[command(after_help = "Examples:
  workers cognition 2
  workers cognition auto              as many as its plan says")]
    Workers(WorkersArguments),
    /// Write down what runs where and when, for Perfetto
    #[command(after_help = "Examples:
  trace start late.pftrace
  trace stop")]
    Trace(TraceArguments),
    /// Record a running robot
    #[command(after_help = "Examples:
  record start game.mcap
  record mark \"the ball was lost\"     an annotation in the log
  record stop")]
    Record(RecordArguments),
    /// Stop what moves, or let it move again
    SafeState(SafeStateArguments),
    /// Show all values of all cycles at one moment
    #[command(after_help = "Examples:
  snapshot --output now.toml
  snapshot --json | jq .cycles.cognition.Ball")]
    Snapshot(SnapshotArguments),
    /// End a running robot, as Ctrl-C would
    Stop(OutputArguments),
}

/// Which robot.
#[derive(Args, Clone, Debug, Default)]
pub struct RobotArguments {
    /// Of several that run here: its name, or the number of its process; nao-vision: one process of
    /// the robot
    #[arg(long, value_name = "NAME", conflicts_with = "at")]
    pub robot: Option<String>,
    /// The process that is meant, of a robot that is cut into several
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
    /// One on another host, or the address that a robot has printed
    #[arg(long, value_name = "HOST:PORT")]
    pub at: Option<String>,
    /// What the robot at that host has printed; without it one may only look
    #[arg(long, value_name = "TOKEN", requires = "at")]
    pub token: Option<String>,
}

/// Which robot, and for whom.
#[derive(Args, Clone, Debug, Default)]
pub struct OutputArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct PsArguments {
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ShowArguments {
    /// A representation, or a part: Ball.position.x, Path.points[3]
    #[arg(value_name = "VALUE", required = true)]
    pub values: Vec<String>,
    /// Show it again and again, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// At most so many times a second
    #[arg(long, value_name = "HZ", default_value_t = 10.0, requires = "watch", value_parser = parse_rate)]
    pub rate: f64,
    /// No more than so many times
    #[arg(long, value_name = "COUNT", requires = "watch")]
    pub count: Option<u64>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct PlotFieldsArguments {
    /// A number: of a representation (Ball.position.x), a topic (topic:goals.count), the timing
    /// (timing:motion.response)
    #[arg(value_name = "FIELD", required = true)]
    pub fields: Vec<String>,
    /// End after so long
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct TopicArguments {
    #[command(subcommand)]
    pub command: TopicCommand,
}

#[derive(Subcommand, Debug)]
pub enum TopicCommand {
    /// List them, with how much was sent and lost
    List(OutputArguments),
    /// Tell how regularly messages come
    Hz(TopicHzArguments),
    /// Print messages as they come
    Echo(TopicEchoArguments),
    /// Publish a message
    Pub(TopicPubArguments),
}

#[derive(Args, Debug)]
pub struct TopicHzArguments {
    /// The topic
    pub topic: String,
    /// End after so long
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct TopicEchoArguments {
    /// The topic
    pub topic: String,
    /// At most so many a second
    #[arg(long, value_name = "HZ", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// No more than so many
    #[arg(long, value_name = "COUNT")]
    pub count: Option<u64>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct TopicPubArguments {
    /// The topic
    pub topic: String,
    /// The message, as a value in robot.toml
    pub message: String,
    /// Again and again, so many times a second, until Ctrl-C
    #[arg(long, value_name = "HZ", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// Then no more than so many
    #[arg(long, value_name = "COUNT", requires = "rate")]
    pub count: Option<u64>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ServiceArguments {
    #[command(subcommand)]
    pub command: ServiceCommand,
}

#[derive(Subcommand, Debug)]
pub enum ServiceCommand {
    /// List them
    List(OutputArguments),
    /// Send a request, and print the answer
    Call(ServiceCallArguments),
}

#[derive(Args, Debug)]
pub struct ServiceCallArguments {
    /// The service
    pub service: String,
    /// The request, as a value in robot.toml
    pub request: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct LinkArguments {
    #[command(subcommand)]
    pub command: LinkCommand,
}

#[derive(Subcommand, Debug)]
pub enum LinkCommand {
    /// List them, with who is there, and what was sent, received and lost
    List(OutputArguments),
}

#[derive(Subcommand, Debug)]
pub enum ParametersCommand {
    /// Print parameters of a running robot, and where their values come from; of one alone its
    /// value
    Get(ParametersGetArguments),
    /// Change a parameter of a running robot
    Set(ParametersSetArguments),
    /// Write parameters as they are now into the robot's file, or an overlay
    Save(ParametersSaveArguments),
    /// Print what is not as the files say
    Diff(ParametersDiffArguments),
}

#[derive(Args, Debug)]
pub struct ParametersGetArguments {
    /// Of this module, or this one: Walk, Walk.gain; all without
    #[arg(value_name = "MODULE[.NAME]")]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ParametersSetArguments {
    /// Which one: Walk.gain
    #[arg(value_name = "MODULE.NAME")]
    pub name: String,
    /// Its value, as in robot.toml
    #[arg(allow_hyphen_values = true)]
    pub value: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ParametersSaveArguments {
    /// These only: Walk.gain; without, all that are not as the files say
    #[arg(value_name = "MODULE.NAME")]
    pub names: Vec<String>,
    /// Into this overlay instead of the robot's own file
    #[arg(long, value_name = "NAME")]
    pub overlay: Option<String>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ParametersDiffArguments {
    /// Of this module; all without
    pub module: Option<String>,
    /// What is not as the program says, instead
    #[arg(long)]
    pub defaults: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ProvidersArguments {
    #[command(subcommand)]
    pub command: ProvidersCommand,
}

#[derive(Subcommand, Debug)]
pub enum ProvidersCommand {
    /// List representations, who provides them, and who else could
    List(OutputArguments),
    /// Let another module provide a representation
    Switch(ProvidersSwitchArguments),
}

#[derive(Args, Debug)]
pub struct ProvidersSwitchArguments {
    /// What is provided
    pub representation: String,
    /// By whom from now on
    pub module: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct OverrideArguments {
    /// The representation
    pub representation: String,
    /// The value, as in robot.toml
    #[arg(allow_hyphen_values = true)]
    pub value: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ReleaseArguments {
    /// The representation
    pub representation: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct WorkersArguments {
    /// The cycle
    pub cycle: String,
    /// How many, or `auto`
    #[arg(value_parser = parse_workers)]
    pub workers: Workers,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The number of workers that a cycle shall have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workers {
    /// The number that the plan chooses.
    Auto,
    Count(usize),
}

#[derive(Args, Debug)]
pub struct TraceArguments {
    #[command(subcommand)]
    pub command: TraceCommand,
}

#[derive(Subcommand, Debug)]
pub enum TraceCommand {
    /// Begin a trace; one that is being written ends
    Start(FileArguments),
    /// End it
    Stop(OutputArguments),
}

#[derive(Args, Debug)]
pub struct FileArguments {
    /// Where to; the next free number without. On another host, as its robot sees it
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct RecordArguments {
    #[command(subcommand)]
    pub command: RecordCommand,
}

#[derive(Subcommand, Debug)]
pub enum RecordCommand {
    /// Begin a log
    Start(FileArguments),
    /// End it
    Stop(OutputArguments),
    /// Note something at this moment
    Mark(MarkArguments),
}

#[derive(Args, Debug)]
pub struct MarkArguments {
    /// What
    pub text: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct SafeStateArguments {
    #[command(subcommand)]
    pub command: SafeStateCommand,
}

#[derive(Subcommand, Debug)]
pub enum SafeStateCommand {
    /// Stop what moves
    Enter(OutputArguments),
    /// Let it move again: make sure that nobody is in its way
    Leave(OutputArguments),
}

#[derive(Args, Debug)]
pub struct ViewArguments {
    /// The log: a file, the first of several, or a folder with them
    pub log: PathBuf,
    /// Open the page at this port; the first that is free of ten from 8765 on without it
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub page: Option<u16>,
}

#[derive(Args, Debug)]
pub struct SnapshotArguments {
    /// Write to a file
    #[arg(long = "output", value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (1e-3..=1e3).contains(&rate) => Ok(rate),
        _ => Err("write how many there are per second, from 0.001 to 1000: 25".to_owned()),
    }
}

fn parse_workers(text: &str) -> Result<Workers, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=64) => Ok(Workers::Count(count)),
        Err(_) if text == "auto" => Ok(Workers::Auto),
        _ => Err("write a number from 1 to 64, or `auto`".to_owned()),
    }
}
