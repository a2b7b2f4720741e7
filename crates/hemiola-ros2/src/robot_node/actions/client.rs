//! An action of other nodes that modules of this robot use: the goals that they publish are sent,
//! and feedback and results come back as messages.

use std::time::Duration;

use hemiola_link::ServiceStatistics;
use hemiola_link::ends::plain;
use hemiola_link::wire::NoAnswer;

use super::ends::{ActionEnds, FIRST, SECOND};
use super::parts::{Part, Parts};
use super::{ActionSide, Turn};
use crate::action::{CANCEL, FEEDBACK, GOAL, RESULT};
use crate::attachment::Gid;
use crate::endpoint::Endpoint;
use crate::pursuits::{Ended, Pursuits};
use crate::robot_node::call::{Answer, Caller};
use crate::robot_node::request::MOST_CALLS;
use crate::robot_node::subscription::Subscription;

/// The client of an action.
pub struct ActionClient {
    send_goal: Caller,
    cancel_goal: Caller,
    get_result: Caller,
    feedback: Subscription,
    /// The number of goals sent so far, from which their identities are made.
    sent: u64,
    pursuits: Pursuits<Answer>,
    /// The requests to cancel that are not answered yet.
    cancels: Vec<Answer>,
}

/// The topics that notify the robot of the feedback and the results of goals.
const FEEDBACKS: usize = FIRST;
const RESULTS: usize = SECOND;
/// The topics on which the robot publishes goals and requests to cancel.
const GOALS: usize = FIRST;
const CANCELS: usize = SECOND;
/// The time within which a server must accept or reject a goal.
const PATIENCE: Duration = Duration::from_secs(600);
/// The time within which a goal must end.
const PATIENCE_FOR_RESULT: Duration = Duration::from_secs(7 * 24 * 3600);

impl ActionSide for ActionClient {
    const IS_SERVER: bool = false;
    const PUBLISHED: [&'static str; 2] = [FEEDBACK, RESULT];
    const READ: [&'static str; 2] = [GOAL, CANCEL];
    const FAILURE: &'static str = "has no client";

    fn declare(parts: &mut Parts<'_>) -> Result<Self, String> {
        Ok(Self {
            feedback: parts.subscription(Part::Feedback)?,
            send_goal: parts.caller(Part::SendGoal)?,
            cancel_goal: parts.caller(Part::CancelGoal)?,
            get_result: parts.caller(Part::GetResult)?,
            sent: 0,
            pursuits: Pursuits::default(),
            cancels: Vec::new(),
        })
    }

    fn endpoints(&self) -> Vec<&Endpoint> {
        let Self { send_goal, cancel_goal, get_result, feedback, .. } = self;
        vec![&send_goal.endpoint, &cancel_goal.endpoint, &get_result.endpoint, &feedback.endpoint]
    }

    fn key(&self) -> &str {
        &self.send_goal.key
    }

    fn turn(
        &mut self,
        ends: &mut ActionEnds,
        now: &Turn<'_>,
        shown: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) {
        while let Some(waiting) = ends.topics.next(GOALS) {
            shown.calls += 1;
            let sent = waiting.ok_or("it cannot be written".to_owned());
            let sent = sent.and_then(|goal| self.send(ends, now, &goal.cdr));
            if let Err(reason) = sent {
                shown.miss(NoAnswer::Refused);
                complain(format!("a goal was not sent: {reason}"));
            }
        }
        while let Some(waiting) = ends.topics.next(CANCELS) {
            if let Some(wish) = waiting {
                self.cancel(now, &wish.cdr).unwrap_or_else(&mut complain);
            }
        }
        self.cancels.retain_mut(|answer| answer.poll().is_none());
        self.pass_feedback(ends).unwrap_or_else(&mut complain);
        let get_result = &mut self.get_result;
        let ask = |request: &[u8]| {
            let asked = get_result.ask(now.session, request, now.unix_ns, PATIENCE_FOR_RESULT);
            asked.map_err(|error| error.to_string())
        };
        for ended in self.pursuits.advance(Answer::poll, ask) {
            match &ended.response {
                Ok(Some(_)) => shown.answers += 1,
                Ok(None) => shown.miss(NoAnswer::Ended),
                Err(reason) => {
                    shown.miss(NoAnswer::Refused);
                    complain(format!("a goal has no result: {}", plain(reason)));
                }
            }
            tell(ends, &ended).unwrap_or_else(&mut complain);
        }
        shown.in_flight = self.pursuits.running() as u64;
    }
}

impl ActionClient {
    /// Sends a goal of the robot; one that cannot be sent gets its result at once.
    fn send(&mut self, ends: &mut ActionEnds, now: &Turn<'_>, goal: &[u8]) -> Result<(), String> {
        let Self { send_goal, sent, pursuits, .. } = self;
        let outcome = if pursuits.running() >= MOST_CALLS {
            Err("too many goals are running".to_owned())
        } else {
            *sent += 1;
            let id = Gid::of(&format!("{} {sent}", send_goal.endpoint.token())).0;
            pursuits.send(goal, id, |request| {
                send_goal.ask(now.session, request, now.unix_ns, PATIENCE).map_err(|error| error.to_string())
            })
        };
        outcome.or_else(|reason| tell(ends, &Ended::unsent(goal, reason.clone())?).and(Err(reason)))
    }

    fn cancel(&mut self, now: &Turn<'_>, wish: &[u8]) -> Result<(), String> {
        if let Some(request) = self.pursuits.cancel(wish)
            && self.cancels.len() < MOST_CALLS
        {
            let answer = self.cancel_goal.ask(now.session, &request, now.unix_ns, PATIENCE);
            self.cancels.push(answer.map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    fn pass_feedback(&mut self, ends: &mut ActionEnds) -> Result<(), String> {
        for arrived in self.feedback.inbox.drain() {
            // Feedback on goals of other clients is ignored.
            if let Some(message) = self.pursuits.feedback(&arrived.cdr) {
                ends.topics.publish(FEEDBACKS, &message[..])?;
            }
        }
        Ok(())
    }
}

/// Publishes the result of a goal to the robot.
fn tell(ends: &mut ActionEnds, ended: &Ended) -> Result<(), String> {
    let unknown = if matches!(ended.response, Ok(Some(_))) { None } else { ends.nothing() };
    let message = ended.message(unknown.as_deref())?;
    ends.topics.publish(RESULTS, &message[..])
}
