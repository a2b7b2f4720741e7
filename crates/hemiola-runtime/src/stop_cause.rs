/// The cause for which a robot stops:
/// [`RobotHandle::stop_cause`](crate::RobotHandle::stop_cause).
///
/// ```
/// use hemiola_runtime::{RobotHandle, StopCause};
///
/// fn has_lost_its_sources(robot: &RobotHandle) -> bool {
///     robot.stop_cause() == Some(StopCause::SourcesEnded)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// Somebody has called [`RobotHandle::stop`](crate::RobotHandle::stop).
    Requested,
    /// All sources that can end have ended, or the recording that the robot follows has.
    SourcesEnded,
    /// All cycles have ended.
    CyclesEnded,
}

impl StopCause {
    /// Returns a number for the cause, which is not zero.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Requested => 1,
            Self::SourcesEnded => 2,
            Self::CyclesEnded => 3,
        }
    }

    /// Returns the cause with that number.
    pub(crate) fn of_number(number: u32) -> Option<Self> {
        [Self::Requested, Self::SourcesEnded, Self::CyclesEnded].into_iter().find(|cause| cause.number() == number)
    }
}
