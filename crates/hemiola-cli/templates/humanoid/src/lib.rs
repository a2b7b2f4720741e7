//! A humanoid that keeps its balance when it is pushed, and watches a ball.
//!
//! | file | contents | set up in |
//! |---|---|---|
//! | `representations` | the data that modules exchange | |
//! | `body` | sensors, joints and camera, **simulated**: replace this file with your drivers | `[source.*]` |
//! | `motion` | balance and joints, at 83 Hz with a firm deadline | `[cycle.motion]` |
//! | `cognition` | where the ball is and where to look, at 30 Hz | `[cycle.cognition]` |
//! | `voice` | a callback outside the cycles, which says when the ball comes in sight | `main.rs` |
//!
//! Motion preempts cognition: however long an image takes, the humanoid keeps its balance.
#![forbid(unsafe_code)]

pub mod body;
pub mod cognition;
pub mod motion;
pub mod representations;
pub mod voice;
