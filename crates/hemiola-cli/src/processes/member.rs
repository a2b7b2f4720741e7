//! A process as one of several of a robot: it begins with the state of the robot, reports its own
//! changes, and follows the others into the safe state and out of it.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use hemiola_live::HostsView;
use hemiola_live::protocol::ChangeText;
use hemiola_realtime::Wakeup;
use hemiola_runtime::{
    Change, JournalEvent, Observation, Observer, PreparedRobot, RobotHandle, SafeStateCause, SafeStateWait,
};
use hemiola_words::counted;

use super::words::{Lines, SOCKET, SafeCause, Said, Told, write};
use crate::error::CommandError;
use crate::session;

/// The membership of a process in its robot; when it is dropped, the robot no longer runs.
pub struct Membership {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    robot: RobotHandle,
    stream: UnixStream,
    wakeup: Arc<Wakeup>,
    hosts: HostsView,
    state: Mutex<State>,
}

/// The messages about the safe state that were sent and received.
#[derive(Default)]
struct State {
    /// Set if the robot is safe as far as this process has sent or received.
    is_safe: bool,
    /// The number of times that it has sent so.
    said: u64,
    /// The number of times that it has received so.
    heard: u64,
    /// The wait for others, which only the process that has started this one knows.
    wait: Option<SafeStateWait>,
    has_ended: bool,
}

/// The author of repeated changes in the journal.
const BEFORE: &str = "the run before";
/// The stack of each thread, in bytes. All of it is resident where memory is locked.
const STACK: usize = 512 << 10;
/// The largest number of changes that a message lists.
const MOST_NAMED: usize = 5;

impl Membership {
    /// Lets a prepared robot begin with the state of the whole, if it is a part of one whose
    /// processes were started together.
    ///
    /// # Errors
    /// Returns an error if the process that has started it does not answer, or the system refuses a
    /// thread: it is not known then whether the robot is in its safe state.
    pub fn begin(process: Option<&str>, prepared: &PreparedRobot) -> Result<Option<Self>, CommandError> {
        let Some(process) = process.filter(|_| session::started_by().is_some()) else { return Ok(None) };
        let failed = CommandError::Processes;
        let stream = UnixStream::connect(session::sockets().join(SOCKET)).map_err(failed)?;
        write(&stream, &Said::Begins { process: process.to_owned() }).map_err(failed)?;
        let mut lines = Lines::of(stream.try_clone().map_err(failed)?);
        let hosts = HostsView::default();
        let mut first = lines.next();
        if let Some(Told::Hosts(known)) = first {
            hosts.show(known);
            first = lines.next();
        }
        let Some(Told::Begin { changes, safe, waits }) = first else {
            return Err(failed(io::Error::other("the process that started them does not send their state")));
        };
        let robot = prepared.handle().clone();
        change_again(prepared, changes);
        let is_safe = safe.is_some();
        if let Some(cause) = safe {
            robot.enter_safe_state_because(cause.into());
        }
        // It waits before links do, so that the words of this wait are shown first.
        let wait = waits.map(|what| robot.wait_in_safe_state(what));
        let state = Mutex::new(State { is_safe, wait, ..State::default() });
        let wakeup = robot.safe_state_wakeup();
        let seen = robot.observe(Observation::default().with_journal().notifying(wakeup.clone()))?;
        let shared = Arc::new(Shared { robot, stream, wakeup, hosts, state });
        let (listening, saying) = (shared.clone(), shared.clone());
        let spawn = |body: Box<dyn FnOnce() + Send>| {
            Builder::new().name("hemiola process".into()).stack_size(STACK).spawn(body)
        };
        let threads = [
            spawn(Box::new(move || listening.listen(lines))).map_err(CommandError::Thread)?,
            spawn(Box::new(move || saying.say(seen))).map_err(CommandError::Thread)?,
        ];
        Ok(Some(Self { shared, threads: threads.into() }))
    }

    /// Returns the hosts of the robot, as far as they act as one.
    pub fn hosts(&self) -> HostsView {
        self.shared.hosts.clone()
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.shared.state().has_ended = true;
        self.shared.wakeup.notify_all();
        _ = self.shared.stream.shutdown(Shutdown::Both);
        self.threads.drain(..).for_each(|thread| _ = thread.join());
    }
}

