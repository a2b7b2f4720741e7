//! The modules of the motion cycle, each in a file of its own. They run for each new sample of the
//! encoders, each of them after those whose values it reads.

mod motors;
mod odometry;
mod pilot;
