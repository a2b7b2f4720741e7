//! An action that modules of this robot serve: goals of other nodes become messages of the robot's
//! topics, and its feedback and results are sent back.

use std::sync::Arc;

use hemiola_link::ServiceStatistics;
use hemiola_link::ends::Ends;
use hemiola_link::wire::NoAnswer;
use hemiola_model::Time;
use hemiola_model::cdr::{decode, encode};
use hemiola_model::configuration::{Ros2Action, Ros2Published, Ros2Quality, Subject};
use hemiola_realtime::Wakeup;
use zenoh::Session;
use zenoh::query::Query;

use super::action_ends::{ActionEnds, DEPTH, FIRST, Part, SECOND};
use super::inbox::Inbox;
use super::publication::Publication;
use super::reactor::unix_now;
use super::request::{MOST_CALLS, Request, Served};
use crate::action::{ActionInterfaces, id_of, only_id, response_of};
use crate::action_msgs::{CancelGoalRequest, SendGoalResponse, Status};
use crate::endpoint::{Endpoint, Node};
use crate::goals::{Asked, Goals};

/// The server of an action.
pub struct ActionServer {
    ends: ActionEnds,
    declared: Option<Declared>,
    goals: Goals<Request>,
    inbox: Arc<Inbox<(Part, Query)>>,
    wakeup: Arc<Wakeup>,
    is_given_up: bool,
}

/// The entities of the server that are declared in the system.
struct Declared {
    served: Vec<Served>,
    feedback: Publication,
    status: Publication,
    /// The sequence numbers of the last feedback message and the last status message.
    last: [u64; 2],
}

/// The topics that notify the robot of goals and of requests to cancel.
const GOALS: usize = FIRST;
const CANCELS: usize = SECOND;
/// The topics on which the robot publishes feedback and results.
const FEEDBACK: usize = FIRST;
const RESULTS: usize = SECOND;

impl ActionServer {
    pub fn new(configuration: &Ros2Action, ends: Ends, wakeup: &Arc<Wakeup>) -> Self {
        Self {
            ends: ActionEnds::of_server(configuration, ends, wakeup),
            declared: None,
            goals: Goals::default(),
            inbox: Inbox::new(MOST_CALLS, wakeup.clone()),
            wakeup: wakeup.clone(),
            is_given_up: false,
        }
    }

    /// Declares the action once the robot has its topics; its endpoints get the numbers after
    /// `last_id`. Returns whether it is declared.
    ///
    /// # Errors
    /// Returns an error with the reason, once.
    pub fn look(&mut self, session: &Session, node: &Node, last_id: &mut u64) -> Result<bool, String> {
        if self.declared.is_none()
            && !self.is_given_up
            && let Some(interfaces) = self.ends.look()
        {
            let declared = interfaces.map_err(|error| error.to_string());
            let declared = declared.and_then(|interfaces| self.declare(session, &interfaces, (node, last_id)));
            self.is_given_up = declared.is_err();
            self.declared = Some(declared?);
            // From here on, no feedback or result of the robot is missed.
            self.ends.topics.subscribe(FEEDBACK, true)?;
            self.ends.topics.subscribe(RESULTS, true)?;
            self.publish_status();
        }
        Ok(self.declared.is_some())
    }

