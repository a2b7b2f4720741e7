//! From what the robot believes to what it does.
//!
//! The order of decisions: what the referee wants, where the ball is or could be, where it shall go, where to stand for
//! that, how to walk there, when to kick, and what to look at meanwhile.

pub mod game_watcher;

pub mod ball_searcher;
pub mod target_selector;

pub mod approach_planner;
pub mod kick_selector;
pub mod path_planner;
pub mod walk_controller;

pub mod behavior_control;
pub mod head_attention;

pub mod commentator;

#[cfg(test)]
mod tests;
