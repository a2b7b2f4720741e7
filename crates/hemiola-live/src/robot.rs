//! A running robot as the subject of a door.
//!
//! | file | what |
//! |---|---|
//! | `session` | the session of one client |
//! | `opening` | subscriptions that are being opened |
//! | `values` | the values and messages of subscriptions, as bytes |
//! | `jpeg` | images for slow connections |
//! | `plots`, `fields` | numbers within values, and of the robot's timing |
//! | `events` | the events of the timeline |
//! | `traced`, `step_times` | the events of threads, and their times |
//! | `watched` | the statistics and the journal |
//! | `shown` | the plots, drawings and texts of modules |
//! | `describe` | the description of a robot's parts |
//! | `parameters` | listing parameters and saving them |
//! | `replayed` | the transport of a replay that the robot's program runs |
//! | `recording` | logs that clients start and stop while it runs |
//! | `hosts` | the hosts that the robot's processes run on |
//! | `answers` | explanations and bounds |
//! | `foxglove` | the session of one client that uses Foxglove's protocol |
//! | `layouts` | the layouts of the page that people have saved |

mod answers;
mod describe;
mod events;
pub mod fields;
mod foxglove;
mod hosts;
mod jpeg;
mod layouts;
mod opening;
mod parameters;
mod partial;
mod plots;
mod recording;
mod replayed;
mod session;
mod shown;
mod step_times;
mod traced;
mod values;
mod watched;

use std::path::PathBuf;
use std::sync::Arc;

use hemiola_config::{ConfigurationText, Origins};
use hemiola_insight::OverLinks;
use hemiola_link::LinksView;
use hemiola_realtime::MonotonicTime;
use hemiola_runtime::{Robot, RobotHandle};
use hemiola_trace::Known;

use crate::door::session::Session;
use crate::door::{DoorClient, Subject};
use foxglove::FoxgloveSession;
pub use hosts::HostsView;
pub use recording::LiveRecording;
pub use replayed::Replayed;
use session::RobotSession;

/// Facts about a running robot that its handle does not know.
///
/// See [`RunningRobotSubject`].
#[derive(Clone, Debug, Default)]
pub struct RobotFacts {
    /// The robot's name; for a part in a process of its own, such as `nao-vision`.
    pub name: String,
    /// The name of the whole robot, if this is a part of it in its own process.
    pub whole: Option<String>,
    /// The build of the robot's program.
    pub program: String,
    /// The pace of the robot's clock, in words.
    pub pace: String,
    /// The origin of each value of the configuration.
    pub origins: Origins,
    /// The texts from which the configuration was read.
    pub texts: Vec<ConfigurationText>,
    /// The robot's own file, in which parameters are saved; `None` if the configuration is part of
    /// the program.
    pub file: Option<PathBuf>,
    /// The measurements of earlier runs.
    pub known: Known,
    /// The bounds of chains that begin in other processes of the robot.
    pub over_links: OverLinks,
    /// The links to other programs, if the robot has any.
    pub links: LinksView,
    /// The hosts that act as one robot, if there are several.
    pub hosts: HostsView,
}

/// A running robot that clients view and change: the [`Subject`] of its door.
///
/// ```no_run
/// use hemiola_live::{Door, DoorSettings, RobotFacts, RunningRobotSubject};
/// use hemiola_runtime::{Pace, Robot};
/// # let configuration = Default::default();
///
/// let running = Robot::assemble(configuration)?.start(Pace::RealTime)?;
/// let facts = RobotFacts { name: "cart".into(), ..RobotFacts::default() };
/// let subject = RunningRobotSubject::new(running.handle().clone(), facts);
/// let door = Door::open("cart", DoorSettings::default(), Box::new(subject))?;
/// println!("{}", door.page().unwrap_or_default());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RunningRobotSubject(Arc<Shared>);

/// The state that all sessions share.
struct Shared {
    handle: RobotHandle,
    facts: RobotFacts,
    recording: LiveRecording,
    /// The replay, if the robot is replaying a log.
    replayed: Option<Replayed>,
}

impl Shared {
    /// Returns the name of the whole robot.
    fn whole(&self) -> &str {
        self.facts.whole.as_ref().unwrap_or(&self.facts.name)
    }

    /// Returns the part of the robot that this process runs, and all parts that are used as one
    /// robot.
    fn part(&self) -> (Option<String>, Vec<String>) {
        let hosts = &self.facts.hosts;
        let of_whole = |robot: &Robot| (robot.configuration().process.clone(), hosts.parts(robot.configuration()));
        self.facts.whole.as_ref().map(|_| self.handle.with_robot(of_whole)).unwrap_or_default()
    }

    /// Returns the time of the host's clock, in nanoseconds, at which the robot's clock shows zero.
    fn clock_origin(&self) -> Option<u64> {
        self.handle.clock_origin().map(MonotonicTime::as_nanoseconds)
    }
}

impl RunningRobotSubject {
    /// Creates the subject for the robot of this handle.
    pub fn new(handle: RobotHandle, facts: RobotFacts) -> Self {
        Self::with(handle, facts, None)
    }

    /// Creates the subject for the robot of this handle, which replays a log: clients can start and
    /// pause the replay and set its pace.
    pub fn replaying(handle: RobotHandle, facts: RobotFacts, replayed: Replayed) -> Self {
        Self::with(handle, facts, Some(replayed))
    }

    fn with(handle: RobotHandle, facts: RobotFacts, replayed: Option<Replayed>) -> Self {
        Self(Arc::new(Shared { handle, facts, recording: LiveRecording::default(), replayed }))
    }

    /// Returns the log that clients can start, so that it can be finished when the robot stops.
    pub fn recording(&self) -> LiveRecording {
        self.0.recording.clone()
    }
}

impl Subject for RunningRobotSubject {
    fn protocols(&self) -> &[&str] {
        &["hemiola.v1", "foxglove.sdk.v1"]
    }

    fn session(&self, protocol: &str, client: DoorClient) -> Box<dyn Session> {
        match protocol {
            "foxglove.sdk.v1" => Box::new(FoxgloveSession::new(self.0.clone(), client)),
            _ => Box::new(RobotSession::new(self.0.clone(), client)),
        }
    }
}
