//! A small process beside the robot, which stops the actuators when the robot's own process no
//! longer can.
//!
//! It is the parent of the robot's process, runs the same program, and shares no memory with it:
//! they are connected by one socket.
//!
//! | file | process | contents |
//! |---|---|---|
//! | `oversight` | guard | detects that the robot has died or sends no heartbeats, runs the command of `[guard]`, recovers the log, restarts the robot |
//! | `command` | guard | that command: located before the robot starts, run with a time limit |
//! | `line`, `message` | both | the messages from the robot to its guard: heartbeats, the path of its log, that it is safe |
//!
//! A robot does not outlive its guard: the kernel then sends it SIGTERM.

#[cfg(target_os = "linux")]
mod command;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod line;
mod message;
#[cfg(target_os = "linux")]
mod oversight;

#[cfg(target_os = "linux")]
pub use command::StopCommand;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Line, Oversight, StopCommand};
#[cfg(target_os = "linux")]
pub use line::Line;
pub use message::{Message, RESTARTS, after_restart, restarts};
#[cfg(target_os = "linux")]
pub use oversight::Oversight;
