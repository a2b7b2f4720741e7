//! The services for parameters: with them, `ros2 param` lists, gets, sets and describes the
//! parameters of the robot's modules.
//!
//! They run on a thread of their own, because a change calls constructors of users and waits for
//! cycles.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

use hemiola_link::ends::{Remarks, contained};
use hemiola_model::Value;
use hemiola_model::cdr::{decode, encode};
use hemiola_model::data::Data;
use hemiola_realtime::{ThreadSettings, Wakeup, spawn};
use hemiola_runtime::{Change, RobotHandle};
use zenoh::Session;
use zenoh::query::Query;

use super::inbox::Inbox;
use super::reactor::unix_now;
use super::request::{MOST_CALLS, Request, Served};
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::TopicName;
use crate::parameters::{Entry, ParameterTable};
use crate::quality::Quality;
use crate::rcl_interfaces::{
    ListParameters, Names, Parameter, ParameterDescriptor, ParameterService, ParameterValue, Parameters,
    SetParametersResult,
};

/// The services for parameters, which are declared as long as this is kept.
pub struct ParameterServer {
    served: Vec<Served>,
    /// Ends the thread when it is dropped.
    end: Option<SyncSender<()>>,
    wakeup: Arc<Wakeup>,
    ended: Receiver<()>,
}

/// The author of changes, as the journal names it.
const WHO: &str = "a node of ROS 2";
/// The depth that ROS 2 gives to these services.
const DEPTH: usize = 1000;
/// The maximum number of bytes of a request.
const LARGEST_REQUEST: usize = 1 << 20;
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
    match contained(|| response(robot, service, &request.cdr)).and_then(|response| response) {
        Ok(cdr) => request.reply(&cdr, unix_now()).map_err(|error| error.to_string()),
        Err(reason) => {
            request.refuse(&reason);
            Err(reason)
        }
    }
}

fn response(robot: &RobotHandle, service: ParameterService, cdr: &[u8]) -> Result<Vec<u8>, String> {
    let table = ParameterTable::of(robot);
    Ok(match service {
        ParameterService::List => encode(&table.list(&read::<ListParameters>(cdr)?)),
        ParameterService::Get => {
            let values = read::<Names>(cdr)?.names.iter().map(|name| table.value(name)).collect();
            encode::<Vec<ParameterValue>>(&values)
        }
        ParameterService::GetTypes => {
            let types = read::<Names>(cdr)?.names.iter().map(|name| table.value(name).kind).collect();
            encode::<Vec<u8>>(&types)
        }
        ParameterService::Describe => {
            let descriptors = read::<Names>(cdr)?.names.iter().map(|name| table.describe(name)).collect();
            encode::<Vec<ParameterDescriptor>>(&descriptors)
        }
        ParameterService::Set => {
            let results = read::<Parameters>(cdr)?.parameters.iter().map(|wanted| set(robot, &table, wanted)).collect();
            encode::<Vec<SetParametersResult>>(&results)
        }
        ParameterService::SetAtomically => {
            encode(&result(set_all(robot, &table, &read::<Parameters>(cdr)?.parameters)))
        }
    })
}

fn read<T: Data>(cdr: &[u8]) -> Result<T, String> {
    if cdr.len() > LARGEST_REQUEST {
        return Err(format!(
            "the request has {} bytes, which is more than a request for parameters may have",
            cdr.len()
        ));
    }
    decode(cdr).map_err(|error| error.to_string())
}

fn set(robot: &RobotHandle, table: &ParameterTable, wanted: &Parameter) -> SetParametersResult {
    result(table.accept(wanted).and_then(|(entry, value)| {
        robot.change_by(change(entry, value), WHO).wait().map_err(|error| error.to_string())
    }))
}

/// Sets all parameters, or none: each is checked before the first one is changed, and if the robot
/// refuses one nevertheless, the ones before it get their previous values back.
fn set_all(robot: &RobotHandle, table: &ParameterTable, wanted: &[Parameter]) -> Result<(), String> {
    let accepted: Vec<(&Entry, Value)> = wanted.iter().map(|wanted| table.accept(wanted)).collect::<Result<_, _>>()?;
    let mut pending = Vec::new();
    for (entry, value) in &accepted {
        let mut change = robot.change_by(change(entry, value.clone()), WHO);
        if let Some(Err(error)) = change.poll() {
            let reason = error.to_string();
            for (entry, _) in accepted.iter().take(pending.len()) {
                // A parameter that accepted the new value accepts its previous one.
                drop(robot.change_by(self::change(entry, entry.value.clone()), WHO));
            }
            return Err(reason);
        }
        pending.push(change);
    }
    pending.into_iter().try_for_each(|change| change.wait().map_err(|error| error.to_string()))
}

fn change(entry: &Entry, value: Value) -> Change {
    Change::parameter(entry.owner, entry.description.name.clone(), value)
}

fn result(outcome: Result<(), String>) -> SetParametersResult {
    SetParametersResult { successful: outcome.is_ok(), reason: outcome.err().unwrap_or_default() }
}
