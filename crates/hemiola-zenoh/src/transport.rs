//! The interface of this crate: the sessions of a robot's links.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_link::{Entrance, Patience, Transport, TransportEnd};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};
use zenoh::config::ZenohId;
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

use crate::meeting::Meeting;
use crate::member::{ALL, Member, MemberId};
use crate::session;

/// The transport of a robot's links over Zenoh. Each link has a session of its own.
///
/// See the [crate's example](crate).
pub struct ZenohTransport {
    /// The number by which links of this robot are told from those of others.
    program: u64,
    /// The number of links that were opened.
    opened: Mutex<u32>,
}

/// A link that is open.
struct Opened {
    meeting: Arc<Meeting>,
    address: LinkAddress,
}

/// The longest time between two attempts to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl ZenohTransport {
    /// Creates the transport of the links of one robot.
    pub fn new() -> Self {
        let random = u128::from_le_bytes(ZenohId::default().to_le_bytes());
        // Few of its bits may be the same for all that are made at one time, but not in each half.
        Self { program: (random ^ (random >> 64)) as u64, opened: Mutex::new(0) }
    }

    /// Returns the number of the next link.
    fn next(&self) -> MemberId {
        // The number is consistent even if another thread has panicked.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened += 1;
        MemberId { program: self.program, link: *opened }
    }
}

impl Transport for ZenohTransport {
    fn open(&self, link: &LinkConfiguration, robot: &str, entrance: Entrance) -> io::Result<Box<dyn TransportEnd>> {
        let end = link.end.clone();
        let meeting = Arc::new(Meeting::new(Member::new(robot, &link.name, self.next()), entrance));
        let opened = |address, work: Box<dyn FnOnce() + Send>| -> io::Result<Box<dyn TransportEnd>> {
            thread::Builder::new().name("hemiola zenoh".to_owned()).spawn(work)?;
            Ok(Box::new(Opened { meeting: meeting.clone(), address }))
        };
        let work = meeting.clone();
        match &link.end {
            LinkEnd::Listen(LinkAddress::Zenoh(address)) => {
                let session = session::open(&end, address)?;
                let address = session::address(&session, address);
                opened(address, Box::new(move || serve(&work, &session)))
            }
            LinkEnd::Connect(LinkAddress::Zenoh(sought)) => {
                let sought = sought.clone();
                let connect = move || reach(&work, &end, &sought).iter().for_each(|session| serve(&work, session));
                opened(link.end.address(), Box::new(connect))
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Opens a session that connects, as soon as somebody listens there; `None` if the link closes
/// before.
fn reach(meeting: &Meeting, end: &LinkEnd, address: &str) -> Option<Session> {
    let mut patience = Patience::up_to(LONGEST_PAUSE);
    loop {
        if let Ok(session) = session::open(end, address) {
            return Some(session);
        }
        let nobody = "it does not respond; the link will try again";
        meeting.complain(format!("no peer has been reached at {} yet: {nobody}", end.address()));
        if !meeting.pause(patience.after(Instant::now())) {
            return None;
        }
    }
}

/// Serves a link until it closes.
fn serve(meeting: &Arc<Meeting>, session: &Session) {
    if meeting.note_open() {
        match declare(meeting, session) {
            Ok(_declared) => meeting.run(session),
            Err(error) => meeting.complain(format!("nobody can be met: {error}")),
        }
    }
    // There is nothing left to do if this fails.
    _ = session.close().wait();
    meeting.note_closed();
}

/// Declares where others say something to the link, and then that the link is there. All of that is
/// so as long as it is kept.
fn declare(meeting: &Arc<Meeting>, session: &Session) -> zenoh::Result<impl Sized> {
    let me = meeting.me();
    let hears = meeting.clone();
    let hear = move |sample: Sample| {
        if sample.kind() == SampleKind::Put {
            hears.note_said(sample.key_expr().as_str(), &sample.payload().to_bytes());
        }
    };
    let told = session.declare_subscriber(me.told()).callback(hear).wait()?;
    let token = session.liveliness().declare_token(me.key.as_str()).wait()?;
    let meets = meeting.clone();
    let meet = move |sample: Sample| match sample.kind() {
        SampleKind::Put => meets.note_come(sample.key_expr().as_str()),
        SampleKind::Delete => meets.note_gone(sample.key_expr().as_str()),
    };
    let tokens = session.liveliness().declare_subscriber(ALL).history(true).callback(meet).wait()?;
    Ok((told, tokens, token))
}

impl TransportEnd for Opened {
    fn address(&self) -> LinkAddress {
        self.address.clone()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.meeting.close();
    }
}

impl Default for ZenohTransport {
    fn default() -> Self {
        Self::new()
    }
}
