//! An action that modules of this robot serve: goals of other nodes become messages of the robot's
//! topics, and its feedback and results are sent back.

use std::sync::Arc;

use hemiola_link::ServiceStatistics;
use hemiola_link::wire::NoAnswer;
use hemiola_model::Time;
use zenoh::query::Query;

use super::ends::{ActionEnds, FIRST, SECOND};
use super::parts::{Part, Parts};
use super::{ActionSide, Turn};
use crate::action::{CANCEL, FEEDBACK, GOAL, RESULT};
use crate::endpoint::Endpoint;
use crate::goals::{Asked, Goals};
use crate::robot_node::inbox::Inbox;
use crate::robot_node::publication::Publication;
use crate::robot_node::request::{MOST_CALLS, Request, Served};

/// The server of an action.
pub struct ActionServer {
    send_goal: Served,
    cancel_goal: Served,
    get_result: Served,
    feedback: Publication,
    status: Publication,
    /// The sequence numbers of the last feedback message and the last status message.
    last: [u64; 2],
    goals: Goals<Request>,
    /// Set if the states of goals are not those that were published last.
    is_changed: bool,
    inbox: Arc<Inbox<(Part, Query)>>,
}

/// The topics that notify the robot of goals and of requests to cancel.
const GOALS: usize = FIRST;
const CANCELS: usize = SECOND;
/// The topics on which the robot publishes feedback and results.
const FEEDBACKS: usize = FIRST;
const RESULTS: usize = SECOND;

impl ActionSide for ActionServer {
    const IS_SERVER: bool = true;
    const PUBLISHED: [&'static str; 2] = [GOAL, CANCEL];
    const READ: [&'static str; 2] = [FEEDBACK, RESULT];
    const FAILURE: &'static str = "is not served";

    fn declare(parts: &mut Parts<'_>) -> Result<Self, String> {
        let inbox = Inbox::new(MOST_CALLS, parts.wakeup.clone());
        Ok(Self {
            feedback: parts.publication(Part::Feedback)?,
            status: parts.publication(Part::Status)?,
            send_goal: parts.served(Part::SendGoal, &inbox)?,
            cancel_goal: parts.served(Part::CancelGoal, &inbox)?,
            get_result: parts.served(Part::GetResult, &inbox)?,
            last: [0; 2],
            goals: Goals::default(),
            is_changed: true,
            inbox,
        })
    }

    fn endpoints(&self) -> Vec<&Endpoint> {
        let Self { send_goal, cancel_goal, get_result, feedback, status, .. } = self;
        let served = [send_goal, cancel_goal, get_result].map(|served| &served.endpoint);
        [&[&feedback.endpoint, &status.endpoint][..], &served].concat()
    }

    fn key(&self) -> &str {
        &self.send_goal.key
    }

    fn turn(
        &mut self,
        ends: &mut ActionEnds,
        &Turn { unix_ns, .. }: &Turn<'_>,
        shown: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) {
        for (part, query) in self.inbox.drain() {
            let answered = Request::read(query).and_then(|request| match part {
                Part::SendGoal => {
                    shown.calls += 1;
                    self.start(ends, &request, unix_ns).inspect_err(|_| shown.miss(NoAnswer::Refused))
                }
                Part::CancelGoal => self.cancel(ends, &request, unix_ns),
                _ => self.tell_result(ends, request, unix_ns),
            });
            answered.unwrap_or_else(&mut complain);
        }
        self.pass_feedback(ends, unix_ns).unwrap_or_else(&mut complain);
        while let Some(waiting) = ends.topics.next(RESULTS) {
            match waiting.ok_or("it cannot be written".to_owned()).and_then(|it| self.end(&it.cdr, unix_ns)) {
                Ok(()) => shown.answers += 1,
                Err(reason) => complain(format!("a result of the robot does not end a goal: {reason}")),
            }
        }
        shown.in_flight = self.goals.running() as u64;
        if std::mem::take(&mut self.is_changed) {
            self.last[1] += 1;
            // This fails if the session is closed, and then nobody receives it.
            _ = self.status.put(self.last[1], unix_ns, &self.goals.status());
        }
    }
}

impl ActionServer {
    /// Notifies the robot of a goal.
    fn start(&mut self, ends: &mut ActionEnds, request: &Request, unix_ns: i64) -> Result<(), String> {
        self.is_changed = true;
        let start = |goal: &[u8]| ends.topics.publish(GOALS, goal);
        let (response, started) = self.goals.send_goal(&request.cdr, Time::from_nanoseconds(unix_ns), start);
        let replied = request.reply(&response, unix_ns).map_err(|error| error.to_string());
        started.and(replied)
    }

    /// Notifies the robot of goals to cancel; goals for which that fails keep running.
    fn cancel(&mut self, ends: &mut ActionEnds, request: &Request, unix_ns: i64) -> Result<(), String> {
        self.is_changed = true;
        let notify = |wish: &[u8]| ends.topics.publish(CANCELS, wish).is_ok();
        match self.goals.cancel_goal(&request.cdr, notify) {
            Ok(response) => request.reply(&response, unix_ns).map_err(|error| error.to_string()),
            Err(reason) => {
                request.refuse(&reason);
                Err(reason)
            }
        }
    }

    fn tell_result(&mut self, ends: &ActionEnds, mut request: Request, unix_ns: i64) -> Result<(), String> {
        let cdr = std::mem::take(&mut request.cdr);
        match self.goals.get_result(&cdr, request) {
            Asked::Waits => Ok(()),
            Asked::Ended(request, result) => request.reply(result, unix_ns).map_err(|error| error.to_string()),
            Asked::Full(request) => {
                request.refuse("too many requests wait");
                Ok(())
            }
            Asked::Unreadable(request) => {
                request.refuse("it has no identity");
                Err("a request for a result has no identity".to_owned())
            }
            Asked::Unknown(request) => match ends.nothing() {
                Some(result) => request.reply(&result, unix_ns).map_err(|error| error.to_string()),
                None => {
                    request.refuse("there is no such goal");
                    Ok(())
                }
            },
        }
    }

    /// Ends a goal with a result that the robot has published.
    fn end(&mut self, result: &[u8], unix_ns: i64) -> Result<(), String> {
        self.is_changed = true;
        let (waiting, response) = self.goals.finish(result)?;
        for request in waiting {
            // Whoever waited may be gone.
            _ = request.reply(&response, unix_ns);
        }
        Ok(())
    }

    fn pass_feedback(&mut self, ends: &mut ActionEnds, unix_ns: i64) -> Result<(), String> {
        while let Some(waiting) = ends.topics.next(FEEDBACKS) {
            let waiting = waiting.ok_or("feedback of the robot cannot be written")?;
            self.last[0] += 1;
            let put = self.feedback.put(self.last[0], unix_ns, &waiting.cdr);
            put.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
