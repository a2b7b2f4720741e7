//! The arguments of commands that observe and change a running robot.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::time::parse_duration;

#[derive(Subcommand, Debug)]
pub enum LiveCommand {
    /// List the robots that are running on this host
    Ps(PsArguments),
    /// Open a log in the live page, with a timeline for playback
    #[command(after_help = "Examples:
  view game.mcap                      print the address of the page; Ctrl-C ends it
  view logs/ --page 9000              the log in a folder, at this port

A log of several files is opened by its first one. Logs of other programs (MCAP with CDR, as ROS 2 writes it) can be viewed, too.")]
    View(ViewArguments),
    /// Take pictures of the live page of a running robot or of a log, with Chromium
    #[command(after_help = "Examples:
  frames 'http://127.0.0.1:8765/?token=..' pictures      what the page shows after 3 s
  frames game.mcap pictures --seek 60s --pictures 10 --every 500ms --view field,scene
  frames game.mcap pictures --view scene --size 1920x1080

An address with a layout in it (menu Layouts, `Copy link`) shows that one. Pictures are named frame-001.png and so on; those that are
there are replaced.")]
    Frames(FramesArguments),
    /// Watch a running robot on the whole terminal: cycles, tasks, chains, topics, sources, links,
    /// messages
    Top(OutputArguments),
    /// Show values of a running robot
    #[command(after_help = "Examples:
  show Ball                           in the notation of robot.toml
  show Ball.position[0] Pose          a part, and several values
  show Ball --watch                   repeatedly until Ctrl-C
  show Ball --watch --for 10s --json | jq .value.position")]
    Show(ShowArguments),
    /// Plot numbers of a running robot over time
    #[command(after_help = "Examples:
  plot Ball.position.x Ball.position.y
  plot timing:motion.response timing:Walk.joints
                                      the durations of runs of a cycle and of executions of an update, in seconds
  plot topic:goals.count --for 10s --json > goals.jsonl")]
    Plot(PlotFieldsArguments),
    /// Observe topics of a running robot, and publish messages
    #[command(after_help = "Examples:
  topic list
  topic hz whistle                    the rate and regularity of its messages
  topic echo whistle --count 3
  topic pub goals '{ team = 1 }' --rate 2")]
    Topic(TopicArguments),
    /// Call services of a running robot
    #[command(after_help = "Examples:
  service list
  service call save_map '{ name = \"final\" }'")]
    Service(ServiceArguments),
    /// Show the links of a running robot to other programs
    #[command(after_help = "Example:
  link list                           peers, messages sent, received and lost, and the last problem")]
    Link(LinkArguments),
    /// Show which module provides each representation of a running robot, and switch providers
    #[command(after_help = "Examples:
  providers list
  providers switch Ball BallFilter")]
    Providers(ProvidersArguments),
    /// Override a representation with a value, whatever its provider computes
    #[command(after_help = "Example:
  override Ball '{ seen = true, position = [1.0, 0.5] }'
                                      until `release Ball`; omitted fields keep their current values")]
    Override(OverrideArguments),
    /// End an `override`
    Release(ReleaseArguments),
    /// Run a cycle on another number of workers
    #[command(after_help = "Examples:
  workers cognition 2
  workers cognition auto              the number that its plan chooses")]
    Workers(WorkersArguments),
    /// Record a trace of what runs where and when, for Perfetto
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
    /// Enter or leave the safe state, in which actuators are stopped
    SafeState(SafeStateArguments),
    /// Show the values of all cycles at one moment
    #[command(after_help = "Examples:
  snapshot --output now.toml
  snapshot --json | jq .cycles.cognition.Ball")]
    Snapshot(SnapshotArguments),
    /// End a running robot, as Ctrl-C does
    Stop(OutputArguments),
}

