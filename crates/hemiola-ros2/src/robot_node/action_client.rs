//! An action of other nodes that modules of this robot use: the goals that they publish are sent,
//! and feedback and results come back as messages.

use std::sync::Arc;
use std::time::Duration;

use hemiola_link::ServiceStatistics;
use hemiola_link::ends::{Ends, plain};
use hemiola_link::wire::NoAnswer;
use hemiola_model::cdr::encode;
use hemiola_model::configuration::{Ros2Action, Ros2Subscribed, Subject};
use hemiola_realtime::Wakeup;
use zenoh::Session;

use super::action_ends::{ActionEnds, DEPTH, FIRST, Part, SECOND};
use super::call::{Answer, Caller, Outcome};
use super::request::MOST_CALLS;
use super::subscription::Subscription;
use crate::action::{ActionInterfaces, id_of, only_id, result_of, with_id};
use crate::action_msgs::{CancelGoalRequest, GoalId, GoalInfo, Uuid};
use crate::attachment::Gid;
use crate::endpoint::{Endpoint, Node};

/// The client of an action.
pub struct ActionClient {
    ends: ActionEnds,
    declared: Option<Declared>,
    pursued: Vec<Pursued>,
    /// The requests to cancel that are not answered yet.
    cancels: Vec<Answer>,
    wakeup: Arc<Wakeup>,
    is_given_up: bool,
}

/// The entities of the client that are declared in the system.
struct Declared {
    send_goal: Caller,
    cancel_goal: Caller,
    get_result: Caller,
    feedback: Subscription,
    /// The number of goals sent so far, from which their identities are made.
    sent: u64,
}

/// A goal that has been sent and has not ended.
struct Pursued {
    /// The goal's identity in this robot, and its unique identity in the system.
    own: GoalId,
    id: GoalId,
    stage: Stage,
}

enum Stage {
    /// The goal is sent, and not accepted yet.
    Sent(Answer),
    /// The goal is accepted, and running until its result arrives.
    Accepted(Answer),
}

/// The topics that notify the robot of the feedback and the results of goals.
const FEEDBACK: usize = FIRST;
const RESULTS: usize = SECOND;
/// The topics on which the robot publishes goals and requests to cancel.
const GOALS: usize = FIRST;
const CANCELS: usize = SECOND;
/// The time within which a server must accept or reject a goal.
const PATIENCE: Duration = Duration::from_secs(600);
/// The time within which a goal must end.
const PATIENCE_FOR_RESULT: Duration = Duration::from_secs(7 * 24 * 3600);

impl ActionClient {
    pub fn new(configuration: &Ros2Action, ends: Ends, wakeup: &Arc<Wakeup>) -> Self {
        Self {
            ends: ActionEnds::of_client(configuration, ends, wakeup),
            declared: None,
            pursued: Vec::new(),
            cancels: Vec::new(),
            wakeup: wakeup.clone(),
            is_given_up: false,
        }
    }

