//! Requests to services of other nodes: how they are sent, and how their answers arrive.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola_realtime::Wakeup;
use zenoh::handlers::CallbackDrop;
use zenoh::liveliness::LivelinessToken;
use zenoh::query::{ConsolidationMode, QueryTarget, Reply};
use zenoh::{Session, Wait};

use crate::attachment::{Attachment, Gid};
use crate::endpoint::Endpoint;
use crate::pursuits::Outcome;

/// A client that is declared in the system.
pub struct Caller {
    pub endpoint: Endpoint,
    pub key: String,
    gid: Gid,
    /// The number of the last request.
    last: i64,
    wakeup: Arc<Wakeup>,
    _token: LivelinessToken,
}

/// The answer to a request, which may not have arrived yet.
pub struct Answer(Arc<Mutex<Came>>);

#[derive(Default)]
struct Came {
    /// The first answer, or the reason why there is none.
    answer: Option<Result<Vec<u8>, String>>,
    /// Set when no more answers can arrive.
    is_over: bool,
}

impl Caller {
    /// Declares the robot as a client of the service.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(session: &Session, endpoint: Endpoint, wakeup: Arc<Wakeup>) -> Result<Self, zenoh::Error> {
        let (key, gid) = (endpoint.key(), endpoint.gid());
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        Ok(Self { endpoint, key, gid, last: 0, wakeup, _token: token })
    }

    /// Sends a request, whose answer is accepted for as long as `patience` lasts.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn ask(
        &mut self,
        session: &Session,
        cdr: &[u8],
        time_ns: i64,
        patience: Duration,
    ) -> Result<Answer, zenoh::Error> {
        self.last += 1;
        let attachment = Attachment { sequence: self.last, time_ns, gid: self.gid }.to_bytes();
        let came = Arc::new(Mutex::new(Came::default()));
        let (answered, ended) = (came.clone(), came.clone());
        let [bell, last_bell] = [(); 2].map(|()| self.wakeup.clone());
        let handler = CallbackDrop {
            callback: move |reply: Reply| {
                let answer = match reply.result() {
                    Ok(sample) => Ok(sample.payload().to_bytes().into_owned()),
                    Err(error) => Err(String::from_utf8_lossy(&error.payload().to_bytes()).into_owned()),
                };
                lock(&answered).answer.get_or_insert(answer);
                bell.notify_all();
            },
            drop: move || {
                lock(&ended).is_over = true;
                last_bell.notify_all();
            },
        };
        session
            .get(&self.key)
            .payload(cdr)
            .attachment(&attachment[..])
            .target(QueryTarget::AllComplete)
            .consolidation(ConsolidationMode::None)
            .timeout(patience)
            .with(handler)
            .wait()?;
        Ok(Answer(came))
    }
}

impl Answer {
    /// Returns the outcome of the request, once; `None` until it is known.
    pub fn poll(&mut self) -> Option<Outcome> {
        let mut came = lock(&self.0);
        match came.answer.take() {
            Some(answer) => Some(Outcome::Answered(answer)),
            None => came.is_over.then_some(Outcome::Over),
        }
    }
}

fn lock(came: &Mutex<Came>) -> MutexGuard<'_, Came> {
    // The value is consistent even if another thread has panicked.
    came.lock().unwrap_or_else(PoisonError::into_inner)
}
