//! The modules of the head cycle, each in a file of its own. They run when the encoders have new
//! values, and take what vision has said last: between two images they go on to where it leads.

mod attention;
mod servos;
