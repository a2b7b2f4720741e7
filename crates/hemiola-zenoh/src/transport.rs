//! The interface of this crate: the sessions of a robot's links.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use hemiola_link::{Entrance, Transport, TransportEnd};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};
use zenoh::Wait;
use zenoh::config::ZenohId;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::sample::{Sample, SampleKind};

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

/// A link's session, while it is open.
struct Opened {
    meeting: Arc<Meeting>,
    address: LinkAddress,
    /// The parts of the session that are there as long as they are kept.
    _declared: Declared,
}

/// What a session has declared: where others say something, who is there, and that the link is.
type Declared = (Subscriber<()>, Subscriber<()>, LivelinessToken);

/// The time within which what a link has written last must have been sent when it closes.
const LAST_WORDS: Duration = Duration::from_millis(250);

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
        let (LinkEnd::Listen(LinkAddress::Zenoh(address)) | LinkEnd::Connect(LinkAddress::Zenoh(address))) = &link.end
        else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let session = session::open(&link.end, address)?;
        let address = session::address(&session, address);
        let sought = matches!(link.end, LinkEnd::Connect(_)).then(|| address.to_string());
        let meeting = Arc::new(Meeting::new(Member::new(robot, &link.name, self.next()), session, entrance, sought));
        let declared = declare(&meeting).map_err(session::error)?;
        let work = meeting.clone();
        thread::Builder::new().name("hemiola zenoh".to_owned()).spawn(move || work.run())?;
        Ok(Box::new(Opened { meeting, address, _declared: declared }))
    }
}

/// Declares where others say something to the link, and then that the link is there.
fn declare(meeting: &Arc<Meeting>) -> zenoh::Result<Declared> {
    let (session, me) = (meeting.session(), meeting.me());
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
        self.meeting.close(LAST_WORDS);
    }
}

impl Default for ZenohTransport {
    fn default() -> Self {
        Self::new()
    }
}
