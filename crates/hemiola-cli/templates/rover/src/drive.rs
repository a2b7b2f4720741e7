//! The modules of the drive cycle, each in a file of its own. They run when new values of the
//! wheels are there, in the order in which they need each other.

mod motors;
mod odometry;
