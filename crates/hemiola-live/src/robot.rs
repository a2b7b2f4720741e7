//! A running robot as a subject of the door.
//!
//! | file | what |
//! |---|---|
//! | `session` | the session of one client |
//! | `opening` | subscriptions that are being opened |
//! | `values` | values and messages, as bytes |
//! | `jpeg` | images for slow links |
//! | `plots`, `fields` | numbers within them, and of the robot's timing |
//! | `events` | what ran where and when |
//! | `traced`, `step_times` | the events of threads, and their times |
//! | `watched` | statistics and journal |
//! | `shown` | what modules plot, draw and write |
//! | `describe` | what the robot consists of |
//! | `parameters` | what can be tuned, and saving it |
//! | `replayed` | the transport of a replay by the robot's program |
//! | `recording` | logs that clients start and stop while it runs |
//! | `answers` | explanations and bounds |
//! | `foxglove` | another protocol for one client |
//! | `layouts` | the layouts of the page that people have saved |

mod answers;
mod describe;
mod events;
pub mod fields;
mod foxglove;
mod jpeg;
mod layouts;
mod opening;
mod parameters;
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
use hemiola_runtime::RobotHandle;
use hemiola_trace::Known;

use crate::door::session::Session;
use crate::door::{DoorClient, Subject};
use foxglove::FoxgloveSession;
pub use recording::LiveRecording;
pub use replayed::Replayed;
use session::RobotSession;

/// Facts about a running robot that its handle does not know.
///
/// See [`RunningRobotSubject`].
#[derive(Clone, Debug, Default)]
pub struct RobotFacts {
    /// The robot's name; of a part in a process of its own, `nao-vision`.
    pub name: String,
    /// The name of the whole robot, if this is a part of it in a process of its own.
    pub whole: Option<String>,
    /// The build of the robot's program.
    pub program: String,
    /// The pace of the robot's clock, in words.
    pub pace: String,
    /// The origin of each value of the configuration.
    pub origins: Origins,
    /// The texts from which the configuration was read.
    pub texts: Vec<ConfigurationText>,
    /// The robot's own file, into which parameters are saved; `None` if it is part of the program.
    pub file: Option<PathBuf>,
    /// The measurements of earlier runs.
    pub known: Known,
    /// The bounds of chains that begin in other processes of the robot.
    pub over_links: OverLinks,
    /// The links to other programs, if the robot has any.
    pub links: LinksView,
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
    /// The replay, if the robot replays a log.
    replayed: Option<Replayed>,
}

impl RunningRobotSubject {
    /// Creates the subject of the robot of this handle.
    pub fn new(handle: RobotHandle, facts: RobotFacts) -> Self {
        Self::with(handle, facts, None)
    }

    /// Creates the subject of the robot of this handle, which replays a log: clients can start,
    /// pause and pace the replay.
    pub fn replaying(handle: RobotHandle, facts: RobotFacts, replayed: Replayed) -> Self {
        Self::with(handle, facts, Some(replayed))
    }

    fn with(handle: RobotHandle, facts: RobotFacts, replayed: Option<Replayed>) -> Self {
        Self(Arc::new(Shared { handle, facts, recording: LiveRecording::default(), replayed }))
    }

    /// Returns the log that clients start, so that whoever stops the robot can finish it.
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
