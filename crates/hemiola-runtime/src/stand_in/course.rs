use std::collections::BTreeMap;

use hemiola_model::Time;

use super::feed::Feed;
use super::messages::RecordedMessages;
use super::taken::{Taken, TakenValues};
use crate::script::Script;

/// The course that a robot follows instead of deciding by itself: samples, values and runs of a
/// recording ([`Robot::following`](crate::Robot::following)).
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::{Feed, Robot, RuntimeError, Script, TakenValues};
/// use hemiola_runtime::Course;
/// # fn replay(robot: Robot, script: Script, images: Box<dyn Feed>, balls: Box<dyn TakenValues>) -> Result<(), RuntimeError> {
///
/// let course = Course::of(script) // the runs, in their order
///     .feeding("Camera", images) // the samples that they take
///     .taking("BallPercept", balls); // and what is not computed anew
/// let mut stepper = robot.following(course)?.into_stepper()?;
/// while stepper.step().is_some() {}
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Course {
    pub(crate) feeds: BTreeMap<String, Box<dyn Feed>>,
    pub(crate) taken: Taken,
    /// The messages of each topic that no cycle published.
    pub(crate) messages: BTreeMap<String, Box<dyn RecordedMessages>>,
    pub(crate) script: Option<Script>,
    pub(crate) end: Option<Time>,
}

impl Course {
    /// Repeats the runs of a recording. With the samples that they read
    /// ([`feeding`](Self::feeding)) and the same modules, every run gives the same bits again, even
    /// if the robot ran on its own threads. The [`Stepper`](crate::Stepper) follows it.
    pub fn of(script: Script) -> Self {
        Self::default().repeating(script)
    }

    /// Repeats the runs of a recording, like [`of`](Self::of), with the samples and values that are
    /// there.
    #[must_use]
    pub fn repeating(mut self, script: Script) -> Self {
        self.script = Some(script);
        self
    }

    /// Ends after the runs that are due at that time, if no script determines the end: timers
    /// without sources would continue for ever.
    #[must_use]
    pub fn until(mut self, end: Time) -> Self {
        self.end = Some(end);
        self
    }

    /// Runs cycles when they are due, on the samples and values that are there.
    #[must_use]
    pub fn as_due(mut self) -> Self {
        self.script = None;
        self
    }

    /// Replaces a source by a recording: the source is not called for samples, and its inputs are
    /// not read. Samples are delivered when the robot's clock shows their time, or a run needs
    /// them.
    #[must_use]
    pub fn feeding(mut self, source: impl Into<String>, feed: Box<dyn Feed>) -> Self {
        self.feeds.insert(source.into(), feed);
        self
    }

    /// Publishes messages of a topic that no cycle publishes: those of a recording that the runs
    /// received. Needed to follow a [`Script`] of which runs received such messages.
    #[must_use]
    pub fn carrying(mut self, topic: impl Into<String>, messages: Box<dyn RecordedMessages>) -> Self {
        self.messages.insert(topic.into(), messages);
        self
    }

    /// Takes a representation that a cycle provides from a recording, run by run. Its provider's
    /// update is not called; if it provides something else as well, it is called, and its value of
    /// this representation is not used. For stepped robots:
    /// [`Robot::prepare`](crate::Robot::prepare) refuses it.
    #[must_use]
    pub fn taking(mut self, representation: impl Into<String>, values: Box<dyn TakenValues>) -> Self {
        self.taken.insert(representation.into(), values);
        self
    }
}

impl std::fmt::Debug for Course {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs = self.script.as_ref().map(|script| script.runs().len());
        let feeds: Vec<_> = self.feeds.keys().collect();
        formatter.debug_struct("Course").field("feeds", &feeds).field("runs", &runs).finish_non_exhaustive()
    }
}
