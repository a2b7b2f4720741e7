//! Does for clients what takes its time, on threads of its own.
//!
//! A change of the robot may make modules, whose constructors may do anything; so may the default
//! values that a subscription makes. A disk may be slow or gone, and an explanation reads the
//! events of seconds. The door's own thread must not wait for that, and no kind of these for
//! another. Of one kind, one thing is done after the other; but of subscriptions and calls a few at
//! a time, so that one whose value is never made, or that is not answered, does not keep others
//! waiting.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Subscriptions, for which values of users' types are made.
    Subscriptions,
    /// Messages from outside, in their order. Values of users' types are made of them as well.
    Messages,
    /// Calls of services from outside, which wait for answers.
    Calls,
    /// What is written to files and read from them.
    Files,
}

/// The lanes in their order: what their threads are called, and how many there are of each.
const LANES: [(&str, usize); 6] = [
    ("hemiola changes", 1),
    ("hemiola questions", 1),
    ("hemiola subscriptions", 4),
    ("hemiola messages", 1),
    ("hemiola calls", 4),
    ("hemiola files", 1),
];

/// Where errands of each lane go.
type Lanes = Arc<[SyncSender<Errand>]>;

/// The door's end.
pub struct Errands {
    lanes: Lanes,
    done: Receiver<Done>,
}

/// A client's end.
#[derive(Clone)]
pub struct Runner {
    lanes: Lanes,
    client: usize,
}

impl Errands {
    /// Starts the threads, which wake the door when something is done, and end with it.
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

    /// For this client.
    pub fn runner(&self, client: usize) -> Runner {
        Runner { lanes: self.lanes.clone(), client }
    }

    /// What was done since.
    pub fn done(&self) -> impl Iterator<Item = Done> + '_ {
        self.done.try_iter()
    }
}

/// Starts a thread that does one thing after the other, until the door is gone.
fn start(
    name: &str,
    errands: Arc<Mutex<Receiver<Errand>>>,
    finished: SyncSender<Done>,
    waker: Arc<Waker>,
) -> std::io::Result<()> {
    // Who waits for the next one keeps the lock meanwhile, and the others of its lane wait for it.
    let next = move || errands.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let work = move || {
        while let Some(Errand { client, request, work }) = next() {
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Err("this failed by a panic; the robot's terminal says more".to_owned()));
            if finished.send(Done { client, request, outcome }).is_err() {
                break;
            }
            // A door that is gone needs no waking.
            _ = waker.wake();
        }
    };
    thread::Builder::new().name(name.into()).spawn(work).map(|_| ())
}

impl Runner {
    /// Of a client without a door, which does nothing and says that the door is closing: to try a
    /// [`Session`](crate::Session) with what clients may say.
    pub fn without_door() -> Self {
        Self { lanes: LANES.map(|_| sync_channel(1).0).into(), client: 0 }
    }

    /// Does `work` when what was asked for before in its lane is done; the client's session gets
    /// the outcome.
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
