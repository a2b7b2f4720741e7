//! The modules of the planning cycle. What they read of the motion cycle is its newest state, and
//! what they provide gets there as soon as it is there.

mod route;
