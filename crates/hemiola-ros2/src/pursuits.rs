//! The goals that an action client has sent, and how far each of them is. Nothing here touches a
//! session or a clock.

use hemiola_model::cdr::encode;

use crate::action::{id_of, is_accepted, only_id, result_of, with_id};
use crate::action_msgs::{CancelGoalRequest, GoalId, GoalInfo, Uuid};

/// The goals that an action client has sent and that have not ended, in the order in which they
/// were sent. Messages are in CDR, and those of the server may come from anybody. `A` is an answer
/// of the server, which may not have arrived yet.
///
/// A goal has an identity that the robot gave it, and another one in the ROS 2 system, where no
/// other goal has it.
///
/// ```
/// use hemiola_ros2::{Outcome, Pursuits};
///
/// let mut pursuits = Pursuits::default();
/// let goal = [&[0, 1, 0, 0][..], &[7; 16]].concat();
/// pursuits.send(&goal, [9; 16], |_request| Ok("whether it is accepted"))?;
/// let feedback = [&[0, 1, 0, 0][..], &[9; 16], &[42]].concat();
/// assert_eq!(pursuits.feedback(&feedback), Some([&goal[..], &[42]].concat()));
/// // It is accepted, so that its result is requested, and that has arrived as well.
/// let accepted = |_: &mut &str| Some(Outcome::Answered(Ok(vec![0, 1, 0, 0, 1])));
/// assert_eq!(pursuits.advance(accepted, |_request| Ok("its result")).len(), 0);
/// let result = |_: &mut &str| Some(Outcome::Answered(Ok(vec![0, 1, 0, 0, 4])));
/// let ended = pursuits.advance(result, |_request| Ok("its result")).remove(0);
/// assert_eq!(ended.message(None), Ok([&goal[..], &[4]].concat()));
/// # Ok::<(), String>(())
/// ```
pub struct Pursuits<A> {
    pursued: Vec<Pursued<A>>,
}

struct Pursued<A> {
    /// The goal's identity in this robot, and the one in the system.
    own: GoalId,
    id: GoalId,
    /// Set once the server has accepted the goal: then `answer` has its result.
    is_accepted: bool,
    answer: A,
}

/// The outcome of a request to another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server has answered, or refused with a reason.
    Answered(Result<Vec<u8>, String>),
    /// No answer will arrive any more.
    Over,
}

/// The end of a goal. See [`Pursuits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    own: [u8; 16],
    /// The response of the server with the result; `Ok(None)` if it is gone, and an error with the
    /// reason if it has refused the goal.
    pub response: Result<Option<Vec<u8>>, String>,
}

impl<A> Default for Pursuits<A> {
    fn default() -> Self {
        Self { pursued: Vec::new() }
    }
}

impl<A> Pursuits<A> {
    /// Returns the number of goals that have not ended.
    pub fn running(&self) -> usize {
        self.pursued.len()
    }

    /// Sends a goal of the robot, whose identity in the system is `id`. Calls `ask` with the
    /// request of the service `send_goal`.
    ///
    /// # Errors
    /// Returns an error with the reason if the goal is too short, or `ask` fails.
    pub fn send(
        &mut self,
        goal: &[u8],
        id: [u8; 16],
        ask: impl FnOnce(&[u8]) -> Result<A, String>,
    ) -> Result<(), String> {
        let (own, request) = id_of(goal).zip(with_id(goal, &id)).ok_or("it has no identity")?;
        let answer = ask(&request)?;
        self.pursued.push(Pursued { own, id, is_accepted: false, answer });
        Ok(())
    }

    /// Returns the request of the service `cancel_goal` for a message with which the robot cancels
    /// a goal; `None` if that has ended.
    pub fn cancel(&self, message: &[u8]) -> Option<Vec<u8>> {
        let own = id_of(message)?;
        let Pursued { id, .. } = self.pursued.iter().find(|pursued| pursued.own == own)?;
        let goal_info = GoalInfo { goal_id: Uuid { uuid: *id }, ..GoalInfo::default() };
        Some(encode(&CancelGoalRequest { goal_info }))
    }

    /// Returns a message of feedback as the robot reads it; `None` if its goal is another client's.
    pub fn feedback(&self, message: &[u8]) -> Option<Vec<u8>> {
        let id = id_of(message)?;
        let Pursued { own, .. } = self.pursued.iter().find(|pursued| pursued.id == id)?;
        with_id(message, own)
    }

    /// Notes the answers that have arrived. Calls `poll` with each answer that is awaited, and
    /// `ask` with the request of the service `get_result` for each goal that is accepted. Returns
    /// the goals that have ended.
    pub fn advance(
        &mut self,
        mut poll: impl FnMut(&mut A) -> Option<Outcome>,
        mut ask: impl FnMut(&[u8]) -> Result<A, String>,
    ) -> Vec<Ended> {
        let mut ended = Vec::new();
        self.pursued.retain_mut(|goal| {
            let response = match poll(&mut goal.answer) {
                None => return true,
                Some(Outcome::Over) => Ok(None),
                Some(Outcome::Answered(Err(reason))) => Err(reason),
                Some(Outcome::Answered(Ok(response))) if goal.is_accepted => Ok(Some(response)),
                Some(Outcome::Answered(Ok(response))) if is_accepted(&response) => match ask(&only_id(&goal.id)) {
                    Err(reason) => Err(reason),
                    Ok(answer) => {
                        (goal.is_accepted, goal.answer) = (true, answer);
                        return true;
                    }
                },
                Some(Outcome::Answered(Ok(_))) => Err("it was not accepted".to_owned()),
            };
            ended.push(Ended { own: goal.own, response });
            false
        });
        ended
    }
}

impl Ended {
    /// Returns the end of a goal that could not be sent.
    ///
    /// # Errors
    /// Returns an error if the goal is too short.
    pub fn unsent(goal: &[u8], reason: String) -> Result<Self, String> {
        Ok(Self { own: id_of(goal).ok_or("it has no identity")?, response: Err(reason) })
    }

    /// Returns the message that notifies the robot of the result; without one from the server, it
    /// has that of `unknown`, a response about a goal that nobody knows.
    ///
    /// # Errors
    /// Returns an error with the reason if there is no response, or the server's is too short.
    pub fn message(&self, unknown: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let response = self.response.as_ref().ok().and_then(|response| response.as_deref());
        let response = response.or(unknown).ok_or("the robot has no result to say so")?;
        result_of(response, &self.own).ok_or_else(|| "the answer of the server is too short".to_owned())
    }
}

#[cfg(test)]
mod tests;
