//! An arm with two joints that stacks boxes, and a brake that holds it whatever happens.
//!
//! | file | what | in |
//! |---|---|---|
//! | `representations` | what the modules exchange | |
//! | `board` | joints, brake and gripper, **simulated**: replace this file by your driver | `[source.Joints]` |
//! | `dynamics`, `kinematics` | the model of the arm, for control and for the simulation | |
//! | `control` | how the joints move, and the torques for that: 250 Hz | `[cycle.control]` |
//! | `task` | which box is next, and where to: 20 Hz | `[cycle.task]` |
//! | `gripper` | a thread beside the cycles, for a device that takes its time | `[executor.gripper]` |
#![forbid(unsafe_code)]

pub mod board;
pub mod control;
pub mod dynamics;
pub mod gripper;
pub mod kinematics;
pub mod representations;
pub mod task;
