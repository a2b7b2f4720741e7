//! A rover that drives from goal to goal, around the obstacles that its lidar sees.
//!
//! | file | contents | set up in |
//! |---|---|---|
//! | `representations` | the data that modules exchange; `Twist` is a message of ROS 2 | |
//! | `world` | wheels, gyroscope and lidar, **simulated**: replace this file with your drivers | `[source.*]` |
//! | `drive` | odometry and motor commands, at 100 Hz | `[cycle.drive]`, process `main` |
//! | `navigation` | the way to the next goal, at 10 Hz | `[cycle.navigation]`, process `navigation` |
//! | `announcer` | a callback outside the cycles, which announces the goals reached | `main.rs` |
//!
//! No code depends on there being two processes: robot.toml defines them, and Hemiola transfers the
//! values that one reads from the other. Without `[process.navigation]` there is a single process.
#![forbid(unsafe_code)]

pub mod announcer;
pub mod drive;
pub mod navigation;
pub mod representations;
pub mod world;
