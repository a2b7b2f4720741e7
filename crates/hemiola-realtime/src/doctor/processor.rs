//! The checks of the cores: their number, how they share, how they sleep, and whether they are
//! virtual.

use super::Finding;
use crate::system_tree::{SystemTree, parse_cores};
use std::collections::BTreeSet;
use std::time::Duration;

const FOLDER: &str = "sys/devices/system/cpu";

/// Checks which cores exist, which this process may use, and which are kept free of other work.
pub(super) fn cores(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "cores";
    const WHY: &str =
        "cycles run side by side only on different cores, and are disturbed least on those kept free of other work";
    let online = tree.cores(&format!("{FOLDER}/online"))?;
    let status = tree.text("proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .and_then(parse_cores)
        // The mask may name cores that do not exist.
        .map(|allowed| allowed.into_iter().filter(|core| online.contains(core)).collect::<Vec<_>>());
    let usable = allowed.as_ref().map_or(online.len(), Vec::len);
    let mut found = format!("{usable} of {} usable", online.len());
    for (name, file) in [("isolated", "isolated"), ("without tick", "nohz_full")] {
        if let Some(cores) = tree.cores(&format!("{FOLDER}/{file}")).filter(|cores| !cores.is_empty()) {
            found.push_str(&format!(", {name}: {}", listed(&cores)));
        }
    }
    Some(if usable < 2 {
        Finding::problem(TOPIC, WHY, found, "give the process (container, virtual machine) at least two cores")
    } else if usable < online.len() {
        Finding::advice(
            TOPIC,
            WHY,
            found,
            "if that is not on purpose, look at `taskset`, the cpuset of the control group or container, and `isolcpus=` in /proc/cmdline \
             (isolated cores are used only by threads with that affinity)",
        )
    } else {
        Finding::good(TOPIC, WHY, found)
    })
}

/// Checks which cores are two hardware threads of one.
pub(super) fn hardware_threads(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "hardware threads";
    const WHY: &str =
        "two threads on one physical core slow each other down, by up to a half, whatever their priorities";
    let siblings: BTreeSet<Vec<usize>> = tree
        .cores(&format!("{FOLDER}/online"))?
        .into_iter()
        .filter_map(|core| tree.cores(&format!("{FOLDER}/cpu{core}/topology/thread_siblings_list")))
        .collect();
    if siblings.is_empty() {
        return None;
    }
    Some(match siblings.iter().find(|group| group.len() > 1) {
        None => Finding::good(TOPIC, WHY, "one per physical core"),
        Some(first) => {
            let of_each: BTreeSet<usize> = siblings.iter().filter_map(|group| group.first().copied()).collect();
            let of_each: Vec<usize> = of_each.into_iter().collect();
            Finding::advice(
                TOPIC,
                WHY,
                format!("{} physical cores; cores {} are one of them", siblings.len(), listed(first)),
                format!(
                    "give the most urgent cycles an affinity to one thread of each ({}), or `echo off | sudo tee /{FOLDER}/smt/control`",
                    listed(&of_each)
                ),
            )
        }
    })
}

/// Checks whether the cores run at full speed when a cycle starts.
pub(super) fn frequency(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "frequency governor";
    const WHY: &str =
        "a core that has slowed down while idle needs milliseconds to become fast again, and cycles are short";
    let online = tree.cores(&format!("{FOLDER}/online"))?;
    let governed: Vec<(usize, String)> = online
        .iter()
        .filter_map(|&core| Some((core, tree.text(&format!("{FOLDER}/cpu{core}/cpufreq/scaling_governor"))?)))
        .collect();
    let Some((first, _)) = governed.first() else {
        return Some(Finding::good(TOPIC, WHY, "the frequency is not under this system's control"));
    };
    let driver = tree.text(&format!("{FOLDER}/cpu{first}/cpufreq/scaling_driver")).unwrap_or_else(|| "unknown".into());
    let slow: Vec<usize> =
        governed.iter().filter(|(_, governor)| governor != "performance").map(|(core, _)| *core).collect();
    Some(if slow.is_empty() {
        Finding::good(TOPIC, WHY, format!("performance on all cores (driver {driver})"))
    } else {
        let names: BTreeSet<&str> =
            governed.iter().map(|(_, governor)| governor.as_str()).filter(|name| *name != "performance").collect();
        let names: Vec<&str> = names.into_iter().collect();
        Finding::advice(
            TOPIC,
            WHY,
            format!("{} on cores {} (driver {driver})", names.join(", "), listed(&slow)),
            "`sudo cpupower frequency-set -g performance`",
        )
    })
}

/// Checks how long the deepest sleep of a core takes to end.
pub(super) fn idle_states(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "idle states";
    const WHY: &str =
        "a core that sleeps deeply takes this long to wake, and so does the thread that waits for its trigger there";
    const TOLERABLE: Duration = Duration::from_micros(100);
    let folder = format!("{FOLDER}/cpu0/cpuidle");
    let deepest = tree
        .entries(&folder)
        .iter()
        .filter(|state| tree.text(&format!("{folder}/{state}/disable")).as_deref() != Some("1"))
        .filter_map(|state| tree.value(&format!("{folder}/{state}/latency")).map(Duration::from_micros))
        .max()?;
    let found = format!("cores need up to {deepest:?} to wake");
    Some(if deepest <= TOLERABLE {
        Finding::good(TOPIC, WHY, found)
    } else {
        Finding::advice(
            TOPIC,
            WHY,
            found,
            "`sudo cpupower idle-set -D 50` (disables states that need more than 50 us), or boot with `processor.max_cstate=1`",
        )
    })
}

/// Checks whether the host of a virtual machine takes the cores away from time to time.
pub(super) fn virtual_machine(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "virtual machine";
    const WHY: &str =
        "a virtual core stands still whenever its host runs something else, and no setting inside can prevent it";
    const PER_MILLE_TOLERABLE: u64 = 10;
    let processor = tree.text("proc/cpuinfo")?;
    let is_virtual = tree.text("sys/hypervisor/type").is_some()
        || processor
            .lines()
            .any(|line| line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor"));
    if !is_virtual {
        return Some(Finding::good(TOPIC, WHY, "no sign of one"));
    }
    // The line is the first of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal;
    // guest time is part of user time.
    let times: Vec<u64> = tree
        .text("proc/stat")
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        .take(8)
        .filter_map(|number| number.parse().ok())
        .collect();
    let busy: u64 = times.iter().enumerate().filter(|(index, _)| !matches!(index, 3 | 4)).map(|(_, time)| time).sum();
    let stolen = times.get(7).copied().unwrap_or(0);
    let per_mille = (stolen * 1000).checked_div(busy).unwrap_or(0);
    let found =
        format!("yes; its host has taken {}.{} % of the busy time since it started", per_mille / 10, per_mille % 10);
    let remedy = "run on the robot itself, or have the host give each virtual core a core of its own";
    Some(if per_mille > PER_MILLE_TOLERABLE {
        Finding::problem(TOPIC, WHY, found, remedy)
    } else {
        Finding::advice(TOPIC, WHY, found, remedy)
    })
}

/// Formats a list of cores, such as `0-3, 8`.
fn listed(cores: &[usize]) -> String {
    let runs = cores.chunk_by(|left, right| left + 1 == *right);
    let runs: Vec<String> = runs
        .map(|run| match run {
            [only] => only.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        })
        .collect();
    runs.join(", ")
}
