//! The data that modules exchange, by the part of the robot that provides it.

pub mod audio;
pub mod behaviour;
pub mod body;
pub mod events;
pub mod game;
pub mod image_message;
pub mod modeling;
pub mod motion;
pub mod perception;
pub mod sensing;
