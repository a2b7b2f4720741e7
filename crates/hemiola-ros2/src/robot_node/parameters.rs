//! The services for parameters: with them, `ros2 param` lists, gets, sets and describes the
//! parameters of the robot's modules.
//!
//! They run on a thread of their own, because a change calls constructors of users and waits for
//! cycles.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

use hemiola_link::ends::{Remarks, contained};
use hemiola_realtime::{ThreadSettings, Wakeup, spawn};
use hemiola_runtime::RobotHandle;
use zenoh::Session;
use zenoh::query::Query;

use super::inbox::Inbox;
use super::reactor::unix_now;
use super::request::{MOST_CALLS, Request, Served};
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::TopicName;
use crate::quality::Quality;
use crate::rcl_interfaces::ParameterService;

/// The services for parameters, which are declared as long as this is kept.
pub struct ParameterServer {
    served: Vec<Served>,
    /// Ends the thread when it is dropped.
    end: Option<SyncSender<()>>,
    wakeup: Arc<Wakeup>,
    ended: Receiver<()>,
}

/// The depth that ROS 2 gives to these services.
const DEPTH: usize = 1000;
/// The time that a change is given to end when the node leaves.
const END_PATIENCE: Duration = Duration::from_millis(500);

impl ParameterServer {
    /// Declares the services, whose endpoints are numbered from `id` on: as many as
    /// [`ParameterService::ALL`] has.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn open(
        session: &Session,
        (node, id): (&Node, u64),
        robot: &RobotHandle,
        mut remarks: Remarks,
    ) -> Result<Self, String> {
        let wakeup = Arc::new(Wakeup::new());
        let inbox = Inbox::new(MOST_CALLS, wakeup.clone());
        let mut served = Vec::new();
        for (service, id) in ParameterService::ALL.into_iter().zip(id..) {
            let endpoint = endpoint(node, id, service).map_err(|error| error.to_string())?;
            let declared = Served::declare(session, endpoint, service, inbox.clone());
            served.push(declared.map_err(|error| error.to_string())?);
        }
        let (end, ending) = sync_channel::<()>(0);
        let (ended_here, ended) = sync_channel(0);
        let (robot, bell) = (robot.clone(), wakeup.clone());
        let serve = move || {
            let _ended = ended_here;
            loop {
                let seen = bell.generation();
                if ending.try_recv() != Err(TryRecvError::Empty) {
                    return;
                }
                for (service, query) in inbox.drain() {
                    if let Err(reason) = answer(&robot, service, query) {
                        remarks.tell(format!("a call of `{}` has no answer: {reason}", service.name()));
                    }
                }
                bell.wait(seen, None);
            }
        };
        spawn(ThreadSettings::new("hemiola ros2 set"), serve).map_err(|error| error.to_string())?;
        Ok(Self { served, end: Some(end), wakeup, ended })
    }

    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.served.iter().map(|served| &served.endpoint)
    }
}

impl Drop for ParameterServer {
    fn drop(&mut self) {
        self.served.clear();
        self.end = None;
        self.wakeup.notify_all();
        // A change that hangs in user code keeps the thread, and nobody waits for it.
        _ = self.ended.recv_timeout(END_PATIENCE);
    }
}

fn endpoint(node: &Node, id: u64, service: ParameterService) -> Result<Endpoint, Ros2Error> {
    let (kind, quality) = (EndpointKind::Server, Quality { depth: DEPTH, ..Quality::default() });
    let topic = TopicName::of(&node.name, &format!("~/{}", service.name()))?;
    Ok(Endpoint { node: node.clone(), id, kind, topic, interface: service.interface()?, quality })
}

/// Answers a request.
///
/// # Errors
/// Returns an error with the reason if it cannot be read. Then the caller has been refused.
fn answer(robot: &RobotHandle, service: ParameterService, query: Query) -> Result<(), String> {
    let request = Request::read(query)?;
    match contained(|| service.answer(robot, &request.cdr)).and_then(|response| response) {
        Ok(cdr) => request.reply(&cdr, unix_now()).map_err(|error| error.to_string()),
        Err(reason) => {
            request.refuse(&reason);
            Err(reason)
        }
    }
}
