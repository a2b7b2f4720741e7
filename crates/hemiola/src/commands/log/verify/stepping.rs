//! A robot that is stepped to its end on a thread of its own.

use std::sync::mpsc;
use std::{io, thread};

use hemiola_runtime::{Robot, RobotHandle, Tap};

use crate::error::CommandError;

/// How it went.
#[derive(Default)]
pub struct Ended {
    /// Why it could not go on to the end of its recording, if it could not.
    pub failure: Option<String>,
    /// What was different on the way.
    pub deviation: Option<String>,
}

pub struct Stepping {
    handle: RobotHandle,
    thread: thread::JoinHandle<Ended>,
    may_begin: mpsc::Sender<()>,
}

impl Stepping {
    /// Makes it; it waits.
    pub fn start(robot: Robot) -> Result<Self, CommandError> {
        let (sender, receiver) = mpsc::channel();
        let (may_begin, begin) = mpsc::channel();
        // Made there as well: whoever steps a robot has its panics contained.
        let steps = move || {
            let mut stepper = match robot.into_stepper() {
                Ok(stepper) => stepper,
                Err(error) => {
                    _ = sender.send(Err(error));
                    return Ended::default();
                }
            };
            _ = sender.send(Ok(stepper.handle().clone()));
            if begin.recv().is_ok() {
                while stepper.step().is_some() {}
            }
            stepper.handle().stop();
            Ended { failure: stepper.failure().map(str::to_owned), deviation: stepper.deviation().map(str::to_owned) }
        };
        let thread =
            thread::Builder::new().name("hemiola stepper".into()).spawn(steps).map_err(CommandError::Thread)?;
        let handle = receiver.recv().map_err(|_| CommandError::Thread(io::Error::other("it ended at once")))??;
        Ok(Self { handle, thread, may_begin })
    }

    /// Goes on to the end; what it passes on comes here.
    pub fn begin(&self) -> Option<Tap> {
        let tap = self.handle.take_tap();
        // It waits for it.
        _ = self.may_begin.send(());
        tap
    }

    /// Whether everything has been passed on.
    pub fn has_ended(&self) -> bool {
        self.handle.is_stopping() || self.thread.is_finished()
    }

    /// Waits for its end.
    pub fn end(self) -> Ended {
        let panicked =
            || Ended { failure: Some("the replay ended with a panic of its own".to_owned()), deviation: None };
        self.thread.join().unwrap_or_else(|_| panicked())
    }
}