/// The options that select a robot.
#[derive(Args, Clone, Debug, Default)]
pub struct RobotArguments {
    /// The running robot of this name or process ID, if there are several; nao-vision: one process
    /// of the robot
    #[arg(long, value_name = "NAME", conflicts_with = "at")]
    pub robot: Option<String>,
    /// One process of a robot that is split into several
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
    /// A robot on another host, or the address that a robot has printed
    #[arg(long, value_name = "HOST:PORT")]
    pub at: Option<String>,
    /// The token that the robot on that host has printed; without it, access is read-only
    #[arg(long, value_name = "TOKEN", requires = "at")]
    pub token: Option<String>,
}

/// The options that select a robot and the format of the output.
#[derive(Args, Clone, Debug, Default)]
pub struct OutputArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct PsArguments {
    /// List only this robot, and exit with 1 unless all of its processes of this host are running
    #[arg(long, value_name = "ROBOT")]
    pub running: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct FramesArguments {
    /// The address that a robot or `view` has printed, or a log: a file, the first of several, or a
    /// folder with them
    #[arg(value_name = "ADDRESS or LOG")]
    pub subject: String,
    /// The folder for the pictures
    pub folder: PathBuf,
    /// The number of pictures
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub pictures: u32,
    /// The time from one picture to the next: 500ms, 1s
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    pub every: Duration,
    /// The time until the first picture, in which the page receives what it shows
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = parse_duration)]
    pub after: Duration,
    /// Play a log from this time on, in whole seconds since its begin
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub seek: Option<Duration>,
    /// The size of the window
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = parse_size)]
    pub size: (u32, u32),
    /// The views to show beside each other: field,scene; default: what the page shows by itself
    #[arg(long, value_name = "VIEWS", value_delimiter = ',')]
    pub view: Vec<String>,
    /// Use the light colours of the page
    #[arg(long)]
    pub light: bool,
    /// The browser; default: the first Chromium or Chrome in the PATH
    #[arg(long, value_name = "PROGRAM")]
    pub browser: Option<PathBuf>,
}

/// Reads the size of a window, such as `1280x720`.
fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let size = text.split_once('x').map(|(width, height)| [width, height].map(str::parse::<u32>));
    match size {
        Some([Ok(width @ 100..=8000), Ok(height @ 100..=8000)]) => Ok((width, height)),
        _ => Err("a size is WIDTHxHEIGHT in pixels, each from 100 to 8000: 1280x720".to_owned()),
    }
}

#[derive(Args, Debug)]
pub struct ShowArguments {
    /// A representation, or a part: Ball.position.x, Path.points[3]
    #[arg(value_name = "VALUE", required = true)]
    pub values: Vec<String>,
    /// Show it repeatedly until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// The maximum number of times per second
    #[arg(long, value_name = "HZ", default_value_t = 10.0, requires = "watch", value_parser = parse_rate)]
    pub rate: f64,
    /// End after this number of times
    #[arg(long, value_name = "COUNT", requires = "watch")]
    pub count: Option<u64>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME", requires = "watch", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct PlotFieldsArguments {
    /// A number: of a representation (Ball.position.x), a topic (topic:goals.count), the timing
    /// (timing:motion.response)
    #[arg(value_name = "FIELD", required = true)]
    pub fields: Vec<String>,
    /// End after this time
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
    /// List topics, with the numbers of messages sent and lost
    List(OutputArguments),
    /// Measure the rate and regularity of messages
    Hz(TopicHzArguments),
    /// Print messages as they arrive
    Echo(TopicEchoArguments),
    /// Publish a message
    Pub(TopicPubArguments),
}

