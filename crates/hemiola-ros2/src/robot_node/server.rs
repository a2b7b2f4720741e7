//! A service of this robot that other nodes call.

use std::sync::Arc;

use hemiola_bus::{AnyAnswer, AnyClient};
use hemiola_link::ServiceStatistics;
use hemiola_link::ends::{self, Services, Unanswered};
use hemiola_link::wire::NoAnswer;
use hemiola_realtime::Wakeup;
use zenoh::liveliness::LivelinessToken;
use zenoh::query::{Query, Queryable};
use zenoh::{Session, Wait};

use super::inbox::Inbox;
use crate::attachment::Attachment;
use crate::endpoint::Endpoint;

/// The server of a service that is declared.
pub struct Server {
    pub endpoint: Endpoint,
    pub key: String,
    inbox: Arc<Inbox<Query>>,
    /// The end at which this robot is asked, which is made for the first request.
    client: Option<AnyClient>,
    open: Vec<Open>,
    _queryable: Queryable<()>,
    _token: LivelinessToken,
}

/// A request that is not answered yet.
struct Open {
    query: Query,
    asked: Attachment,
    answer: AnyAnswer,
}

/// The most requests of a service that wait for their answers.
pub const MOST_CALLS: usize = 64;

impl Server {
    /// Declares a server, and then says that it is there.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(session: &Session, endpoint: Endpoint, wakeup: Arc<Wakeup>) -> Result<Self, zenoh::Error> {
        let key = endpoint.key();
        let inbox = Inbox::new(MOST_CALLS, wakeup);
        let entry = inbox.clone();
        let ask = move |query: Query| {
            if let Err(query) = entry.offer(query) {
                refuse(&query, "as many wait as may");
            }
        };
        let queryable = session.declare_queryable(key.clone()).complete(true).callback(ask).wait()?;
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        Ok(Self { endpoint, key, inbox, client: None, open: Vec::new(), _queryable: queryable, _token: token })
    }

    /// Passes requests on to this robot, and its answers back. Reasons why there is no answer go to
    /// `complain`. Returns `false` if nobody serves it here any more.
    pub fn turn(
        &mut self,
        service: usize,
        services: &Services,
        now_ns: impl Fn() -> i64,
        statistics: &mut ServiceStatistics,
        mut complain: impl FnMut(String),
    ) -> bool {
        let mut is_served = true;
        for query in self.inbox.drain() {
            statistics.calls += 1;
            match self.ask(service, services, &query) {
                Ok((asked, answer)) => self.open.push(Open { query, asked, answer }),
                Err((why, reason)) => {
                    statistics.miss(why);
                    refuse(&query, &reason);
                    match why {
                        NoAnswer::Ended => is_served = false,
                        _ => complain(reason),
                    }
                }
            }
        }
        self.open.retain_mut(|Open { query, asked, answer }| {
            match ends::taken(answer) {
                None => return true,
                Some(Ok(cdr)) => match reply(query, &cdr, asked, now_ns()) {
                    Ok(()) => statistics.answers += 1,
                    Err(error) => {
                        statistics.miss(NoAnswer::Refused);
                        complain(error.to_string());
                    }
                },
                Some(Err((why, reason))) => {
                    statistics.miss(why);
                    refuse(query, &reason);
                }
            }
            false
        });
        statistics.in_flight = self.open.len() as u64;
        is_served
    }

    fn ask(
        &mut self,
        service: usize,
        services: &Services,
        query: &Query,
    ) -> Result<(Attachment, AnyAnswer), Unanswered> {
        let refused = |reason: String| (NoAnswer::Refused, reason);
        if self.open.len() >= MOST_CALLS {
            return Err(refused("as many wait as may".to_owned()));
        }
        let attachment = query.attachment().map(|bytes| bytes.to_bytes().into_owned()).unwrap_or_default();
        let asked = Attachment::from_bytes(&attachment).map_err(|error| refused(error.to_string()))?;
        let cdr = query.payload().map(|bytes| bytes.to_bytes().into_owned()).unwrap_or_default();
        Ok((asked, services.ask(service, &mut self.client, &cdr)?))
    }
}

/// Sends an answer, beside which is the request's number and sender.
fn reply(query: &Query, cdr: &[u8], asked: &Attachment, time_ns: i64) -> Result<(), zenoh::Error> {
    let attachment = Attachment { time_ns, ..*asked }.to_bytes();
    query.reply(query.key_expr().clone(), cdr).attachment(&attachment[..]).wait()
}

/// Has whoever asks know that there is no answer. `rmw_zenoh` has no words for that, others read
/// the reason.
fn refuse(query: &Query, reason: &str) {
    // Nobody waits any more if that fails.
    _ = query.reply_err(reason).wait();
}
