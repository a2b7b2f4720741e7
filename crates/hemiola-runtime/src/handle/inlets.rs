//! The inlets of values and messages, and the news about topics that leave.

use std::sync::Arc;

use hemiola_realtime::Wakeup;

use super::RobotHandle;
use crate::inlet::SourceInlet;
use crate::origins::{TopicInlet, TopicNews};

impl RobotHandle {
    /// Returns the inlet of the source of that name, if it is one that is fed from outside. A link
    /// is such a source for each representation that it receives: `link.head.BallPercept`.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// assert!(stepper.handle().inlet("link.head.BallPercept").is_none()); // there is no such link
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn inlet(&self, source: &str) -> Option<SourceInlet> {
        self.state.inlets().get(source).cloned()
    }

    /// Returns what messages of a topic derive from, for whoever passes them on to another process;
    /// `event` is notified when there is something new. Returns `None` if no module has such a
    /// topic, or too many pass it on.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// assert!(stepper.handle().topic_news("Whistle", Default::default()).is_none()); // there is no such topic
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn topic_news(&self, topic: &str, event: Arc<Wakeup>) -> Option<TopicNews> {
        let topic = self.with_robot(|robot| robot.topics().into_iter().find(|known| *known == topic))?;
        TopicNews::new(self.state.origins().of(topic), self.state.shape(), event)
    }

    /// Returns the inlet for what messages of a topic derive from that come from another process of
    /// this robot, by the name that the topic has as a source: `link.audio.Whistle`.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// assert!(stepper.handle().topic_inlet("link.audio.Whistle").is_none()); // there is no such process
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn topic_inlet(&self, source: &str) -> Option<TopicInlet> {
        self.state.topic_inlets().get(source).cloned()
    }
}
