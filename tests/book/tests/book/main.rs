//! Tests of what the book shows: links have targets, listings are compiled, commands run.
#![forbid(unsafe_code)]

mod commands;
mod links;
mod listings;
mod page;
mod terminal;
mod workspace;
