//! The modules of the cognition cycle, each in a file of its own. They run for each new image of
//! the camera.

mod attention;
mod ball_finder;
