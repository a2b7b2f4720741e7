//! The modules of the planning cycle. They read the latest values of the motion cycle, which gets
//! the values that they provide as soon as these are available.

mod route;
