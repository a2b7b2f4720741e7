//! The modules of the motion cycle, each in a file of its own. They run for each new sample of the
//! body's sensors, each of them after those whose values it reads.

mod balance;
mod centre_of_mass;
mod head;
mod joints;
