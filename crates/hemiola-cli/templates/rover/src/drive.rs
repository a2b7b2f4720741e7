//! The modules of the drive cycle, each in a file of its own. They run for each new sample of
//! wheels and gyroscope, each of them after those whose values it reads.

mod motors;
mod odometry;
