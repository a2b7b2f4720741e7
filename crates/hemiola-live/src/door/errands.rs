//! Executes slow work for clients on threads of its own.
//!
//! A change of the robot may create modules, whose constructors may do anything. The same holds for
//! the default values that a subscription creates. A disk may be slow or fail, and an explanation
//! reads the events of several seconds. The door's thread must not wait for any of these, and work
//! of one kind must not wait for work of another. Errands of the same kind are executed one after
//! the other. Only subscriptions and calls run a few at a time, so that one whose value is never
//! created, or which is not answered, does not delay the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mio::Waker;
use serde_json::Value;

/// The outcome of an errand: its result, or the reason why there is none.
pub type Outcome = Result<Value, String>;

type Work = Box<dyn FnOnce() -> Outcome + Send>;

/// The number of errands that may wait in each lane.
const MOST_WAITING: usize = 64;

struct Errand {
    client: usize,
    request: Value,
    work: Work,
}

/// An errand that has been executed for a client.
pub struct Done {
    /// The number of the client.
    pub client: usize,
    /// The client's ID of the request.
    pub request: Value,
    /// The outcome of the errand.
    pub outcome: Outcome,
}

/// The queues of errands, which do not wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Changes of the robot, in the order of the requests.
    Changes,
    /// Questions, whose answers may take seconds.
    Questions,
    /// Subscriptions, for which values of users' types are created.
    Subscriptions,
    /// Messages from outside, in their order. Values of users' types are created from them, too.
    Messages,
    /// Calls of services from outside, which wait for answers.
    Calls,
    /// Reading and writing of files.
    Files,
}

/// The name of the threads of each lane and their number, in the order of the lanes.
const LANES: [(&str, usize); 6] = [
    ("hemiola changes", 1),
    ("hemiola questions", 1),
    ("hemiola subscriptions", 4),
    ("hemiola messages", 1),
    ("hemiola calls", 4),
    ("hemiola files", 1),
];

/// The senders of all lanes.
type Lanes = Arc<[SyncSender<Errand>]>;

/// The door's end of the errands.
pub struct Errands {
    lanes: Lanes,
    done: Receiver<Done>,
}

/// A client's end of the errands.
#[derive(Clone)]
pub struct Runner {
    lanes: Lanes,
    client: usize,
}

impl Errands {
    /// Starts the threads. They wake the door when an errand is done, and end with the door.
    pub fn start(waker: Arc<Waker>) -> std::io::Result<Self> {
        let (finished, done) = sync_channel(MOST_WAITING);
        let mut lanes = Vec::new();
        for (name, threads) in LANES {
            let (sender, errands) = sync_channel(MOST_WAITING);
            let errands = Arc::new(Mutex::new(errands));
            for _ in 0..threads {
                start(name, errands.clone(), finished.clone(), waker.clone())?;
            }
            lanes.push(sender);
        }
        Ok(Self { lanes: lanes.into(), done })
    }

    /// Returns the runner for this client.
    pub fn runner(&self, client: usize) -> Runner {
        Runner { lanes: self.lanes.clone(), client }
    }

    /// Returns the errands that have been executed since the last call.
    pub fn done(&self) -> impl Iterator<Item = Done> + '_ {
        self.done.try_iter()
    }
}

/// Starts a thread that executes errands one after the other, until the door is closed.
fn start(
    name: &str,
    errands: Arc<Mutex<Receiver<Errand>>>,
    finished: SyncSender<Done>,
    waker: Arc<Waker>,
) -> std::io::Result<()> {
    // The thread that waits for an errand holds the lock; the other threads of its lane wait for
    // the lock.
    let next = move || errands.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let work = move || {
        while let Some(Errand { client, request, work }) = next() {
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Err("the request caused a panic; see the robot's terminal".to_owned()));
            if finished.send(Done { client, request, outcome }).is_err() {
                break;
            }
            // Waking fails only if the door is closed.
            _ = waker.wake();
        }
    };
    thread::Builder::new().name(name.into()).spawn(work).map(|_| ())
}

impl Runner {
    /// Creates the runner of a client without a door. It refuses all errands as a closing door
    /// does. It serves to test a [`Session`](crate::Session) with arbitrary messages of clients.
    pub fn without_door() -> Self {
        Self { lanes: LANES.map(|_| sync_channel(1).0).into(), client: 0 }
    }

    /// Executes `work` after the earlier errands of the lane. The client's session receives the
    /// outcome.
    ///
    /// # Errors
    /// Returns an error if too many errands wait, or the door is closing.
    pub fn run(
        &self,
        lane: Lane,
        request: Value,
        work: impl FnOnce() -> Outcome + Send + 'static,
    ) -> Result<(), String> {
        let errand = Errand { client: self.client, request, work: Box::new(work) };
        self.lanes[lane as usize].try_send(errand).map_err(|error| match error {
            TrySendError::Full(_) => "the robot is busy with earlier requests: try again later".to_owned(),
            TrySendError::Disconnected(_) => "the door is closing".to_owned(),
        })
    }
}
