//! Checks of the permissions of this process: real-time priority, locked memory, processor time of
//! its control group.

use super::Finding;
use crate::denial::how_to_obtain_permission;
use crate::privileges::{GroupShare, Privileges};
use crate::system_tree::SystemTree;

/// Checks whether threads may run under `SCHED_FIFO`, and how high.
pub(super) fn real_time_priority(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "real-time priority";
    const WHY: &str = "without it every other program on the machine delays the cycles, by milliseconds";
    /// A priority that is enough for several cycles below the kernel's own threads.
    const ENOUGH: u64 = 80;
    let limit = tree.limit("Max realtime priority")?;
    Some(if Privileges::of_this_process(tree).may_schedule {
        Finding::good(TOPIC, WHY, "permitted at every priority (CAP_SYS_NICE)")
    } else {
        match limit.unwrap_or(99) {
            0 => Finding::problem(TOPIC, WHY, "not permitted (no CAP_SYS_NICE, limit 0)", how_to_obtain_permission()),
            highest @ 1..ENOUGH => Finding::advice(
                TOPIC,
                WHY,
                format!("permitted up to {highest}: a cycle that asks for more runs without"),
                how_to_obtain_permission(),
            ),
            highest => Finding::good(TOPIC, WHY, format!("permitted up to {highest} (limit RLIMIT_RTPRIO)")),
        }
    })
}

/// Checks whether the process may lock all of its memory.
pub(super) fn locked_memory(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "locked memory";
    const WHY: &str =
        "a page fault in the middle of a cycle costs microseconds, and milliseconds if the page must come from disk";
    let limit = tree.limit("Max locked memory")?;
    Some(match limit {
        _ if Privileges::of_this_process(tree).may_lock_memory => {
            Finding::good(TOPIC, WHY, "without limit (CAP_IPC_LOCK)")
        }
        None => Finding::good(TOPIC, WHY, "without limit"),
        Some(bytes) => {
            Finding::advice(TOPIC, WHY, format!("limited to {} KiB", bytes / 1024), how_to_obtain_permission())
        }
    })
}

/// Checks how much of each period real-time threads of the control group may run.
pub(super) fn group_bandwidth(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "control group, real-time share";
    let share = GroupShare::of_this_process(tree)?;
    Some(if share.is_none() {
        Finding::problem(TOPIC, GroupShare::WHY, format!("none ({} is 0)", GroupShare::FILE), GroupShare::REMEDY)
    } else {
        Finding::good(TOPIC, GroupShare::WHY, format!("{} µs per period", share.microseconds))
    })
}

/// Checks whether the processor time of the control group (a container, a service) is limited.
pub(super) fn group_quota(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "control group, quota";
    const WHY: &str = "once the quota of a period is used up, all threads that share time stand still until the next one, for up to 100 ms";
    // Without control groups there is nothing to check.
    tree.text("proc/self/cgroup")?;
    let tightest = tree
        .control_group_files("cpu.cfs_quota_us", "cpu.max")
        .iter()
        // `cpu.max` holds quota and period; `cpu.cfs_quota_us` the quota alone, for which 100 ms is
        // the period by default.
        .filter_map(|text| {
            let mut numbers = text.split_whitespace();
            let quota: f64 = numbers.next()?.parse().ok()?;
            let period: f64 = numbers.next().unwrap_or("100000").parse().ok()?;
            (quota > 0.0 && period > 0.0).then_some(quota / period)
        })
        .min_by(f64::total_cmp);
    Some(match tightest {
        None => Finding::good(TOPIC, WHY, "none"),
        Some(cores) => Finding::problem(
            TOPIC,
            WHY,
            format!("{cores:.2} cores"),
            "remove it (docker: no `--cpus`; systemd: no `CPUQuota=`; Kubernetes: no cpu limit), and divide cores by affinity instead",
        ),
    })
}
