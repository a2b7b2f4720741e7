//! The goals of an action server: which are accepted, which are canceled, and who waits for which
//! result. Nothing here touches a session or a clock.

use hemiola_model::Time;
use hemiola_model::cdr::{decode, encode};

use crate::action::{id_of, only_id, response_of};
use crate::action_msgs::{
    CancelGoalRequest, CancelGoalResponse, Canceled, GoalId, GoalInfo, GoalStatus, GoalStatusArray, SendGoalResponse,
    Status, Uuid,
};

/// The goals of an action server, in the order in which they were accepted. Requests, responses and
/// messages are in CDR, and requests may come from anybody. `W` identifies whoever waits for a
/// result.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_ros2::{Asked, Goals};
///
/// let mut goals = Goals::default();
/// // A goal begins with its identity, which is 16 bytes long.
/// let goal = [&[0, 1, 0, 0][..], &[7; 16]].concat();
/// let (response, started) = goals.send_goal(&goal, Time::ZERO, |_message| Ok(()));
/// assert_eq!((response[4], started), (1, Ok(())));
/// assert!(matches!(goals.get_result(&goal, "Ada"), Asked::Waits));
/// // The robot says that it has succeeded, with a result that has no fields.
/// let (waiting, response) = goals.finish(&[&goal[..], &[4]].concat())?;
/// assert_eq!((waiting, response), (vec!["Ada"], vec![0, 1, 0, 0, 4]));
/// # Ok::<(), String>(())
/// ```
pub struct Goals<W> {
    goals: Vec<Goal<W>>,
}

struct Goal<W> {
    info: GoalInfo,
    status: Status,
    /// The response to requests for the result, once there is one.
    result: Option<Vec<u8>>,
    waiting: Vec<W>,
}

/// The outcome of a request for a result. See [`Goals`].
#[derive(Debug)]
pub enum Asked<'g, W> {
    /// The goal has ended, and this is its result.
    Ended(W, &'g [u8]),
    /// The goal is still running; its end answers the request.
    Waits,
    /// There is no such goal.
    Unknown(W),
    /// The limit of requests that wait for this goal is reached.
    Full(W),
    /// The request has no identity.
    Unreadable(W),
}

/// The maximum number of running goals.
const MOST_RUNNING: usize = 64;
/// The maximum number of ended goals whose results are kept.
const MOST_ENDED: usize = 16;
/// The maximum number of requests that wait for the result of one goal.
const MOST_WAITING: usize = 16;

impl<W> Default for Goals<W> {
    fn default() -> Self {
        Self { goals: Vec::new() }
    }
}

impl<W> Goals<W> {
    /// Returns the number of running goals.
    pub fn running(&self) -> usize {
        self.goals.iter().filter(|goal| !goal.status.is_end()).count()
    }

    /// Decides on a request of the service `send_goal`. Calls `start` with the message that
    /// notifies the robot of the goal. Returns the response, and why the goal was not accepted if
    /// it was not.
    pub fn send_goal(
        &mut self,
        request: &[u8],
        now: Time,
        start: impl FnOnce(&[u8]) -> Result<(), String>,
    ) -> (Vec<u8>, Result<(), String>) {
        let started = match id_of(request) {
            None => Err("it has no identity".to_owned()),
            Some(id) => self.check(&id).map_err(str::to_owned).and_then(|()| {
                // The bytes are those of the topic's messages.
                start(request)?;
                self.accept(id, now);
                Ok(())
            }),
        };
        let response = SendGoalResponse { accepted: started.is_ok(), stamp: now };
        (encode(&response), started.map_err(|reason| format!("a goal was not accepted: {reason}")))
    }

    /// Decides on a request of the service `cancel_goal`. Calls `notify` with each message that
    /// notifies the robot of a goal to cancel; goals for which that returns `false` keep running.
    /// Returns the response.
    ///
    /// # Errors
    /// Returns an error with the reason if the request cannot be read.
    pub fn cancel_goal(&mut self, request: &[u8], mut notify: impl FnMut(&[u8]) -> bool) -> Result<Vec<u8>, String> {
        let wish = decode::<CancelGoalRequest>(request).map_err(|error| error.to_string())?;
        let mut response = self.cancel(&wish);
        response.goals_canceling.retain(|info| {
            let is_notified = notify(&only_id(&info.goal_id.uuid));
            if is_notified {
                self.note_canceling(&info.goal_id.uuid);
            }
            is_notified
        });
        response.reject_if_empty();
        Ok(encode(&response))
    }