#[derive(Args, Debug)]
pub struct TopicHzArguments {
    /// The topic
    pub topic: String,
    /// End after this time
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct TopicEchoArguments {
    /// The topic
    pub topic: String,
    /// The maximum number per second
    #[arg(long, value_name = "HZ", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// End after this number of messages
    #[arg(long, value_name = "COUNT")]
    pub count: Option<u64>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct TopicPubArguments {
    /// The topic
    pub topic: String,
    /// The message, in the notation of robot.toml; missing fields have their default values
    pub message: String,
    /// Publish it repeatedly, this number of times per second, until Ctrl-C
    #[arg(long, value_name = "HZ", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// End after this number of times
    #[arg(long, value_name = "COUNT", requires = "rate")]
    pub count: Option<u64>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME", requires = "rate", value_parser = parse_duration)]
    pub duration: Option<Duration>,
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
    /// List services
    List(OutputArguments),
    /// Send a request, and print the answer
    Call(ServiceCallArguments),
}

#[derive(Args, Debug)]
pub struct ServiceCallArguments {
    /// The service
    pub service: String,
    /// The request, in the notation of robot.toml
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
    /// List links, with their peers and the numbers of messages sent, received and lost
    List(OutputArguments),
}

#[derive(Subcommand, Debug)]
pub enum ParametersCommand {
    /// Print parameters of a running robot, and where their values come from; for a single one,
    /// only its value
    Get(ParametersGetArguments),
    /// Change a parameter of a running robot
    Set(ParametersSetArguments),
    /// Write the current values of parameters to the robot's file, or to an overlay
    Save(ParametersSaveArguments),
    /// Print parameters that differ from the files
    Diff(ParametersDiffArguments),
}

#[derive(Args, Debug)]
pub struct ParametersGetArguments {
    /// A module or a parameter: Walk, Walk.gain; default: all
    #[arg(value_name = "MODULE[.NAME]")]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ParametersSetArguments {
    /// The parameter: Walk.gain
    #[arg(value_name = "MODULE.NAME")]
    pub name: String,
    /// The value, in the notation of robot.toml
    #[arg(allow_hyphen_values = true)]
    pub value: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ParametersSaveArguments {
    /// Only these parameters: Walk.gain; default: all that differ from the files
    #[arg(value_name = "MODULE.NAME")]
    pub names: Vec<String>,
    /// Write to this overlay instead of the robot's own file
    #[arg(long, value_name = "NAME")]
    pub overlay: Option<String>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct ParametersDiffArguments {
    /// The module; default: all
    pub module: Option<String>,
    /// Compare with the defaults of the program instead
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
    /// List representations, their providers, and the alternatives
    List(OutputArguments),
    /// Make another module the provider of a representation
    Switch(ProvidersSwitchArguments),
}

#[derive(Args, Debug)]
pub struct ProvidersSwitchArguments {
    /// The representation
    pub representation: String,
    /// The module that is to provide it
    pub module: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct OverrideArguments {
    /// The representation
    pub representation: String,
    /// The value, in the notation of robot.toml
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
    /// The number of workers, or `auto`
    #[arg(value_parser = parse_workers)]
    pub workers: Workers,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The number of workers of a cycle.
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
    /// Start a trace; a trace that is being written ends
    Start(FileArguments),
    /// End the trace
    Stop(OutputArguments),
}

#[derive(Args, Debug)]
pub struct FileArguments {
    /// The file, on the robot's host; default: a name with the next free number
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
    /// Start a log
    Start(FileArguments),
    /// End the log
    Stop(OutputArguments),
    /// Write an annotation at this moment
    Mark(MarkArguments),
}

#[derive(Args, Debug)]
pub struct MarkArguments {
    /// The annotation
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
    /// Enter the safe state: actuators stop
    Enter(OutputArguments),
    /// Leave it, so that the robot moves again: make sure that nobody is in its way
    Leave(OutputArguments),
}

#[derive(Args, Debug)]
pub struct ViewArguments {
    /// The log: a file, the first of several, or a folder with them
    pub log: PathBuf,
    /// The port of the page; default: the first free one of ten from 8765 on
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub page: Option<u16>,
}

#[derive(Args, Debug)]
pub struct SnapshotArguments {
    /// Write to a file instead of the terminal
    #[arg(long = "output", value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (1e-3..=1e3).contains(&rate) => Ok(rate),
        _ => Err("write a number per second, from 0.001 to 1000, such as 25".to_owned()),
    }
}

fn parse_workers(text: &str) -> Result<Workers, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=64) => Ok(Workers::Count(count)),
        Err(_) if text == "auto" => Ok(Workers::Auto),
        _ => Err("write a number from 1 to 64, or `auto`".to_owned()),
    }
}
