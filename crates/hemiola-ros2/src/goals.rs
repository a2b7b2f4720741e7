//! The goals of an action: which are accepted, which are canceled, and who waits for which result.
//!
//! Nothing here touches a session or a clock. `W` identifies whoever waits for a result.

use hemiola_model::Time;

use crate::action_msgs::{
    CancelGoalRequest, CancelGoalResponse, Canceled, GoalId, GoalInfo, GoalStatus, GoalStatusArray, Status, Uuid,
};

/// The goals of one action, in the order in which they were accepted.
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

/// The outcome of a request for a result.
pub enum Asked<'g, W> {
    /// The goal has ended, and this is its result.
    Ended(W, &'g [u8]),
    /// The goal is still running; its end answers the request.
    Waits,
    /// There is no such goal.
    Unknown(W),
    /// The limit of requests that wait for this goal is reached.
    Full(W),
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

    /// Returns whether another goal can be accepted.
    ///
    /// # Errors
    /// Returns an error with the reason if it cannot.
    pub fn check(&self, id: &GoalId) -> Result<(), &'static str> {
        if self.find(id).is_some() {
            return Err("there already is a goal with this identity");
        }
        if self.running() >= MOST_RUNNING { Err("too many goals are running") } else { Ok(()) }
    }

    /// Adds a goal that has been accepted.
    pub fn accept(&mut self, id: GoalId, now: Time) {
        let info = GoalInfo { goal_id: Uuid { uuid: id }, stamp: now };
        self.goals.push(Goal { info, status: Status::Executing, result: None, waiting: Vec::new() });
    }

    /// Returns the goals that a request asks to cancel, by the rules of
    /// `action_msgs/srv/CancelGoal`, as the response that is right if the robot is notified of each
    /// of them.
    pub fn cancel(&self, CancelGoalRequest { goal_info: wanted }: &CancelGoalRequest) -> CancelGoalResponse {
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
    pub fn note_canceling(&mut self, id: &GoalId) {
        if let Some(goal) = self.find_mut(id).filter(|goal| !goal.status.is_end()) {
            goal.status = Status::Canceling;
        }
    }

    /// Ends a goal. Returns those who wait for its result; `None` if no such goal is running.
    pub fn end(&mut self, id: &GoalId, status: Status, result: Vec<u8>) -> Option<Vec<W>> {
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
    pub fn ask(&mut self, id: &GoalId, who: W) -> Asked<'_, W> {
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

    /// Returns the states of all goals, as the topic `status` publishes them.
    pub fn statuses(&self) -> GoalStatusArray {
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