/// Repeats the changes that were made in earlier runs of the process.
fn change_again(prepared: &PreparedRobot, changes: Vec<ChangeText>) {
    if changes.is_empty() {
        return;
    }
    let robot = prepared.handle();
    let count = changes.len();
    let changes: Vec<Change> = changes.into_iter().map(Into::into).collect();
    let mut named: Vec<String> = changes.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    named.extend((count > MOST_NAMED).then(|| format!("and {} more", count - MOST_NAMED)));
    robot.note(format!("begins with {} of the previous run: {}", counted(count as u64, "change"), named.join(", ")));
    for (change, reason) in prepared.change(changes, BEFORE) {
        robot.note(format!("begins without `{change}`, a change of the previous run: {reason}"));
    }
}

impl Shared {
    /// Follows the others.
    fn listen(&self, mut lines: Lines<UnixStream>) {
        while let Some(told) = lines.next() {
            let mut state = self.state();
            match told {
                Told::Hosts(hosts) => self.hosts.show(hosts),
                Told::Waits(None) => state.wait.take().into_iter().for_each(SafeStateWait::end),
                Told::Waits(Some(what)) => state.wait.iter().for_each(|wait| wait.describe(what.clone())),
                Told::Safe(cause) => {
                    state.heard += 1;
                    state.is_safe = true;
                    self.robot.enter_safe_state_because(cause.into());
                }
                Told::Left { process, heard } => {
                    // Safe wins: what the others have not received yet was sent, or is about to be.
                    let is_heard = heard == state.said && (state.is_safe || self.own_cause().is_none());
                    if is_heard {
                        state.is_safe = false;
                        self.robot.leave_safe_state_unless_waiting(&format!("process `{process}`"));
                    }
                }
                Told::Begin { .. } => {}
            }
        }
        if !self.state().has_ended && !self.robot.is_stopping() {
            // It would not receive the safe state of the others any more.
            let who = "the loss of the process that has started it".to_owned();
            self.robot.enter_safe_state_because(SafeStateCause::RequestBy { who });
        }
    }

    /// Sends the changes of this process.
    fn say(&self, mut seen: Observer) {
        loop {
            let generation = self.wakeup.generation();
            while let Some(entry) = seen.next_entry() {
                if let JournalEvent::Change { change, by, .. } = entry.event
                    && by.as_deref() != Some(BEFORE)
                    && !matches!(change, Change::EnterSafeState | Change::LeaveSafeState)
                {
                    self.say_change(change);
                }
            }
            self.say_safe_state();
            if self.state().has_ended {
                return;
            }
            self.wakeup.wait(generation, None);
        }
    }

    fn say_change(&self, change: Change) {
        // The listening thread notices if the other side is gone.
        if let Err(error) = write(&self.stream, &Said::Changed(change.clone().into()))
            && error.kind() == io::ErrorKind::FileTooLarge
        {
            let text = change.to_string();
            let about = text.split(' ').next().unwrap_or_default();
            let lost = "the process would begin without it after a restart";
            self.robot.note(format!("the change of {about} is too long to be kept: {lost}"));
        }
    }

    fn say_safe_state(&self) {
        let mut state = self.state();
        let said = match (state.is_safe, self.own_cause()) {
            (false, Some(cause)) => {
                state.said += 1;
                Said::Safe { reason: cause.to_string() }
            }
            (true, None) => Said::Left { heard: state.heard },
            _ => return,
        };
        state.is_safe = !state.is_safe;
        _ = write(&self.stream, &said);
    }

    /// Returns the cause of the safe state that others have to know: each process waits for itself.
    fn own_cause(&self) -> Option<SafeStateCause> {
        let cause = self.robot.safe_state()?.cause;
        (!matches!(cause, SafeStateCause::Waiting { .. })).then_some(cause)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<SafeCause> for SafeStateCause {
    fn from(cause: SafeCause) -> Self {
        let SafeCause { process, reason } = cause;
        Self::Process { process, reason }
    }
}
