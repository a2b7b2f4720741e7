//! A service of other nodes that this robot calls.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnswerError, AnyRequest};
use hemiola_link::ServiceStatistics;
use hemiola_link::ends::{self, Asked, Services, plain};
use hemiola_link::wire::NoAnswer;
use hemiola_realtime::Wakeup;
use zenoh::Session;

use super::call::{Answer, Caller};
use super::request::MOST_CALLS;
use crate::endpoint::Endpoint;
use crate::pursuits::Outcome;

/// A client of a service, declared in the system.
pub struct Client {
    pub caller: Caller,
    /// The requests of this robot that are not answered yet.
    made: Vec<(Option<AnyRequest>, Answer)>,
}

/// The time after which an answer is no longer awaited; callers may give up earlier.
const PATIENCE: Duration = Duration::from_secs(600);

impl Client {
    /// Declares the robot as a client of the service.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(session: &Session, endpoint: Endpoint, wakeup: Arc<Wakeup>) -> Result<Self, zenoh::Error> {
        Ok(Self { caller: Caller::declare(session, endpoint, wakeup)?, made: Vec::new() })
    }

    /// Passes requests of this robot on, and their answers back. Calls `complain` with the reason
    /// where there is no answer.
    pub fn turn(
        &mut self,
        (session, service): (&Session, usize),
        services: &mut Services,
        now_ns: impl Fn() -> i64,
        statistics: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) {
        while self.made.len() < MOST_CALLS
            && let Some(Asked { cdr, request }) = services.next(service)
        {
            statistics.calls += 1;
            match self.caller.ask(session, &cdr, now_ns(), PATIENCE) {
                Ok(answer) => self.made.push((Some(request), answer)),
                Err(error) => {
                    statistics.miss(NoAnswer::Refused);
                    request.refuse(AnswerError::Refused);
                    complain(error.to_string());
                }
            }
        }
        self.made.retain_mut(|(request, answer)| {
            let Some(outcome) = answer.poll() else { return true };
            let Some(request) = request.take() else { return false };
            match outcome {
                Outcome::Answered(answer) => match ends::answer(request, answer.as_deref().map_err(Clone::clone)) {
                    Ok(()) => statistics.answers += 1,
                    Err(reason) => {
                        statistics.miss(NoAnswer::Refused);
                        complain(plain(&reason));
                    }
                },
                Outcome::Over => {
                    statistics.miss(NoAnswer::Ended);
                    request.refuse(AnswerError::Ended);
                }
            }
            false
        });
        statistics.in_flight = self.made.len() as u64;
    }
}