    fn declare(
        &self,
        session: &Session,
        interfaces: &ActionInterfaces,
        (node, last_id): (&Node, &mut u64),
    ) -> Result<Declared, String> {
        let name = &self.ends.configuration.name;
        let mut endpoint = |part: Part| {
            *last_id += 1;
            part.endpoint(name, interfaces, true, (node, *last_id)).map_err(|error| error.to_string())
        };
        let published = |endpoint: Endpoint, quality, depth| {
            let topic = endpoint.topic.as_str();
            let configuration = Ros2Published { depth, ..Ros2Published::new(topic, Subject::topic(topic), quality) };
            let declared = Publication::declare(session, &configuration, endpoint, self.wakeup.clone());
            declared.map_err(|error| error.to_string())
        };
        let feedback = published(endpoint(Part::Feedback)?, Ros2Quality::Reliable, DEPTH)?;
        let status = published(endpoint(Part::Status)?, Ros2Quality::TransientLocal, 1)?;
        let mut served = Vec::new();
        for part in [Part::SendGoal, Part::CancelGoal, Part::GetResult] {
            let declared = Served::declare(session, endpoint(part)?, part, self.inbox.clone());
            served.push(declared.map_err(|error| error.to_string())?);
        }
        Ok(Declared { served, feedback, status, last: [0; 2] })
    }

    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.declared.iter().flat_map(|declared| {
            let published = [&declared.feedback.endpoint, &declared.status.endpoint];
            published.into_iter().chain(declared.served.iter().map(|served| &served.endpoint))
        })
    }

    /// Returns the key at which goals are sent.
    pub fn key(&self) -> Option<&str> {
        self.declared.as_ref().map(|declared| declared.served[0].key.as_str())
    }

    /// Passes requests on to the robot, and its feedback and results back. Calls `complain` with
    /// the reason of each failure.
    pub fn turn(
        &mut self,
        now_ns: impl Fn() -> i64,
        statistics: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) {
        if self.declared.is_none() {
            return;
        }
        let mut is_changed = false;
        for (part, query) in self.inbox.drain() {
            let answered = Request::read(query).and_then(|request| match part {
                Part::SendGoal => {
                    statistics.calls += 1;
                    is_changed = true;
                    self.start(&request, now_ns()).inspect_err(|_| statistics.miss(NoAnswer::Refused))
                }
                Part::CancelGoal => {
                    is_changed = true;
                    self.cancel(&request, now_ns())
                }
                _ => self.tell_result(request, now_ns()),
            });
            answered.unwrap_or_else(&mut complain);
        }
        self.pass_feedback(&now_ns).unwrap_or_else(&mut complain);
        while let Some(waiting) = self.ends.topics.next(RESULTS) {
            match waiting.ok_or("it cannot be written".to_owned()).and_then(|it| self.end(&it.cdr, now_ns())) {
                Ok(()) => statistics.answers += 1,
                Err(reason) => complain(format!("a result of the robot does not end a goal: {reason}")),
            }
            is_changed = true;
        }
        statistics.in_flight = self.goals.running() as u64;
        if is_changed {
            self.publish_status();
        }
    }

    /// Notifies the robot of a goal.
    fn start(&mut self, request: &Request, now_ns: i64) -> Result<(), String> {
        let now = Time::from_nanoseconds(now_ns);
        let begun = match id_of(&request.cdr) {
            None => Err("it has no identity".to_owned()),
            Some(id) => self.goals.check(&id).map_err(str::to_owned).and_then(|()| {
                // The bytes are those of the topic's messages.
                self.ends.topics.publish(GOALS, &request.cdr[..])?;
                self.goals.accept(id, now);
                Ok(())
            }),
        };
        let response = SendGoalResponse { accepted: begun.is_ok(), stamp: now };
        let replied = request.reply(&encode(&response), now_ns).map_err(|error| error.to_string());
        begun.map_err(|reason| format!("a goal was not accepted: {reason}")).and(replied)
    }

    /// Notifies the robot of goals to cancel; goals for which that fails keep running.
    fn cancel(&mut self, request: &Request, now_ns: i64) -> Result<(), String> {
        let wish = match decode::<CancelGoalRequest>(&request.cdr) {
            Ok(wish) => wish,
            Err(error) => {
                request.refuse(&error.to_string());
                return Err(error.to_string());
            }
        };
        let mut response = self.goals.cancel(&wish);
        let Self { goals, ends, .. } = self;
        response.goals_canceling.retain(|info| {
            let is_told = ends.topics.publish(CANCELS, &only_id(&info.goal_id.uuid)[..]).is_ok();
            if is_told {
                goals.note_canceling(&info.goal_id.uuid);
            }
            is_told
        });
        response.reject_if_empty();
        request.reply(&encode(&response), now_ns).map_err(|error| error.to_string())
    }

    fn tell_result(&mut self, request: Request, now_ns: i64) -> Result<(), String> {
        let Some(id) = id_of(&request.cdr) else {
            request.refuse("it has no identity");
            return Err("a request for a result has no identity".to_owned());
        };
        match self.goals.ask(&id, request) {
            Asked::Waits => Ok(()),
            Asked::Ended(request, result) => request.reply(result, now_ns).map_err(|error| error.to_string()),
            Asked::Full(request) => {
                request.refuse("too many requests wait");
                Ok(())
            }
            Asked::Unknown(request) => match self.ends.nothing() {
                Some(result) => request.reply(&result, now_ns).map_err(|error| error.to_string()),
                None => {
                    request.refuse("there is no such goal");
                    Ok(())
                }
            },
        }
    }

    /// Ends a goal with a result that the robot has published.
    fn end(&mut self, result: &[u8], now_ns: i64) -> Result<(), String> {
        let (id, status, response) = response_of(result).ok_or("it is too short")?;
        let status = Status::of_end(status).ok_or("its status is not `Succeeded`, `Canceled` or `Aborted`")?;
        let waiting = self.goals.end(&id, status, response.clone()).ok_or("no goal with its identity is running")?;
        for request in waiting {
            // Whoever waited may be gone.
            _ = request.reply(&response, now_ns);
        }
        Ok(())
    }

    fn pass_feedback(&mut self, now_ns: &impl Fn() -> i64) -> Result<(), String> {
        let Self { ends, declared: Some(declared), .. } = self else { return Ok(()) };
        while let Some(waiting) = ends.topics.next(FEEDBACK) {
            let waiting = waiting.ok_or("feedback of the robot cannot be written")?;
            declared.last[0] += 1;
            let put = declared.feedback.put(declared.last[0], now_ns(), &waiting.cdr);
            put.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn publish_status(&mut self) {
        if let Some(declared) = &mut self.declared {
            declared.last[1] += 1;
            let statuses = encode(&self.goals.statuses());
            // This fails if the session is closed, and then nobody receives it.
            _ = declared.status.put(declared.last[1], unix_now(), &statuses);
        }
    }
}
