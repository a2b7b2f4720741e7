//! A game of several robots on one simulated field: `nao game`.
//!
//! Each robot is a robot of `robot.toml` of its own, with all its cycles and sources. They share an
//! [`Arena`](crate::simulator::arena::Arena), a referee and a network, and are stepped in lock-step
//! on one clock: the same arguments give the same bits, on any number of cores.
//!
//! | file | contents |
//! |---|---|
//! | [`course`] | the robots, and what happens in a tick |
//! | `player` | one robot, and its ends of field and network |
//! | [`official`] | the referee, who sees the field |
//! | [`fouls`] | what the referee penalises, and where penalised robots go |
//! | [`radio`] | the network: delay and loss |
//! | [`summary`] | the result of a game |
//! | [`ball_comparison`] | all ball models on what the robots see |
//! | [`picture`] | the field from above |
//! | [`report`] | the game as a message, for whoever watches it |
//! | [`view`] | the module that draws a report for the page |
//! | [`shown`] | a game that is a robot of its own, with page and log |
//! | [`program`] | the command |

pub mod ball_comparison;
pub mod course;
pub mod fouls;
pub mod official;
pub mod picture;
mod player;
pub mod program;
pub mod radio;
pub mod report;
pub mod shown;
pub mod summary;
pub mod view;
