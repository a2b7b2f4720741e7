//! A humanoid that keeps its balance when it is pushed, and looks at a ball.
//!
//! | file | what | in |
//! |---|---|---|
//! | `representations` | what the modules exchange | |
//! | `body` | sensors, joints and camera, **simulated**: replace this file by your drivers | `[source.*]` |
//! | `motion` | balance and joints: 83 Hz, with a firm deadline | `[cycle.motion]` |
//! | `cognition` | where the ball is, where to look: 30 Hz | `[cycle.cognition]` |
//!
//! Motion preempts cognition: an image may take long, and the humanoid stands nevertheless.
#![forbid(unsafe_code)]

pub mod body;
pub mod cognition;
pub mod motion;
pub mod representations;
