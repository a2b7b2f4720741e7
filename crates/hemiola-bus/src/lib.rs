//! Messages between modules, tools and other processes' links, beside the blackboard.
//!
//! Nothing here waits on a real-time thread: every sender has lanes of its own, which are made when
//! it joins. So sending is a few stores, and a slow or vanished receiver costs messages, which are
//! counted, but never time.
//!
//! | file | what |
//! |---|---|
//! | `bus` | the registry of topics and services by name |
//! | `topic` | messages to any number of receivers, without copying |
//! | `service` | requests and answers, by name |
//! | `actor` | an object that one thread owns and all may call |
//! | `event_loop` | a ring of events that all consumers see in one order |
//! | `statistics` | statistics of what passes through |
//! | `when_full` | what happens to a message for which there is no room |
//! | `module` | ends of topics and services as arguments of updates |
//! | `carried` | the messages of modules' topics: of Rust types, or known at run time only |
//! | `signal` | how a receiver is notified of what was sent |
//! | `ready` | which callbacks of an executor have something to do, and in which order it arrived |
//! | `executor` | threads that run callbacks for messages and timers, the most important one first |
//! | `clock` | the framework's clock, running or stepped |
//! | `mailbox` | many senders, one receiver, a lane for each |
//! | `reply` | one answer on its way back |
//! | `exchange` | the newest value, or all in order, from one thread to another |
//! | `circle` | the places of a ring, used by all rings |
//! | `roster` | lists that are changed rarely and read without waiting |
#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod actor;
mod bus;
mod carried;
mod circle;
mod clock;
mod error;
mod event_loop;
pub mod exchange;
mod executor;
mod mailbox;
mod module;
mod panics;
mod ready;
mod reply;
mod roster;
mod service;
mod signal;
mod statistics;
mod sync;
mod topic;
mod when_full;

pub use actor::{Actor, ActorHandle, ActorReport, CallBatch, CallFuture};
pub use bus::{AnyMessage, AnyQueue, Bus, CallableService, Listener, Watch};
pub use clock::RobotClock;
pub use error::{AnswerError, BusError, CallError, SendError};
pub use event_loop::{
    Consumer, ConsumerReport, EventBatch, EventLoop, EventLoopReport, EventSlots, ManyProducers, OneProducer, Producer,
    WaitStrategy,
};
pub use executor::{CallbackId, CallbackReport, Executor, ExecutorHandle, Order, Priority, RunningExecutor, Tick};
pub use mailbox::Waited;
pub use module::{Requests, RobotEnds, Subscription};
pub use ready::Ready;
pub use service::{
    AnswerFuture, AnyAnswer, AnyClient, AnyRequest, AnyServer, Client, DeclaredService, RunningServer, Server,
    ServiceReport, answers_of,
};
pub use signal::Signal;
pub use statistics::{Receives, SubscriberReport, TopicReport};
pub use topic::{Batch, BatchIter, Latest, Loan, Message, Publisher, Queue, Sample, Topic};
pub use when_full::WhenFull;
