//! The modules of the motion cycle, each in a file of its own. They run when the body has new
//! sensor values, in the order in which they need each other.

mod balance;
mod centre_of_mass;
mod head;
mod joints;
