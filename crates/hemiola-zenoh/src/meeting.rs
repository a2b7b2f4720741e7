//! A link in its network: who else is there, and who begins which conversation.
//!
//! Of two members, the one with the smaller id begins their conversation, and begins another one
//! when that has ended, after a pause, as long as both are there. Zenoh's threads only note what
//! has come; all that may take time is done on a thread of the link.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_link::{Entrance, Patience};
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::{Session, Wait};

use crate::conversation::{Conversation, Fault, LAST_WORDS};
use crate::member::{Member, MemberId};
use crate::piece::{Content, Piece};
use crate::session;

/// A link in its network.
pub struct Meeting {
    me: Member,
    entrance: Entrance,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    others: BTreeMap<MemberId, Other>,
    /// The conversations that others have begun, and that are not carried yet.
    begun: VecDeque<(MemberId, Arc<Conversation>)>,
    /// The conversations that others have begun before it was known here that they are there: their
    /// token and what they say take different ways.
    early: BTreeMap<MemberId, u64>,
    /// The conversations that are not there, although others speak in them.
    strays: BTreeSet<(MemberId, u64)>,
    /// The number of conversations that are carried, or about to be.
    carried: usize,
    /// The number of the last conversation that was begun here.
    last: u64,
    /// Set while there is a session.
    is_open: bool,
    /// Set if the link closes.
    is_over: bool,
}

/// Another member that is there.
struct Other {
    member: Member,
    conversation: Option<Arc<Conversation>>,
    patience: Patience,
    /// The time at which this side begins a conversation, if that is up to it.
    due: Option<Instant>,
}

/// A task for the link's thread.
enum Task {
    /// Carries a conversation.
    Carry { other: Member, conversation: Arc<Conversation>, begins: bool },
    /// Says that there is no such conversation.
    Dismiss { other: Member, conversation: u64 },
}

/// The most other members that are known.
const MOST_OTHERS: usize = 256;
/// The most conversations at a time: a link has no more peers.
const MOST_CONVERSATIONS: usize = 16;
/// The most conversations that wait for their member to come.
const MOST_EARLY: usize = 64;
/// The most strays that are answered at a time.
const MOST_STRAYS: usize = 64;
/// The longest pause between two conversations; one that lasted longer was no vain attempt.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The time within which the session must have been closed.
const END_PATIENCE: Duration = Duration::from_millis(400);

