//! A NAO-like soccer robot on Hemiola: motion, cognition and audio, in simulation and on recorded
//! input.
//!
//! | folder | contents |
//! |---|---|
//! | `representations` | the data that modules exchange |
//! | `motion` | the motion cycle's modules: from IMU and joints to joint requests, 83 Hz |
//! | `cognition` | the cognition cycle's modules: from images to motion requests, 30 Hz |
//! | `audio` | the audio cycle's modules: from microphone blocks to whistles, 47 Hz |
//! | `robot` | the NAO's joints, dimensions and kinematics |
//! | `simulator` | a field, a ball, other robots and this one, with its sensors |
//! | `lola` | the body of the NAO V6, at the socket of its maker's program, and a simulated one |
//! | `announcer` | turns events into sentences |
//! | `game_controller` | the league's referee: its protocol, and one of our own |
//! | `team` | messages between the robots of a team, within the league's limits |
//! | `game` | `nao game`: several of these robots on one simulated field, in lock-step |
//! | `closed_loop` | `nao closed-loop`: what scheduling does for the game, with intervals |
//! | `network` | packets by UDP or within a simulation |
//! | `captures` | saves the robot's state on request |
//! | `recordings` | directories of recorded sensor data as sources, and scores against their ground truth |
#![forbid(unsafe_code)]

pub mod announcer;
pub mod audio;
pub mod captures;
pub mod closed_loop;
pub mod cognition;
mod error;
pub mod field;
#[cfg(feature = "game")]
pub mod game;
pub mod game_controller;
pub mod geometry;
pub mod lola;
pub mod motion;
pub mod network;
pub mod recordings;
pub mod representations;
pub mod robot;
pub mod score;
pub mod simulator;
pub mod team;

pub use error::NaoError;
