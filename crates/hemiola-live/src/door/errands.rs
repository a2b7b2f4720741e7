//! Executes slow work for clients on threads of its own.
//!
//! A change of the robot may create modules, whose constructors may do anything; so may the default
//! values that a subscription creates. A disk may be slow or gone, and an explanation reads the
//! events of seconds. The door's own thread must not wait for any of these, and work of one kind
//! must not wait for that of another. Within a kind, errands are executed one after the other. Only
//! of subscriptions and calls, a few run at a time, so that one whose value is never created, or
//! that is not answered, does not delay the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mio::Waker;
use serde_json::Value;

/// The outcome of an errand: its result, or why there is none.
pub type Outcome = Result<Value, String>;

type Work = Box<dyn FnOnce() -> Outcome + Send>;

/// The number of errands that may wait in each lane.
const MOST_WAITING: usize = 64;

struct Errand {
    client: usize,
    request: Value,
    work: Work,
}

/// An errand that was done for a client.
pub struct Done {
    /// The number of the client.
    pub client: usize,
    /// The client's identifier of the request.
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
    /// Messages from outside, in their order. Values of users' types are created from them as well.
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

    /// Returns the end for this client.
    pub fn runner(&self, client: usize) -> Runner {
        Runner { lanes: self.lanes.clone(), client }
    }

    /// Returns the errands that were done since the last call.
    pub fn done(&self) -> impl Iterator<Item = Done> + '_ {
        self.done.try_iter()
    }
}

/// Starts a thread that executes errands one after the other, until the door is gone.
fn start(
    name: &str,
    errands: Arc<Mutex<Receiver<Errand>>>,
    finished: SyncSender<Done>,
    waker: Arc<Waker>,
) -> std::io::Result<()> {
    // A thread that waits for an errand holds the lock, and the others of its lane wait for the
    // lock.
    let next = move || errands.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let work = move || {
        while let Some(Errand { client, request, work }) = next() {
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Err("this failed by a panic; the robot's terminal says more".to_owned()));
            if finished.send(Done { client, request, outcome }).is_err() {
                break;
            }
            // A waker that fails belongs to a door that is gone.
            _ = waker.wake();
        }
    };
    thread::Builder::new().name(name.into()).spawn(work).map(|_| ())
}

impl Runner {
    /// Creates the runner of a client without a door, which refuses all errands because the door is
    /// closing. It serves to try a [`Session`](crate::Session) with what clients may send.
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
            TrySendError::Full(_) => "the robot is busy with what was asked for before: try again later".to_owned(),
            TrySendError::Disconnected(_) => "the door is closing".to_owned(),
        })
    }
}
