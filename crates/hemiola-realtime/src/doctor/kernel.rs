//! The checks of how the kernel is built and configured: preemption, throttling, timers, clock,
//! memory.

use super::Finding;
use crate::privileges::Privileges;
use crate::system_tree::{SystemTree, chosen};
use std::time::Duration;

/// Checks whether a ready real-time thread can interrupt the kernel itself.
pub(super) fn preemption(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "kernel preemption";
    const WHY: &str = "a system call or driver that runs on a core delays the real-time thread that wants it, unless the kernel is preemptible";
    const REMEDY: &str = "boot with `preempt=full`, or install a PREEMPT_RT kernel (Ubuntu: `sudo pro enable realtime-kernel`; Debian: \
                          `linux-image-rt-amd64`)";
    let build = tree.text("proc/sys/kernel/version").unwrap_or_default();
    if tree.text("sys/kernel/realtime").as_deref() == Some("1") || build.contains("PREEMPT_RT") {
        return Some(Finding::good(TOPIC, WHY, "PREEMPT_RT, everywhere"));
    }
    // Where the model is chosen at boot, the debug file system shows which it is, but only root may
    // read it; the command line shows which was requested.
    let model = tree
        .text("sys/kernel/debug/sched/preempt")
        .and_then(|options| chosen(&options).map(str::to_string))
        .or_else(|| {
            let command_line = tree.text("proc/cmdline")?;
            command_line.split_whitespace().find_map(|word| word.strip_prefix("preempt=")).map(str::to_string)
        });
    Some(match model.as_deref() {
        Some("full") => Finding::good(TOPIC, WHY, "full (PREEMPT_RT would be stricter)"),
        Some("none") => Finding::problem(TOPIC, WHY, "none", REMEDY),
        Some(model) => Finding::advice(TOPIC, WHY, model, REMEDY),
        None if build.contains("PREEMPT_DYNAMIC") => Finding::advice(
            TOPIC,
            WHY,
            "chosen at boot; which, only /sys/kernel/debug/sched/preempt tells, and it cannot be read here",
            REMEDY,
        ),
        None if build.contains("PREEMPT") => Finding::good(TOPIC, WHY, "full (PREEMPT_RT would be stricter)"),
        None if build.is_empty() => return None,
        None => Finding::problem(TOPIC, WHY, "none or voluntary", REMEDY),
    })
}

/// Checks how much of the time real-time threads may use.
pub(super) fn throttling(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "real-time throttling";
    const WHY: &str = "real-time threads that use up their share stand still for the rest of a second; without a limit, one that spins forever freezes a core";
    const FILE: &str = "proc/sys/kernel/sched_rt_runtime_us";
    let runtime: i64 = tree.value(FILE)?;
    let period: i64 = tree.value("proc/sys/kernel/sched_rt_period_us").filter(|period| *period > 0)?;
    let remedy = format!("`sudo sysctl kernel.sched_rt_runtime_us={}`", period / 100 * 95);
    Some(if runtime < 0 {
        Finding::advice(TOPIC, WHY, "off: real-time threads may use all of the time", remedy)
    } else {
        let percent = runtime.saturating_mul(100) / period;
        let found = format!("real-time threads may use {percent} % of the time");
        match percent {
            0 => Finding::problem(TOPIC, WHY, found, remedy),
            1..90 => Finding::advice(TOPIC, WHY, found, remedy),
            _ => Finding::good(TOPIC, WHY, found),
        }
    })
}

/// Checks how late the kernel may fire this thread's timers in order to batch them.
pub(super) fn timer_slack(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "timer slack";
    const WHY: &str = "the kernel may end the sleep of a thread that shares time this much too late, to batch timers";
    let nanoseconds: u64 = tree.value("proc/self/timerslack_ns")?;
    Some(Finding::good(
        TOPIC,
        WHY,
        format!("{:?} by default; none on threads of cycles, which ask for it", Duration::from_nanos(nanoseconds)),
    ))
}

/// Checks whether timers fire with nanosecond resolution, or on the next tick.
pub(super) fn timer_resolution(resolution: Duration) -> Finding {
    const TOPIC: &str = "timer resolution";
    const WHY: &str = "without high-resolution timers every sleep ends on a tick, up to 10 ms late";
    if resolution <= Duration::from_micros(1) {
        Finding::good(TOPIC, WHY, format!("{resolution:?}"))
    } else {
        Finding::problem(
            TOPIC,
            WHY,
            format!("{resolution:?}"),
            "boot without `highres=off`, or build the kernel with CONFIG_HIGH_RES_TIMERS",
        )
    }
}

/// Checks whether the time can be read without a system call.
pub(super) fn clock_source(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "clock source";
    const WHY: &str = "with any but these, reading the time is a system call and some access to slow hardware: a microsecond, not 20 ns";
    const FAST: [&str; 6] =
        ["tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "riscv_clocksource", "timebase"];
    const FOLDER: &str = "sys/devices/system/clocksource/clocksource0";
    let current = tree.text(&format!("{FOLDER}/current_clocksource"))?;
    if FAST.contains(&current.as_str()) {
        return Some(Finding::good(TOPIC, WHY, current));
    }
    let available = tree.text(&format!("{FOLDER}/available_clocksource")).unwrap_or_default();
    let remedy = match available.split_whitespace().find(|source| FAST.contains(source)) {
        Some(faster) => format!("`echo {faster} | sudo tee /{FOLDER}/current_clocksource`"),
        None => "look for `clocksource` in `dmesg`: it says why the processor's counter was found unstable; often a firmware update helps"
            .to_string(),
    };
    Some(Finding::problem(TOPIC, WHY, current, remedy))
}

/// Checks whether the kernel rearranges memory into huge pages while the program runs.
pub(super) fn huge_pages(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "transparent huge pages";
    const WHY: &str = "while the kernel gathers pages into huge ones, threads that touch them wait, up to milliseconds";
    let options = tree.text("sys/kernel/mm/transparent_hugepage/enabled")?;
    let mode = chosen(&options)?;
    Some(if mode == "always" {
        Finding::advice(
            TOPIC,
            WHY,
            "always",
            "`echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled`, or boot with `transparent_hugepage=madvise`",
        )
    } else {
        Finding::good(TOPIC, WHY, mode)
    })
}

/// Checks whether memory can be paged out.
pub(super) fn swap(tree: &SystemTree) -> Option<Finding> {
    const TOPIC: &str = "swap";
    const WHY: &str = "memory that was paged out takes milliseconds to come back";
    let devices = tree.text("proc/swaps")?.lines().skip(1).count();
    let locks_all = Privileges::of_this_process(tree).may_lock_memory || tree.limit("Max locked memory") == Some(None);
    Some(match devices {
        0 => Finding::good(TOPIC, WHY, "none"),
        _ if locks_all => Finding::good(TOPIC, WHY, format!("{devices} in use; this process locks its memory")),
        _ => Finding::advice(
            TOPIC,
            WHY,
            format!("{devices} in use"),
            "`sudo swapoff -a`, or permit locked memory (see there)",
        ),
    })
}
