//! Tests of what the book shows: links have targets, listings are compiled, commands run.
#![forbid(unsafe_code)]

// Its modules and sources are those that listings of robot.toml name.
use hemiola_book as _;

mod commands;
mod configurations;
mod links;
mod listings;
mod page;
mod terminal;
mod workspace;