impl Meeting {
    /// Returns the meeting in which a link is, and nobody else yet.
    pub fn new(me: Member, entrance: Entrance) -> Self {
        let state = State {
            others: BTreeMap::new(),
            begun: VecDeque::new(),
            early: BTreeMap::new(),
            strays: BTreeSet::new(),
            carried: 0,
            last: 0,
            is_open: false,
            is_over: false,
        };
        Self { me, entrance, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn me(&self) -> &Member {
        &self.me
    }

    /// Reports a problem of the link.
    pub fn complain(&self, problem: String) {
        self.entrance.complain(problem);
    }

    /// Pauses until this time. Returns whether the link is still to be opened then.
    pub fn pause(&self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        let waited = self.changed.wait_timeout_while(self.state(), left, |state| !state.is_over);
        !waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }

    /// Notes that there is a session. Returns whether there is to be one.
    pub fn note_open(&self) -> bool {
        let mut state = self.state();
        state.is_open = !state.is_over;
        state.is_open
    }

    /// Notes that the session has been closed.
    pub fn note_closed(&self) {
        self.state().is_open = false;
        self.changed.notify_all();
    }

    /// Notes that a member has come.
    pub fn note_come(&self, key: &str) {
        let Some(member) = Member::read(key) else { return self.entrance.ignore() };
        // Links of one program have nothing to say to each other.
        if member.id.program == self.me.id.program {
            return;
        }
        let mut state = self.state();
        if state.others.len() >= MOST_OTHERS {
            return self.entrance.ignore();
        }
        let id = member.id;
        let due = (self.me.id < id).then(Instant::now);
        let other = Other { member, conversation: None, patience: Patience::up_to(LONGEST_PAUSE), due };
        state.others.entry(id).or_insert(other);
        if let Some(conversation) = state.early.remove(&id) {
            self.note_begun(&mut state, id, conversation);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Notes that a member has gone.
    pub fn note_gone(&self, key: &str) {
        let Some(member) = Member::read(key) else { return };
        let mut state = self.state();
        if state.others.get(&member.id).is_some_and(|other| other.member == member)
            && let Some(Other { conversation: Some(conversation), .. }) = state.others.remove(&member.id)
        {
            conversation.lose();
        }
        drop(state);
        // There may be room for a conversation with somebody else.
        self.changed.notify_all();
    }

    /// Notes what a member has said, by the key under which that has come.
    pub fn note_said(&self, key: &str, payload: &[u8]) {
        let from = key.rsplit('/').next().and_then(|id| id.parse::<MemberId>().ok());
        let (Some(from), Some(piece)) = (from, Piece::read(payload)) else { return self.entrance.ignore() };
        let mut state = self.state();
        let other = state.others.get(&from);
        let is_known = other.is_some();
        let current = other.and_then(|other| other.conversation.clone());
        let may_begin = from < self.me.id && from.program != self.me.id.program && !state.is_over;
        match (current.filter(|current| current.number == piece.conversation), piece.content) {
            (Some(current), content) => {
                if let Err(fault) = current.take(content) {
                    current.end();
                    self.complain(format!("a conversation begins anew: {}", reason(fault)));
                }
            }
            (None, Content::Begin) if is_known && may_begin => self.note_begun(&mut state, from, piece.conversation),
            (None, Content::Begin) if may_begin && state.early.len() < MOST_EARLY => {
                state.early.insert(from, piece.conversation);
            }
            (None, Content::Bytes { .. }) if is_known => state.stray((from, piece.conversation)),
            // Something that has just ended.
            (None, Content::Room(_) | Content::End) if is_known => {}
            _ => self.entrance.ignore(),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Notes that a member that is there has begun a conversation.
    fn note_begun(&self, state: &mut State, from: MemberId, number: u64) {
        let Some(other) = state.others.get_mut(&from) else { return };
        other.conversation.iter().for_each(|before| before.lose());
        if state.carried < MOST_CONVERSATIONS {
            let conversation = Arc::new(Conversation::begun(number));
            other.conversation = Some(conversation.clone());
            state.begun.push_back((from, conversation));
            state.carried += 1;
        } else {
            state.stray((from, number));
            self.complain("as many peers are connected as may be".to_owned());
        }
    }

    /// Does what is due until the link closes, and what it has written last was sent.
    pub fn run(self: &Arc<Self>, session: &Session) {
        let mut state = self.state();
        while !state.is_over {
            let now = Instant::now();
            if let Some(task) = state.next_task(now) {
                drop(state);
                match task {
                    Task::Carry { other, conversation, begins } => self.carry(session, &other, conversation, begins),
                    Task::Dismiss { other, conversation } => self.dismiss(session, &other, conversation),
                }
                state = self.state();
            } else if let Some(due) = state.next_due() {
                let left = due.saturating_duration_since(now);
                state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        let is_carried = |state: &mut State| state.carried > state.begun.len();
        let waited = self.changed.wait_timeout_while(state, LAST_WORDS, is_carried);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.others.values().filter_map(|other| other.conversation.as_ref()).for_each(|it| it.lose());
    }

    /// Closes the link: waits until its session has been closed, but not for ever.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_over = true;
        self.changed.notify_all();
        _ = self.changed.wait_timeout_while(state, END_PATIENCE, |state| state.is_open);
    }

    /// Carries a conversation on a thread of its own, and gives the link a socket for it.
    fn carry(self: &Arc<Self>, session: &Session, other: &Member, conversation: Arc<Conversation>, begins: bool) {
        let (id, ended) = (other.id, conversation.clone());
        let begin = || -> io::Result<()> {
            let (peer, meeting) = (self.publisher(session, other)?, self.clone());
            let (here, there) = UnixStream::pair()?;
            let work = move || {
                if !begins || conversation.begin(&peer) {
                    let carried = meeting.entrance.admit(there).and_then(|()| conversation.carry(&here, &peer));
                    carried.unwrap_or_else(|error| meeting.note_fault(&error));
                }
                meeting.note_end(id, &conversation);
            };
            thread::Builder::new().name("hemiola zenoh out".to_owned()).spawn(work).map(drop)
        };
        if let Err(error) = begin() {
            self.note_fault(&error);
            self.note_end(id, &ended);
        }
    }

    fn dismiss(&self, session: &Session, other: &Member, conversation: u64) {
        let end = Piece { conversation, content: Content::End }.head();
        // If that fails, nobody hears anything of it.
        _ = self.publisher(session, other).and_then(|peer| peer.put(end).wait().map_err(session::error));
    }

    fn note_fault(&self, error: &io::Error) {
        self.complain(format!("a conversation cannot be carried: {error}"));
    }

    /// Returns the publisher of what this member says to another one. Nothing of it may be lost.
    fn publisher(&self, session: &Session, other: &Member) -> io::Result<Publisher<'static>> {
        let publisher = session.declare_publisher(other.told_by(self.me.id));
        publisher.congestion_control(CongestionControl::Block).express(true).wait().map_err(session::error)
    }

    /// Notes that a conversation is not carried any more.
    fn note_end(&self, id: MemberId, conversation: &Arc<Conversation>) {
        let mut state = self.state();
        state.carried -= 1;
        if let Some(other) = state.others.get_mut(&id)
            && other.conversation.as_ref().is_some_and(|current| Arc::ptr_eq(current, conversation))
        {
            other.conversation = None;
            if conversation.began.elapsed() >= LONGEST_PAUSE {
                other.patience.reset();
            }
            other.due = (self.me.id < id).then(|| other.patience.after(Instant::now()));
        }
        drop(state);
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent even if another thread has panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns what is to be done next.
    fn next_task(&mut self, now: Instant) -> Option<Task> {
        while let Some((id, conversation)) = self.begun.pop_front() {
            match self.others.get(&id) {
                Some(other) => return Some(Task::Carry { other: other.member.clone(), conversation, begins: false }),
                // It has gone again.
                None => self.carried -= 1,
            }
        }
        while let Some((id, conversation)) = self.strays.pop_first() {
            if let Some(other) = self.others.get(&id) {
                return Some(Task::Dismiss { other: other.member.clone(), conversation });
            }
        }
        if self.carried >= MOST_CONVERSATIONS {
            return None;
        }
        let other = self.others.values_mut().find(|other| other.due.is_some_and(|due| due <= now))?;
        self.last += 1;
        let conversation = Arc::new(Conversation::beginning(self.last));
        (other.due, other.conversation) = (None, Some(conversation.clone()));
        self.carried += 1;
        Some(Task::Carry { other: other.member.clone(), conversation, begins: true })
    }

    /// Returns when a conversation is to be begun; `None` if there is none, or no room for one.
    fn next_due(&self) -> Option<Instant> {
        let is_room = self.carried < MOST_CONVERSATIONS;
        self.others.values().filter_map(|other| other.due).filter(|_| is_room).min()
    }

    /// Notes that a member speaks in a conversation that is not there.
    fn stray(&mut self, stray: (MemberId, u64)) {
        if self.strays.len() < MOST_STRAYS {
            self.strays.insert(stray);
        }
    }
}

fn reason(fault: Fault) -> &'static str {
    match fault {
        Fault::Lost => "a part of it was lost on the way",
        Fault::TooMuch => "the peer sent more than there was room for",
    }
}
