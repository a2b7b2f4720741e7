//! A small process beside the robot, which stops what moves when the robot's own process no longer
//! can.
//!
//! It is the robot's parent, runs the same program, and shares no memory with it: they have one
//! socket in common.
//!
//! | file | process | what |
//! |---|---|---|
//! | `oversight` | guard | notices that the robot has died or shows no life, runs the command of `[guard]`, recovers the log, starts the robot again |
//! | `command` | guard | that command: found before the robot starts, run within a bounded time |
//! | `line`, `message` | both | what the robot sends to its guard: that it lives, where its log is, that it is safe |
//!
//! A robot does not outlive its guard: the kernel asks it to end then, as SIGTERM does.

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
