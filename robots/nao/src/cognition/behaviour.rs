//! From what the robot believes to what it does.
//!
//! | module | decides | from |
//! |---|---|---|
//! | [`game_watcher`] | whether to play | whistle, world |
//! | [`ball_searcher`] | how to find a lost ball | world, search map |
//! | [`target_selector`] | where the ball shall go | world |
//! | [`approach_planner`] | where to stand for that | world, target |
//! | [`path_planner`] | the way there | world, approach, search |
//! | [`walk_controller`] | how fast to walk on it | path |
//! | [`kick_selector`] | whether to kick now | world, target, approach |
//! | [`behavior_control`] | what the body does | all of the above, fall state |
//! | [`head_attention`] | what to look at | world, search |
//! | [`commentator`] | what to say about it | activity |
//! | [`fall_reporter`] | when to write down what the robot believes | falls |
//!
//! Two loops are cut by `Previous`: the target stays while the robot kicks, and the head looks at
//! what it kicks; whether it does is decided later in the same run, and the previous run's decision
//! is as good.

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
pub mod fall_reporter;

#[cfg(test)]
mod tests;
