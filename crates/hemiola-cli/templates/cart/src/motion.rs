//! The modules of the motion cycle, each in a file of its own. They run when new encoder values
//! are there, in the order in which they need each other.

mod motors;
mod odometry;
mod pilot;
