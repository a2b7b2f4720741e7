//! Does for clients what takes its time, on threads of its own.
//!
//! A change of the robot may make modules, whose constructors may do anything; an explanation reads
//! the events of seconds. The door's own thread must not wait for that, and no change for an
//! explanation. Of one kind, one thing is done after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use mio::Waker;
use serde_json::Value;

/// What became of something: its result, or why there is none.
pub type Outcome = Result<Value, String>;

type Work = Box<dyn FnOnce() -> Outcome + Send>;

/// So much may wait.
const MOST_WAITING: usize = 64;

struct Errand {
    client: usize,
    request: Value,
    work: Work,
}

/// What was done for a client.
pub struct Done {
    /// For whom.
    pub client: usize,
    /// What it had asked for, as it called that.
    pub request: Value,
    /// What became of it.
    pub outcome: Outcome,
}

/// What may wait for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Changes of the robot, in the order in which they were asked for.
    Changes,
    /// Questions, which may take seconds.
    Questions,
}

/// The door's end.
pub struct Errands {
    lanes: [SyncSender<Errand>; 2],
    done: Receiver<Done>,
}

/// A client's end.
#[derive(Clone)]
pub struct Runner {
    lanes: [SyncSender<Errand>; 2],
    client: usize,
}

impl Errands {
    /// Starts the threads, which wake the door when something is done, and end with it.
    pub fn start(waker: Arc<Waker>) -> std::io::Result<Self> {
        let (finished, done) = sync_channel(MOST_WAITING);
        let changes = start("hemiola changes", finished.clone(), waker.clone())?;
        let questions = start("hemiola questions", finished, waker)?;
        Ok(Self { lanes: [changes, questions], done })
    }

    /// For this client.
    pub fn runner(&self, client: usize) -> Runner {
        Runner { lanes: self.lanes.clone(), client }
    }

    /// What was done since.
    pub fn done(&self) -> impl Iterator<Item = Done> + '_ {
        self.done.try_iter()
    }
}

/// Starts a thread that does one thing after the other.
fn start(name: &str, finished: SyncSender<Done>, waker: Arc<Waker>) -> std::io::Result<SyncSender<Errand>> {
    let (sender, errands) = sync_channel::<Errand>(MOST_WAITING);
    thread::Builder::new().name(name.into()).spawn(move || {
        for Errand { client, request, work } in errands {
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Err("this failed by a panic; the robot's terminal says more".to_owned()));
            if finished.send(Done { client, request, outcome }).is_err() {
                break;
            }
            // A door that is gone needs no waking.
            _ = waker.wake();
        }
    })?;
    Ok(sender)
}

impl Runner {
    /// Of a client without a door, which does nothing and says that the door is closing: to try a
    /// [`Session`](crate::Session) with what clients may say.
    pub fn without_door() -> Self {
        let lane = || sync_channel(1).0;
        Self { lanes: [lane(), lane()], client: 0 }
    }

    /// Does `work` when what was asked for before in its lane is done; the client's session gets the outcome.
    ///
    /// # Errors
    /// Too much is waiting.
    pub fn run(
        &self,
        lane: Lane,
        request: Value,
        work: impl FnOnce() -> Outcome + Send + 'static,
    ) -> Result<(), String> {
        let errand = Errand { client: self.client, request, work: Box::new(work) };
        self.lanes[lane as usize].try_send(errand).map_err(|error| match error {
            TrySendError::Full(_) => "the robot is busy with what was asked for before: try again later".to_owned(),
            TrySendError::Disconnected(_) => "the door is closing".to_owned(),
        })
    }
}
