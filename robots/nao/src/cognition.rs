//! The cognition cycle's modules: from images to motion requests.

pub mod behaviour;
pub mod modeling;
pub mod perception;
