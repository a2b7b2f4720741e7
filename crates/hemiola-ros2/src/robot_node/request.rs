//! Requests of other nodes to a service: how they arrive, and how they are answered.

use std::sync::Arc;

use zenoh::liveliness::LivelinessToken;
use zenoh::query::{Query, Queryable};
use zenoh::{Session, Wait};

use super::inbox::Inbox;
use crate::attachment::Attachment;
use crate::endpoint::Endpoint;

/// A service that is declared in the system, whose requests go into an inbox.
pub struct Served {
    pub endpoint: Endpoint,
    pub key: String,
    _queryable: Queryable<()>,
    _token: LivelinessToken,
}

/// A request that waits for its answer.
pub struct Request {
    query: Query,
    asked: Attachment,
    pub cdr: Vec<u8>,
}

/// The most requests of a service that wait for their answers.
pub const MOST_CALLS: usize = 64;

impl Served {
    /// Declares a service, and then says that it is there. Its requests go into `inbox` with
    /// `service`, which says of which service they are; what does not fit is refused.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare<S: Copy + Send + Sync + 'static>(
        session: &Session,
        endpoint: Endpoint,
        service: S,
        inbox: Arc<Inbox<(S, Query)>>,
    ) -> Result<Self, zenoh::Error> {
        let key = endpoint.key();
        let ask = move |query: Query| {
            if let Err((_, query)) = inbox.offer((service, query)) {
                refuse(&query, "as many wait as may");
            }
        };
        let queryable = session.declare_queryable(key.clone()).complete(true).callback(ask).wait()?;
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        Ok(Self { endpoint, key, _queryable: queryable, _token: token })
    }
}

impl Request {
    /// Reads what stands beside a request.
    ///
    /// # Errors
    /// Returns an error with the reason if it is not what `rmw_zenoh` writes; then whoever asks
    /// knows.
    pub fn read(query: Query) -> Result<Self, String> {
        let attachment = query.attachment().map(|bytes| bytes.to_bytes().into_owned()).unwrap_or_default();
        match Attachment::from_bytes(&attachment) {
            Ok(asked) => {
                let cdr = query.payload().map(|bytes| bytes.to_bytes().into_owned()).unwrap_or_default();
                Ok(Self { query, asked, cdr })
            }
            Err(error) => {
                refuse(&query, &error.to_string());
                Err(error.to_string())
            }
        }
    }

    /// Sends an answer, beside which is the request's number and sender.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn reply(&self, cdr: &[u8], time_ns: i64) -> Result<(), zenoh::Error> {
        let attachment = Attachment { time_ns, ..self.asked }.to_bytes();
        self.query.reply(self.query.key_expr().clone(), cdr).attachment(&attachment[..]).wait()
    }

    /// Has whoever asks know that there is no answer. `rmw_zenoh` has no words for that, others
    /// read the reason.
    pub fn refuse(&self, reason: &str) {
        refuse(&self.query, reason);
    }
}

fn refuse(query: &Query, reason: &str) {
    // Nobody waits any more if that fails.
    _ = query.reply_err(reason).wait();
}
