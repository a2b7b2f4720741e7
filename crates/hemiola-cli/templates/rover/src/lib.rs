//! A rover that drives from goal to goal, around what its lidar sees.
//!
//! | file | what | in |
//! |---|---|---|
//! | `representations` | what the modules exchange; `Twist` is a message of ROS 2 | |
//! | `world` | wheels, gyroscope and lidar, **simulated**: replace this file by your drivers | `[source.*]` |
//! | `drive` | where the rover is, what its wheels get: 100 Hz | `[cycle.drive]`, process `main` |
//! | `navigation` | where it drives next: 10 Hz | `[cycle.navigation]`, process `navigation` |
//!
//! Nothing here knows that there are two processes: robot.toml says so, and what one of them reads
//! of the other one crosses by itself. Without `[process.navigation]` it is a single process.
#![forbid(unsafe_code)]

pub mod drive;
pub mod navigation;
pub mod representations;
pub mod world;