    /// Declares the client once the robot has the action's topics; its endpoints get the numbers
    /// after `last_id`. Returns whether it is declared.
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
            self.ends.topics.subscribe(GOALS, true)?;
            self.ends.topics.subscribe(CANCELS, true)?;
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
            part.endpoint(name, interfaces, false, (node, *last_id)).map_err(|error| error.to_string())
        };
        let caller = |endpoint| Caller::declare(session, endpoint, self.wakeup.clone()).map_err(|it| it.to_string());
        let feedback = endpoint(Part::Feedback)?;
        let topic = feedback.topic.as_str();
        let configuration = Ros2Subscribed { depth: DEPTH, ..Ros2Subscribed::new(topic, Subject::topic(topic)) };
        let feedback = Subscription::declare(session, &configuration, feedback, self.wakeup.clone());
        Ok(Declared {
            feedback: feedback.map_err(|error| error.to_string())?,
            send_goal: caller(endpoint(Part::SendGoal)?)?,
            cancel_goal: caller(endpoint(Part::CancelGoal)?)?,
            get_result: caller(endpoint(Part::GetResult)?)?,
            sent: 0,
        })
    }

    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.declared.iter().flat_map(|Declared { send_goal, cancel_goal, get_result, feedback, .. }| {
            [&send_goal.endpoint, &cancel_goal.endpoint, &get_result.endpoint, &feedback.endpoint]
        })
    }

    /// Returns the key at which goals are sent.
    pub fn key(&self) -> Option<&str> {
        self.declared.as_ref().map(|declared| declared.send_goal.key.as_str())
    }

    /// Sends the robot's goals, and publishes their feedback and results. Calls `complain` with the
    /// reason of each failure.
    pub fn turn(
        &mut self,
        session: &Session,
        now_ns: impl Fn() -> i64,
        statistics: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) {
        if self.declared.is_none() {
            return;
        }
        while let Some(waiting) = self.ends.topics.next(GOALS) {
            statistics.calls += 1;
            let sent = waiting.ok_or("it cannot be written".to_owned());
            let sent = sent.and_then(|goal| self.send(session, &goal.cdr, now_ns()));
            if let Err(reason) = sent {
                statistics.miss(NoAnswer::Refused);
                complain(format!("a goal was not sent: {reason}"));
            }
        }
        while let Some(waiting) = self.ends.topics.next(CANCELS) {
            if let Some(id) = waiting.and_then(|wish| id_of(&wish.cdr)) {
                self.cancel(session, &id, now_ns()).unwrap_or_else(&mut complain);
            }
        }
        self.cancels.retain_mut(|answer| answer.poll().is_none());
        self.pass_feedback().unwrap_or_else(&mut complain);
        for index in (0..self.pursued.len()).rev() {
            if let Some(outcome) = self.go_on(session, index, now_ns()) {
                let Pursued { own, .. } = self.pursued.remove(index);
                let result = outcome.map_or_else(|| Ok(None), |answer| answer.map(Some));
                match &result {
                    Ok(Some(_)) => statistics.answers += 1,
                    Ok(None) => statistics.miss(NoAnswer::Ended),
                    Err(_) => statistics.miss(NoAnswer::Refused),
                }
                let response = result.unwrap_or_else(|reason| {
                    complain(format!("a goal has no result: {}", plain(&reason)));
                    None
                });
                self.tell(&own, response.as_deref()).unwrap_or_else(&mut complain);
            }
        }
        statistics.in_flight = self.pursued.len() as u64;
    }

    /// Sends a goal of the robot; one that cannot be sent gets its result at once.
    fn send(&mut self, session: &Session, goal: &[u8], now_ns: i64) -> Result<(), String> {
        let own = id_of(goal).ok_or("it has no identity")?;
        let Some(declared) = &mut self.declared else { return Ok(()) };
        let sent = if self.pursued.len() >= MOST_CALLS {
            Err("too many goals are running".to_owned())
        } else {
            declared.sent += 1;
            let id = Gid::of(&format!("{} {}", declared.send_goal.endpoint.token(), declared.sent)).0;
            let goal = with_id(goal, &id).ok_or("it has no identity")?;
            let answer = declared.send_goal.ask(session, &goal, now_ns, PATIENCE);
            answer.map(|answer| (id, answer)).map_err(|error| error.to_string())
        };
        match sent {
            Ok((id, answer)) => {
                self.pursued.push(Pursued { own, id, stage: Stage::Sent(answer) });
                Ok(())
            }
            Err(reason) => self.tell(&own, None).and(Err(reason)),
        }
    }

    fn cancel(&mut self, session: &Session, own: &GoalId, now_ns: i64) -> Result<(), String> {
        let found = self.pursued.iter().find(|pursued| pursued.own == *own);
        let (Some(Pursued { id, .. }), Some(declared)) = (found, &mut self.declared) else {
            return Ok(());
        };
        if self.cancels.len() < MOST_CALLS {
            let goal_id = Uuid { uuid: *id };
            let wish = CancelGoalRequest { goal_info: GoalInfo { goal_id, ..GoalInfo::default() } };
            let answer = declared.cancel_goal.ask(session, &encode(&wish), now_ns, PATIENCE);
            self.cancels.push(answer.map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    /// Advances a goal. Returns how it has ended, if it has: with the response that contains its
    /// result, or with an unknown result.
    fn go_on(&mut self, session: &Session, index: usize, now_ns: i64) -> Option<Option<Result<Vec<u8>, String>>> {
        let Pursued { id, stage, .. } = &mut self.pursued[index];
        match stage {
            Stage::Sent(answer) => match answer.poll()? {
                Outcome::Answered(Ok(response)) if response.get(4) == Some(&1) => {
                    let get_result = &mut self.declared.as_mut()?.get_result;
                    match get_result.ask(session, &only_id(id), now_ns, PATIENCE_FOR_RESULT) {
                        Ok(answer) => *stage = Stage::Accepted(answer),
                        Err(error) => return Some(Some(Err(error.to_string()))),
                    }
                    None
                }
                Outcome::Answered(Ok(_)) => Some(Some(Err("it was not accepted".to_owned()))),
                Outcome::Answered(Err(reason)) => Some(Some(Err(reason))),
                Outcome::Over => Some(None),
            },
            Stage::Accepted(answer) => Some(match answer.poll()? {
                Outcome::Answered(answer) => Some(answer),
                Outcome::Over => None,
            }),
        }
    }

    /// Publishes the result of a goal to the robot; `None` is the result of an unknown goal.
    fn tell(&mut self, own: &GoalId, response: Option<&[u8]>) -> Result<(), String> {
        let nothing = if response.is_none() { self.ends.nothing() } else { None };
        let response = response.or(nothing.as_deref()).ok_or("the robot has no result to say so")?;
        let result = result_of(response, own).ok_or("the answer of the server is too short")?;
        self.ends.topics.publish(RESULTS, &result[..])
    }

    fn pass_feedback(&mut self) -> Result<(), String> {
        let Some(declared) = &mut self.declared else { return Ok(()) };
        for arrived in declared.feedback.inbox.drain() {
            let goal = id_of(&arrived.cdr).and_then(|id| self.pursued.iter().find(|pursued| pursued.id == id));
            // Feedback on goals of other clients is ignored.
            if let Some(message) = goal.and_then(|goal| with_id(&arrived.cdr, &goal.own)) {
                self.ends.topics.publish(FEEDBACK, &message[..])?;
            }
        }
        Ok(())
    }
}
