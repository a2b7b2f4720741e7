use std::fmt;
use thiserror::Error;

/// The errors of joining a topic, calling a service, or sending to an actor.
///
/// ```
/// use hemiola_bus::BusError;
///
/// let error = BusError::OtherType { name: "pose".into(), existing: "robot::Pose", asked: "robot::Odometry" };
/// assert_eq!(error.to_string(), "`pose` carries `robot::Pose`, not `robot::Odometry`: choose another name or the same type");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BusError {
    /// The name is taken by something of another type.
    #[error("`{name}` carries `{existing}`, not `{asked}`: choose another name or the same type")]
    OtherType {
        /// The name of the topic or service.
        name: String,
        /// The type that it carries.
        existing: &'static str,
        /// The type that was asked for.
        asked: &'static str,
    },
    /// A value to be published is not a message of the topic.
    #[error("this is not a message of `{name}`: {reason}")]
    NoMessage {
        /// The name of the topic.
        name: String,
        /// The part that does not fit, and why.
        reason: String,
    },
    /// A request from outside is not answered.
    #[error("`{name}` does not answer: {reason}")]
    NotAnswered {
        /// The name of the service.
        name: String,
        /// The reason why.
        reason: String,
    },
    /// An executor has no room for another callback.
    #[error(
        "executor `{executor}` has {limit} timers and subscriptions, and no room for another one: remove some, use another executor, or \
         subscribe to one topic with the same priority, which counts once"
    )]
    TooManyCallbacks {
        /// The name of the executor.
        executor: String,
        /// The number of callbacks that it can have.
        limit: usize,
    },
    /// Changes are requested faster than an executor applies them between its callbacks.
    #[error(
        "executor `{executor}` has {waiting} pending changes before this one: one of its callbacks takes long, or it does not run; \
         try again later"
    )]
    ExecutorBusy {
        /// The name of the executor.
        executor: String,
        /// The number of changes that wait to be applied.
        waiting: usize,
    },
    /// The executor does not exist any more.
    #[error("executor `{executor}` has ended and runs no more callbacks: keep it alive for as long as they are needed")]
    ExecutorGone {
        /// The name of the executor.
        executor: String,
    },
    /// The service has a server already.
    #[error("`{name}` already has a server: drop that first, or choose another name")]
    AlreadyServed {
        /// The name of the service.
        name: String,
    },
}

/// The reason why something was not sent, with what it was.
///
/// ```
/// use hemiola_bus::{Actor, SendError};
///
/// let (_actor, mut handle) = Actor::new(0, 1);
/// handle.send(|count| *count += 1).unwrap();
/// let error = handle.send(|count| *count += 1).unwrap_err();
/// assert_eq!(error.to_string(), "not sent: the receiver's queue is full; send again later, or give the receiver a larger capacity");
/// let SendError::Full(call) = error else { panic!("the receiver is there") };
/// call(&mut 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Error)]
pub enum SendError<T> {
    /// The queue is full: no more values of this sender may wait.
    #[error("not sent: the receiver's queue is full; send again later, or give the receiver a larger capacity")]
    Full(T),
    /// The receiver does not exist: the actor is gone, or nobody serves (yet, or any more).
    #[error("not sent: there is no receiver")]
    NoReceiver(T),
}

impl<T> SendError<T> {
    /// Returns what was not sent.
    pub fn into_inner(self) -> T {
        match self {
            SendError::Full(value) | SendError::NoReceiver(value) => value,
        }
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> SendError<U> {
        match self {
            SendError::Full(value) => SendError::Full(change(value)),
            SendError::NoReceiver(value) => SendError::NoReceiver(change(value)),
        }
    }
}

impl<T> fmt::Debug for SendError<T> {
    /// Formats the error without the value, which need not have a text form (closures have none).
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            SendError::Full(_) => "Full(..)",
            SendError::NoReceiver(_) => "NoReceiver(..)",
        })
    }
}

/// The reason why there is no answer to what was sent.
///
/// ```
/// use hemiola_bus::AnswerError;
///
/// assert_eq!(AnswerError::TimedOut.to_string(), "no answer in time; the request may still be handled");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The timeout expired.
    #[error("no answer in time; the request may still be handled")]
    TimedOut,
    /// The other side panicked while it worked on the answer.
    #[error("no answer: the other side panicked while it handled the request")]
    Panicked,
    /// The other side ended before it came to the request.
    #[error("no answer: the other side ended before it handled the request")]
    Ended,
    /// Another program was to answer, over a link, and could not accept the request, or its answer
    /// was not valid.
    #[error(
        "no answer: the other program could not read the request, or its answer was not valid; the link reports why"
    )]
    Refused,
}

/// The reason why a call has no result.
///
/// ```
/// use hemiola_bus::{Actor, CallError, SendError};
/// use std::time::Duration;
///
/// let (actor, mut handle) = Actor::new(0, 1);
/// drop(actor);
/// match handle.call(|count| *count, Duration::from_secs(1)) {
///     Err(CallError::NotSent(SendError::NoReceiver(call))) => assert_eq!(call(&mut 7), 7),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Error)]
pub enum CallError<T> {
    /// The call was not sent.
    #[error(transparent)]
    NotSent(#[from] SendError<T>),
    /// The call was sent, but not answered.
    #[error(transparent)]
    NoAnswer(AnswerError),
}

impl<T> fmt::Debug for CallError<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NotSent(error) => write!(formatter, "NotSent({error:?})"),
            CallError::NoAnswer(error) => write!(formatter, "NoAnswer({error:?})"),
        }
    }
}
