//! The modules of the navigation cycle. They run for each new scan of the lidar.

mod planner;
