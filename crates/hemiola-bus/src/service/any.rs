//! Both ends of a service for programs, such as links, that do not know its types: requests and
//! answers are data.

use std::fmt;
use std::sync::Arc;
use std::task::{Poll, Wake, Waker};

use hemiola_model::data::{Data, ReadError, Reader, Writer};

use super::client::{Client, Pending};
use super::server::{OpenRequest, Server};
use crate::error::{AnswerError, SendError};
use crate::signal::Signal;

/// Calls a service without knowing its types: see [`Bus::any_client`](crate::Bus::any_client).
pub struct AnyClient {
    client: Box<dyn Ask>,
    /// Raises the signal when an answer is there.
    waker: Waker,
}

/// The answer to an [`AnyClient`]'s request, which is written when it is there. Dropping it gives
/// up the request: if the server has not begun with it, it will not.
///
/// ```
/// # fn f(answer: &mut hemiola_bus::AnyAnswer) {
/// let mut text = hemiola_model::data::ValueWriter::default();
/// match answer.take(&mut text) {
///     None => println!("not yet"),
///     Some(Ok(())) => println!("{}", text.finish()),
///     Some(Err(error)) => println!("{error}"),
/// }
/// # }
/// ```
pub struct AnyAnswer {
    answer: Box<dyn Arrive>,
    waker: Waker,
}

/// Receives the requests to a service without knowing its types: see
/// [`Bus::any_server`](crate::Bus::any_server).
pub struct AnyServer(Box<dyn Serve>);

/// A request that an [`AnyServer`] has received. It is answered on the server's thread, whenever
/// the answer is known; if it is dropped, its client receives [`AnswerError::Ended`].
///
/// ```
/// # fn f(request: hemiola_bus::AnyRequest) {
/// request.refuse(hemiola_bus::AnswerError::TimedOut);
/// # }
/// ```
pub struct AnyRequest(Box<dyn Open>);

impl AnyClient {
    pub(crate) fn new<Request, Response>(client: Client<Request, Response>, signal: Signal) -> Self
    where
        Request: Data + Send + 'static,
        Response: Data + Send + 'static,
    {
        Self { client: Box::new(client), waker: Arc::new(Bell(signal)).into() }
    }

    /// Sends a request that is read from `request`. Never waits.
    ///
    /// # Errors
    /// Returns an error if the reader holds no request of the service. The inner result is an error
    /// if the request was not sent: nobody serves, or as many requests of this client wait as the
    /// server's capacity allows.
    pub fn ask(&mut self, request: &mut dyn Reader) -> Result<Result<AnyAnswer, SendError<()>>, ReadError> {
        let asked = self.client.ask_any(request)?;
        Ok(asked.map(|answer| AnyAnswer { answer, waker: self.waker.clone() }))
    }
}

impl AnyAnswer {
    /// Writes the answer, if it is there, or returns why there is none. Otherwise returns `None`,
    /// and the client's signal will be raised. Call it until there is a result.
    pub fn take(&mut self, response: &mut dyn Writer) -> Option<Result<(), AnswerError>> {
        match self.answer.arrive(&self.waker, response) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }
}

impl AnyServer {
    pub(crate) fn new<Request, Response>(server: Server<Request, Response>) -> Self
    where
        Request: Data + Send + 'static,
        Response: Data + Send + 'static,
    {
        Self(Box::new(server))
    }

    /// Writes the next request whose client waits for the answer; returns `None` if there is none.
    /// Never waits.
    pub fn receive(&mut self, request: &mut dyn Writer) -> Option<AnyRequest> {
        self.0.receive_any(request).map(AnyRequest)
    }
}

impl AnyRequest {
    /// Answers with the data that is read from `response`.
    ///
    /// # Errors
    /// Returns an error if the reader holds no answer of the service. The client receives
    /// [`AnswerError::Refused`] then.
    pub fn answer(self, response: &mut dyn Reader) -> Result<(), ReadError> {
        self.0.answer_any(response)
    }

    /// Sends this error to the client instead of an answer.
    pub fn refuse(self, error: AnswerError) {
        self.0.refuse_any(error);
    }
}

/// Raises a signal when an answer is there.
struct Bell(Signal);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.raise();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.raise();
    }
}

trait Ask: Send {
    fn ask_any(&mut self, request: &mut dyn Reader) -> Result<Result<Box<dyn Arrive>, SendError<()>>, ReadError>;
}

impl<Request: Data + Send + 'static, Response: Data + Send + 'static> Ask for Client<Request, Response> {
    fn ask_any(&mut self, request: &mut dyn Reader) -> Result<Result<Box<dyn Arrive>, SendError<()>>, ReadError> {
        let request = Request::read(request)?;
        Ok(match self.ask(request) {
            Ok(pending) => Ok(Box::new(pending)),
            Err(error) => Err(error.map(drop)),
        })
    }
}

trait Arrive: Send {
    fn arrive(&mut self, waker: &Waker, response: &mut dyn Writer) -> Poll<Result<(), AnswerError>>;
}

impl<Response: Data + Send> Arrive for Pending<Response> {
    fn arrive(&mut self, waker: &Waker, response: &mut dyn Writer) -> Poll<Result<(), AnswerError>> {
        self.poll(waker).map_ok(|answer| answer.write(response))
    }
}

trait Serve: Send {
    fn receive_any(&mut self, request: &mut dyn Writer) -> Option<Box<dyn Open>>;
}

impl<Request: Data + Send + 'static, Response: Data + Send + 'static> Serve for Server<Request, Response> {
    fn receive_any(&mut self, request: &mut dyn Writer) -> Option<Box<dyn Open>> {
        let (received, open) = self.receive()?;
        received.write(request);
        Some(Box::new(open))
    }
}

trait Open: Send {
    fn answer_any(self: Box<Self>, response: &mut dyn Reader) -> Result<(), ReadError>;
    fn refuse_any(self: Box<Self>, error: AnswerError);
}

impl<Request: Send + 'static, Response: Data + Send + 'static> Open for OpenRequest<Request, Response> {
    fn answer_any(self: Box<Self>, response: &mut dyn Reader) -> Result<(), ReadError> {
        match Response::read(response) {
            Ok(response) => {
                self.answer(response);
                Ok(())
            }
            Err(error) => {
                self.refuse(AnswerError::Refused);
                Err(error)
            }
        }
    }

    fn refuse_any(self: Box<Self>, error: AnswerError) {
        self.refuse(error);
    }
}

impl fmt::Debug for AnyClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyClient")
    }
}

impl fmt::Debug for AnyAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyAnswer")
    }
}

impl fmt::Debug for AnyServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyServer")
    }
}

impl fmt::Debug for AnyRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyRequest")
    }
}