    /// Decides on a request of the service `get_result`, which `who` has sent.
    pub fn get_result(&mut self, request: &[u8], who: W) -> Asked<'_, W> {
        match id_of(request) {
            Some(id) => self.ask(&id, who),
            None => Asked::Unreadable(who),
        }
    }

    /// Ends a goal with the message of its result from the robot. Returns those who wait for the
    /// result, and the response to them.
    ///
    /// # Errors
    /// Returns an error with the reason if the message does not end a goal that is running.
    pub fn finish(&mut self, result: &[u8]) -> Result<(Vec<W>, Vec<u8>), String> {
        let (id, status, response) = response_of(result).ok_or("it is too short")?;
        let status = Status::of_end(status).ok_or("its status is not `Succeeded`, `Canceled` or `Aborted`")?;
        let waiting = self.end(&id, status, response.clone()).ok_or("no goal with its identity is running")?;
        Ok((waiting, response))
    }

    /// Returns the message of the topic `status`, with the states of all goals.
    pub fn status(&self) -> Vec<u8> {
        encode(&self.statuses())
    }

    /// Returns whether another goal can be accepted.
    ///
    /// # Errors
    /// Returns an error with the reason if it cannot.
    fn check(&self, id: &GoalId) -> Result<(), &'static str> {
        if self.find(id).is_some() {
            return Err("there already is a goal with this identity");
        }
        if self.running() >= MOST_RUNNING { Err("too many goals are running") } else { Ok(()) }
    }

    /// Adds a goal that has been accepted.
    fn accept(&mut self, id: GoalId, now: Time) {
        let info = GoalInfo { goal_id: Uuid { uuid: id }, stamp: now };
        self.goals.push(Goal { info, status: Status::Executing, result: None, waiting: Vec::new() });
    }

    /// Returns the goals that a request asks to cancel, by the rules of
    /// `action_msgs/srv/CancelGoal`, as the response that is right if the robot is notified of each
    /// of them.
    fn cancel(&self, CancelGoalRequest { goal_info: wanted }: &CancelGoalRequest) -> CancelGoalResponse {
        let (is_any, is_ever) = (wanted.goal_id == Uuid::default(), wanted.stamp == Time::ZERO);
        let running = self.goals.iter().filter(|goal| !goal.status.is_end());
        let is_meant = |goal: &&Goal<W>| match (is_any, is_ever) {
            (true, true) => true,
            (_, true) => goal.info.goal_id == wanted.goal_id,
            (_, false) => goal.info.goal_id == wanted.goal_id || goal.info.stamp <= wanted.stamp,
        };
        let goals_canceling: Vec<GoalInfo> = running.filter(is_meant).map(|goal| goal.info).collect();
        let code = match (goals_canceling.is_empty(), is_any, self.find(&wanted.goal_id.uuid)) {
            (false, ..) => Canceled::None,
            (true, false, None) => Canceled::UnknownGoal,
            (true, false, Some(_)) => Canceled::Terminated,
            (true, true, _) => Canceled::Rejected,
        };
        CancelGoalResponse { return_code: code as i8, goals_canceling }
    }

    /// Notes that a goal is being canceled.
    fn note_canceling(&mut self, id: &GoalId) {
        if let Some(goal) = self.find_mut(id).filter(|goal| !goal.status.is_end()) {
            goal.status = Status::Canceling;
        }
    }

    /// Ends a goal. Returns those who wait for its result; `None` if no such goal is running.
    fn end(&mut self, id: &GoalId, status: Status, result: Vec<u8>) -> Option<Vec<W>> {
        let goal = self.find_mut(id).filter(|goal| !goal.status.is_end())?;
        (goal.status, goal.result) = (status, Some(result));
        let waiting = std::mem::take(&mut goal.waiting);
        let ended = self.goals.len() - self.running();
        if ended > MOST_ENDED
            && let Some(oldest) = self.goals.iter().position(|goal| goal.status.is_end())
        {
            self.goals.remove(oldest);
        }
        Some(waiting)
    }

    /// Requests the result of a goal.
    fn ask(&mut self, id: &GoalId, who: W) -> Asked<'_, W> {
        match self.find_mut(id) {
            None => Asked::Unknown(who),
            Some(Goal { result: Some(result), .. }) => Asked::Ended(who, result),
            Some(Goal { waiting, .. }) if waiting.len() >= MOST_WAITING => Asked::Full(who),
            Some(Goal { waiting, .. }) => {
                waiting.push(who);
                Asked::Waits
            }
        }
    }

    /// Returns the states of all goals.
    fn statuses(&self) -> GoalStatusArray {
        let status = |goal: &Goal<W>| GoalStatus { goal_info: goal.info, status: goal.status as i8 };
        GoalStatusArray { status_list: self.goals.iter().map(status).collect() }
    }

    fn find(&self, id: &GoalId) -> Option<&Goal<W>> {
        self.goals.iter().find(|goal| goal.info.goal_id.uuid == *id)
    }

    fn find_mut(&mut self, id: &GoalId) -> Option<&mut Goal<W>> {
        self.goals.iter_mut().find(|goal| goal.info.goal_id.uuid == *id)
    }
}

#[cfg(test)]
mod tests;
