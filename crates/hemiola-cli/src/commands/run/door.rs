//! The door of the running robot.

use hemiola_config::{Base, ConfigurationText, Origins};
use hemiola_insight::OverLinks;
use hemiola_link::LinksView;
use hemiola_live::{Door, DoorSettings, HostsView, LiveRecording, Part, Replayed, RobotFacts, RunningRobotSubject};
use hemiola_model::configuration::PageConfiguration;
use hemiola_recording::recorder::Recorded;
use hemiola_recording::this_program;
use hemiola_runtime::{RobotHandle, Tempo};
use hemiola_trace::Known;

use super::pace_text;
use super::runner::stepped;
use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::notes::tell;
use crate::session;

/// The facts about the robot that its handle does not have.
pub struct About<'a> {
    pub name: &'a str,
    /// The process in which this part of the robot runs; `None` if this is all of it.
    pub process: Option<&'a str>,
    pub base: &'a Base,
    pub origins: Origins,
    pub texts: Vec<ConfigurationText>,
    pub known: Known,
    pub over_links: OverLinks,
    /// The replay, if the robot replays a log.
    pub replayed: Option<Replayed>,
    pub links: LinksView,
    /// The hosts that act as one robot, if there are several.
    pub hosts: HostsView,
}

/// The door of the robot, and the log that may be started there.
pub struct OpenDoor {
    door: Door,
    recording: LiveRecording,
}

impl OpenDoor {
    /// Closes the door when the robot has ended, and finishes the log that was started there.
    pub fn close(self) -> Option<Recorded> {
        drop(self.door);
        self.recording.finish()
    }
}

/// Opens the door that robot.toml and the command line demand, and prints its address. A robot that
/// is stepped as fast as possible ends before anybody could look at it, and gets none.
pub fn open(
    handle: &RobotHandle,
    about: About<'_>,
    page: PageConfiguration,
    arguments: &RunArguments,
) -> Result<Option<OpenDoor>, CommandError> {
    let is_hurried = stepped(arguments) == Some(Tempo::AsFastAsPossible);
    if !page.enabled || arguments.no_page || is_hurried {
        return Ok(None);
    }
    let whole = about.process.map(|process| about.name.strip_suffix(&format!("-{process}")).unwrap_or(about.name));
    let part = about.process.map(|process| Part { process: process.to_owned(), started_by: session::started_by() });
    let settings = DoorSettings {
        has_socket: true,
        part,
        address: Some(page.address),
        port: arguments.page.or(page.port),
        hosts: page.hosts,
        origins: page.origins,
        token: page.token,
        folder: page.folder,
    };
    let About { name, base, origins, texts, known, over_links, replayed, links, hosts, .. } = about;
    let file = match base {
        Base::File(path) => std::path::absolute(path).ok(),
        Base::Text { .. } => None,
    };
    let (pace, whole_name) = (pace_text(arguments), whole.map(str::to_owned));
    let name_of_door = whole.unwrap_or(name);
    let facts = RobotFacts {
        name: name.to_owned(),
        whole: whole_name,
        program: this_program(),
        pace,
        origins,
        texts,
        file,
        known,
        over_links,
        links,
        hosts,
    };
    let subject = match replayed {
        Some(replayed) => RunningRobotSubject::replaying(handle.clone(), facts, replayed),
        None => RunningRobotSubject::new(handle.clone(), facts),
    };
    let recording = subject.recording();
    let door = Door::open(name_of_door, settings, Box::new(subject))?;
    door.notes().iter().for_each(|note| tell(format_args!("note: {note}")));
    if let Some(page) = door.page() {
        tell(format_args!("page: {page}"));
    }
    Ok(Some(OpenDoor { door, recording }))
}
