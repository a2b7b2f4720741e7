//! The modules of the cognition cycle, each in a file of its own. They run when there is a new
//! image.

mod attention;
mod ball_finder;
