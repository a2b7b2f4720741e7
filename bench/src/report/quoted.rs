//! Figures of Taskflow, quoted: there is no package from which the bench could build it everywhere.
//! They are of version 4.1, in a run of the same workloads on 23 November 2026 (two cores of an AMD
//! EPYC); with `TASKFLOW_DIR` it takes part itself.

pub const COGNITION: &str = "quoted: Taskflow 1.346";
pub const MOTION: &str = "quoted: Taskflow 1.134";
pub const FIRST_TASK: &str = "quoted: Taskflow 18.9 µs from inside";
