//! The modules of the control cycle, each in a file of its own. They run when the encoders were
//! read.

mod joint_controller;
mod motors;
mod trajectory;
