//! A service of other nodes that this robot calls.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_bus::{AnswerError, AnyRequest};
use hemiola_link::ServiceStatistics;
use hemiola_link::ends::{self, Asked, Services, plain};
use hemiola_link::wire::NoAnswer;
use hemiola_realtime::Wakeup;
use zenoh::handlers::CallbackDrop;
use zenoh::liveliness::LivelinessToken;
use zenoh::query::{ConsolidationMode, QueryTarget, Reply};
use zenoh::{Session, Wait};

use super::server::MOST_CALLS;
use crate::attachment::{Attachment, Gid};
use crate::endpoint::Endpoint;

/// The client of a service that is declared.
pub struct Client {
    pub endpoint: Endpoint,
    pub key: String,
    gid: Gid,
    /// The number of the last request.
    last: i64,
    made: Vec<Made>,
    wakeup: Arc<Wakeup>,
    _token: LivelinessToken,
}

/// A call that is not answered yet.
struct Made {
    request: AnyRequest,
    came: Arc<Mutex<Came>>,
}

/// What has come back of a call.
#[derive(Default)]
struct Came {
    /// The first answer, or why there is none.
    answer: Option<Result<Vec<u8>, String>>,
    /// Set when nothing comes any more.
    is_over: bool,
}

/// The time after which nobody waits for an answer any more; whoever asks may give up earlier.
const PATIENCE: Duration = Duration::from_secs(600);

impl Client {
    /// Says that the robot is a client of the service.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(session: &Session, endpoint: Endpoint, wakeup: Arc<Wakeup>) -> Result<Self, zenoh::Error> {
        let (key, gid) = (endpoint.key(), endpoint.gid());
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        Ok(Self { endpoint, key, gid, last: 0, made: Vec::new(), wakeup, _token: token })
    }

    /// Passes requests of this robot on, and their answers back. Reasons why there is no answer go
    /// to `complain`.
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
            match self.ask(session, &cdr, now_ns()) {
                Ok(came) => self.made.push(Made { request, came }),
                Err(error) => {
                    statistics.miss(NoAnswer::Refused);
                    request.refuse(AnswerError::Refused);
                    complain(error.to_string());
                }
            }
        }
        for Made { request, came } in self.made.extract_if(.., |made| lock(&made.came).is_done()) {
            match lock(&came).answer.take() {
                Some(answer) => match ends::answer(request, answer.as_deref().map_err(Clone::clone)) {
                    Ok(()) => statistics.answers += 1,
                    Err(reason) => {
                        statistics.miss(NoAnswer::Refused);
                        complain(plain(&reason));
                    }
                },
                None => {
                    statistics.miss(NoAnswer::Ended);
                    request.refuse(AnswerError::Ended);
                }
            }
        }
        statistics.in_flight = self.made.len() as u64;
    }

    fn ask(&mut self, session: &Session, cdr: &[u8], time_ns: i64) -> Result<Arc<Mutex<Came>>, zenoh::Error> {
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
            .timeout(PATIENCE)
            .with(handler)
            .wait()?;
        Ok(came)
    }
}

impl Came {
    fn is_done(&self) -> bool {
        self.answer.is_some() || self.is_over
    }
}

fn lock(came: &Mutex<Came>) -> std::sync::MutexGuard<'_, Came> {
    // It is whole even if another thread has panicked.
    came.lock().unwrap_or_else(PoisonError::into_inner)
}
