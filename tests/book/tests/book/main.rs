//! The book holds what it shows: links lead somewhere, listings are compiled, commands run.
#![forbid(unsafe_code)]

mod commands;
mod links;
mod listings;
mod page;
mod terminal;
