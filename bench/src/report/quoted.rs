//! Figures of Taskflow, quoted: there is no package from which the bench could build it everywhere.
//! They are from an earlier run of the same workloads on a two-core AMD EPYC virtual machine (Linux
//! 6.18, SCHED_FIFO); with `TASKFLOW_DIR` it takes part itself.

pub const OVERHEAD: &str = "quoted: Taskflow 23 ns from inside, 330 ns";
pub const COGNITION: &str = "quoted: Taskflow 1.009 with priorities, 1.35";
pub const MOTION: &str = "quoted: Taskflow 1.12 with priorities, 1.20";
pub const FIRST_TASK: &str = "quoted: Taskflow 79 / 90 µs";
pub const PERIODIC: &str = "quoted: Taskflow 579 / 628 µs from inside";
pub const IDLE: &str = "quoted: Taskflow 11.9";
pub const ALLOCATIONS: &str = "quoted: Taskflow 0 from inside, 3";
