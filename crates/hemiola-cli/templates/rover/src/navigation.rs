//! The modules of the navigation cycle. They run when there is a new scan.

mod planner;
