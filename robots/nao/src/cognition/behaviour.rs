//! The behaviour: from the robot's beliefs to its actions.
//!
//! | module | decides | from |
//! |---|---|---|
//! | [`game_watcher`] | whether to play | whistle, world |
//! | [`game_follower`] | the same, if there is a GameController | its packets, whistle |
//! | [`team_player`] | the robot's part in its team | world, messages of the mates |
//! | [`place_finder`] | where the rules, or its part, want the robot to stand | phase of the game, world, part |
//! | [`ball_searcher`] | how to find a lost ball | world, search map, part |
//! | [`target_selector`] | where to play the ball | world |
//! | [`approach_planner`] | where to stand to play it | world, target |
//! | [`path_planner`] | the way there | world, approach, search, place |
//! | [`walk_controller`] | the velocity on the path | path |
//! | [`kick_selector`] | whether to kick now | world, target, approach |
//! | [`behavior_control`] | what the body does | all of the above, fall state |
//! | [`head_attention`] | what to look at | world, search |
//! | [`commentator`] | what to say about it | activity |
//! | [`fall_reporter`] | when to request a capture | falls |
//!
//! Two loops are broken by `Previous`: the target is kept while the robot kicks, and the head looks
//! at what it kicks; the decision to kick is made later in the same run, and that of the previous
//! run is as good.

pub mod game_follower;
pub mod game_watcher;
pub mod place_finder;
pub mod team_player;

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
