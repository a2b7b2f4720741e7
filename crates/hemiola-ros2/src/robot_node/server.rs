//! A service of this robot that other nodes call.

use std::sync::Arc;

use hemiola_bus::{AnyAnswer, AnyClient};
use hemiola_link::ServiceStatistics;
use hemiola_link::ends::{self, Services, Unanswered};
use hemiola_link::wire::NoAnswer;
use hemiola_realtime::Wakeup;
use zenoh::Session;
use zenoh::query::Query;

use super::inbox::Inbox;
use super::request::{MOST_CALLS, Request, Served};
use crate::endpoint::Endpoint;

/// A server of a service, declared in the system.
pub struct Server {
    pub served: Served,
    inbox: Arc<Inbox<((), Query)>>,
    /// The client with which this robot is called; it is made for the first request.
    client: Option<AnyClient>,
    open: Vec<(Request, AnyAnswer)>,
}

impl Server {
    /// Declares a server, and then announces it with its token.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(session: &Session, endpoint: Endpoint, wakeup: Arc<Wakeup>) -> Result<Self, zenoh::Error> {
        let inbox = Inbox::new(MOST_CALLS, wakeup);
        let served = Served::declare(session, endpoint, (), inbox.clone())?;
        Ok(Self { served, inbox, client: None, open: Vec::new() })
    }

    /// Passes requests on to this robot, and its answers back. Calls `complain` with the reason
    /// where there is no answer. Returns `false` if the robot no longer serves the service.
    pub fn turn(
        &mut self,
        service: usize,
        services: &Services,
        now_ns: impl Fn() -> i64,
        statistics: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) -> bool {
        let mut is_served = true;
        for ((), query) in self.inbox.drain() {
            statistics.calls += 1;
            let request = match Request::read(query) {
                Ok(request) => request,
                Err(reason) => {
                    statistics.miss(NoAnswer::Refused);
                    complain(reason);
                    continue;
                }
            };
            match self.ask(service, services, &request.cdr) {
                Ok(answer) => self.open.push((request, answer)),
                Err((why, reason)) => {
                    statistics.miss(why);
                    request.refuse(&reason);
                    match why {
                        NoAnswer::Ended => is_served = false,
                        _ => complain(reason),
                    }
                }
            }
        }
        self.open.retain_mut(|(request, answer)| {
            match ends::taken(answer) {
                None => return true,
                Some(Ok(cdr)) => match request.reply(&cdr, now_ns()) {
                    Ok(()) => statistics.answers += 1,
                    Err(error) => {
                        statistics.miss(NoAnswer::Refused);
                        complain(error.to_string());
                    }
                },
                Some(Err((why, reason))) => {
                    statistics.miss(why);
                    request.refuse(&reason);
                }
            }
            false
        });
        statistics.in_flight = self.open.len() as u64;
        is_served
    }

    fn ask(&mut self, service: usize, services: &Services, cdr: &[u8]) -> Result<AnyAnswer, Unanswered> {
        if self.open.len() >= MOST_CALLS {
            return Err((NoAnswer::Refused, "too many requests wait".to_owned()));
        }
        services.ask(service, &mut self.client, cdr)
    }
}
