//! A camera on a pan-tilt head that finds a ball in its images and follows it.
//!
//! | file | what | in |
//! |---|---|---|
//! | `representations` | what the modules exchange | |
//! | `geometry` | directions, and how a camera maps them to pixels | |
//! | `simulator` | a room, camera and head, **simulated**: replace this file by your drivers | `[source.*]` |
//! | `vision` | from pixels to the track of the ball: 30 Hz | `[cycle.vision]` |
//! | `head` | where to look, and what the servos get for it: 100 Hz | `[cycle.head]` |
//! | `score` | what only a simulation can tell: how well it sees and follows | `[cycle.vision]` |
#![forbid(unsafe_code)]

pub mod geometry;
pub mod head;
pub mod representations;
pub mod score;
pub mod simulator;
pub mod vision;
