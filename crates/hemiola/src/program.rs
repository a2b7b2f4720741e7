//! Names of the program around a robot, and of all that other programs need to run robots.

/// Putting robots together, running them, looking at them and changing them: for tests and for
/// programs with a `main` of their own.
pub mod runtime {
    pub use hemiola_runtime::{
        Bounded, CapturedValues, Change, CycleHealth, Exceedance, ExceedanceCause, JournalEntry, JournalEvent,
        LatencyBounds, LinkBetweenParts, Message, Observation, Observer, Pace, Pending, Played, Player, Robot,
        RobotHandle, RunningRobot, RuntimeError, SafeStateCause, SafeStateEntry, SafeStateWait, Seen, SeenValue,
        SourceInlet, Step, Stepper, Tempo, Transport, ValueRequest,
    };
}

/// Topics and representations from and to other programs, for programs with a `main` of their own.
pub use hemiola_link as link;
/// Logs: reading them, whole or damaged.
pub use hemiola_log as log;
/// Task graphs, plans, predicted schedules and their pictures.
pub use hemiola_plan as plan;
/// The operating system's real-time services, and the doctor.
pub use hemiola_realtime as realtime;
/// Nodes of a ROS 2 system, for programs with a `main` of their own.
#[cfg(feature = "ros2")]
pub use hemiola_ros2 as ros2;
/// Timing figures, traces and timelines.
pub use hemiola_trace as trace;
/// Links over Zenoh, for programs with a `main` of their own.
#[cfg(feature = "zenoh")]
pub use hemiola_zenoh as zenoh;

pub use hemiola_cli::{Application, CommandError};
pub use hemiola_recording::{RecordingError, extracted as testing, replay};
pub use hemiola_runtime::{Robot, RobotHandle};
