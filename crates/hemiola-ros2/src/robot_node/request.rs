//! Requests of other nodes to a service: how they arrive, and how they are answered.

use std::sync::Arc;

use zenoh::liveliness::LivelinessToken;
use zenoh::query::{Query, Queryable};
use zenoh::{Session, Wait};

use super::inbox::Inbox;
use crate::attachment::Attachment;
use crate::endpoint::Endpoint;

/// A service that is declared in the system and queues its requests in an inbox.
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

/// The maximum number of requests of a service that wait for their answers.
pub const MOST_CALLS: usize = 64;

impl Served {
    /// Declares a service, and then announces it with its token. Its requests are queued in `inbox`
    /// together with `service`, which identifies the service; requests that do not fit are refused.
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
                refuse(&query, "too many requests wait");
            }
        };
        let queryable = session.declare_queryable(key.clone()).complete(true).callback(ask).wait()?;
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        Ok(Self { endpoint, key, _queryable: queryable, _token: token })
    }
}

impl Request {
    /// Reads the attachment of a request.
    ///
    /// # Errors
    /// Returns an error with the reason if it is not in the format of `rmw_zenoh`; then the caller
    /// has been refused.
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

    /// Sends an answer, whose attachment has the request's number and sender.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn reply(&self, cdr: &[u8], time_ns: i64) -> Result<(), zenoh::Error> {
        let attachment = Attachment { time_ns, ..self.asked }.to_bytes();
        self.query.reply(self.query.key_expr().clone(), cdr).attachment(&attachment[..]).wait()
    }

    /// Notifies the caller that there is no answer. `rmw_zenoh` cannot express that; other callers
    /// read the reason.
    pub fn refuse(&self, reason: &str) {
        refuse(&self.query, reason);
    }
}

fn refuse(query: &Query, reason: &str) {
    // If this fails, nobody waits any more.
    _ = query.reply_err(reason).wait();
}
