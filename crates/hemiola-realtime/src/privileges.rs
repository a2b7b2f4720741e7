//! The privileges that the kernel grants this process.

use crate::system_tree::SystemTree;

/// The capabilities that matter to real-time programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Privileges {
    /// `CAP_SYS_NICE`: real-time policies and negative nice values without a limit.
    pub(crate) may_schedule: bool,
    /// `CAP_IPC_LOCK`: locked memory without a limit.
    pub(crate) may_lock_memory: bool,
}

impl Privileges {
    /// Reads the capabilities from `proc`; none where there is no such file.
    ///
    /// Capabilities in a user namespace other than the first (rootless containers) are of no use
    /// for either: the kernel requires them in the first one.
    pub(crate) fn of_this_process(tree: &SystemTree) -> Self {
        const CAP_IPC_LOCK: u64 = 1 << 14;
        const CAP_SYS_NICE: u64 = 1 << 23;
        let status = tree.text("proc/self/status").unwrap_or_default();
        let effective = status
            .lines()
            .find_map(|line| line.strip_prefix("CapEff:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0);
        if !in_first_user_namespace(tree) {
            return Privileges::default();
        }
        Privileges { may_schedule: effective & CAP_SYS_NICE != 0, may_lock_memory: effective & CAP_IPC_LOCK != 0 }
    }
}

/// Returns whether the process is in the first user namespace, which maps every identity to itself.
/// A kernel without user namespaces has no such file.
fn in_first_user_namespace(tree: &SystemTree) -> bool {
    tree.text("proc/self/uid_map").is_none_or(|map| map.split_whitespace().eq(["0", "0", "4294967295"]))
}

/// The time of each period that real-time threads of this process' control group may run, in
/// kernels with `RT_GROUP_SCHED`: by default they have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupShare {
    /// The microseconds per period.
    pub(crate) microseconds: i64,
}

impl GroupShare {
    /// The file of a control group that holds the share.
    pub(crate) const FILE: &str = "cpu.rt_runtime_us";
    /// The reason why it matters.
    pub(crate) const WHY: &str =
        "a real-time policy is refused to members of a control group without real-time bandwidth, even to root";
    /// The remedy where the share is zero.
    pub(crate) const REMEDY: &str = "write 950000 to cpu.rt_runtime_us of the group and of those around it, outermost \
        first (docker: `--cpu-rt-runtime=950000`)";

    /// Reads the share of the process' own group; nothing where the kernel does not divide
    /// real-time bandwidth.
    pub(crate) fn of_this_process(tree: &SystemTree) -> Option<Self> {
        let files = tree.control_group_files(Self::FILE, Self::FILE);
        let microseconds = files.iter().find_map(|text| text.parse().ok())?;
        Some(GroupShare { microseconds })
    }

    /// Returns whether real-time policies are refused.
    pub(crate) fn is_none(self) -> bool {
        self.microseconds == 0
    }
}
