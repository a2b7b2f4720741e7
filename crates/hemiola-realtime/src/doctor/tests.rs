use super::*;
use crate::system_tree::parse_cores;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A made-up `proc` and `sys` in a folder that is removed with it.
struct Machine {
    root: PathBuf,
}

impl Machine {
    fn with(files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("hemiola-doctor-{}-{number}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
            fs::write(path, text).expect("files can be written");
        }
        Machine { root }
    }

    /// Returns the only finding on `topic`.
    fn finding(&self, topic: &str) -> Option<Finding> {
        let mut findings = examine_settings(&self.root).into_iter().filter(|finding| finding.topic == topic);
        let finding = findings.next();
        assert_eq!(findings.next(), None, "one finding per topic");
        finding
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Asserts the state, and that `found` contains `part`; returns the remedy.
#[track_caller]
fn check(files: &[(&str, &str)], topic: &str, state: State, part: &str) -> String {
    let finding = Machine::with(files).finding(topic).unwrap_or_else(|| panic!("nothing about {topic}"));
    assert_eq!(finding.state, state, "{finding:?}");
    assert!(finding.found.contains(part), "{finding:?}");
    assert_eq!(finding.remedy.is_some(), state != State::Good, "there is a remedy exactly where there is a need");
    finding.remedy.unwrap_or_default()
}

const NO_CAPABILITY: (&str, &str) =
    ("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-3\n");
const ALL_CAPABILITIES: (&str, &str) = ("proc/self/status", "CapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-3\n");

fn limits(priority: &str, memory: &str) -> String {
    format!(
        "Limit                     Soft Limit           Hard Limit           Units     \n\
         Max locked memory         {memory:<20} {memory:<20} bytes     \n\
         Max realtime priority     {priority:<20} {priority:<20}           \n"
    )
}

#[test]
fn real_time_priority_comes_from_a_capability_or_a_limit() {
    let examine = |status, priority: &str, state, part| {
        check(&[status, ("proc/self/limits", &limits(priority, "65536"))], "real-time priority", state, part)
    };
    let remedy = examine(NO_CAPABILITY, "0", State::Problem, "not permitted");
    assert!(remedy.contains("setcap cap_sys_nice"), "{remedy}");
    examine(NO_CAPABILITY, "20", State::Advice, "up to 20");
    examine(NO_CAPABILITY, "98", State::Good, "up to 98");
    examine(NO_CAPABILITY, "unlimited", State::Good, "up to 99");
    examine(ALL_CAPABILITIES, "0", State::Good, "CAP_SYS_NICE");
}

#[test]
fn capabilities_of_a_rootless_container_do_not_count() {
    let files = [
        ALL_CAPABILITIES,
        ("proc/self/limits", &limits("0", "65536")),
        ("proc/self/uid_map", "         0       1000          1\n"),
    ];
    check(&files, "real-time priority", State::Problem, "not permitted");
    check(&files, "locked memory", State::Advice, "64 KiB");
    let files = [files[0], files[1], ("proc/self/uid_map", "         0          0 4294967295\n")];
    check(&files, "real-time priority", State::Good, "CAP_SYS_NICE");
}

#[test]
fn locked_memory_wants_no_limit() {
    check(&[NO_CAPABILITY, ("proc/self/limits", &limits("0", "8388608"))], "locked memory", State::Advice, "8192 KiB");
    check(&[NO_CAPABILITY, ("proc/self/limits", &limits("0", "unlimited"))], "locked memory", State::Good, "without");
    check(&[ALL_CAPABILITIES, ("proc/self/limits", &limits("0", "0"))], "locked memory", State::Good, "CAP_IPC_LOCK");
}

#[test]
fn a_quota_is_found_in_either_version_of_control_groups_and_in_groups_around() {
    const TOPIC: &str = "control group, quota";
    let version_2 = ("proc/self/cgroup", "0::/robot.slice/hemiola.service\n");
    let own = "sys/fs/cgroup/robot.slice/hemiola.service/cpu.max";
    let around = "sys/fs/cgroup/robot.slice/cpu.max";
    check(&[version_2, (own, "max 100000\n")], TOPIC, State::Good, "none");
    check(&[version_2, (own, "150000 100000\n"), (around, "max 100000\n")], TOPIC, State::Problem, "1.50 cores");
    check(&[version_2, (own, "150000 100000\n"), (around, "50000 100000\n")], TOPIC, State::Problem, "0.50 cores");
    let version_1 = ("proc/self/cgroup", "4:cpu,cpuacct:/docker/1\n3:memory:/docker/1\n");
    let quota = "sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us";
    check(&[version_1, (quota, "200000\n")], TOPIC, State::Problem, "2.00 cores");
    check(&[version_1, (quota, "-1\n")], TOPIC, State::Good, "none");
}

#[test]
fn a_control_group_without_real_time_bandwidth_is_a_problem() {
    const TOPIC: &str = "control group, real-time share";
    let group = ("proc/self/cgroup", "4:cpu:/docker/1\n");
    let (own, around) = ("sys/fs/cgroup/cpu/docker/1/cpu.rt_runtime_us", "sys/fs/cgroup/cpu/cpu.rt_runtime_us");
    check(&[group, (own, "0"), (around, "950000")], TOPIC, State::Problem, "none");
    check(&[group, (own, "400000"), (around, "950000")], TOPIC, State::Good, "400000 µs");
    assert_eq!(Machine::with(&[group]).finding(TOPIC), None, "the kernel does not divide real-time bandwidth");
}

#[test]
fn the_preemption_model_is_found_wherever_the_kernel_shows_it() {
    const TOPIC: &str = "kernel preemption";
    let build = |text| ("proc/sys/kernel/version", text);
    let debug = |text| ("sys/kernel/debug/sched/preempt", text);
    let dynamic = build("#1 SMP PREEMPT_DYNAMIC Mon");
    check(&[build("#1 SMP PREEMPT_RT Mon")], TOPIC, State::Good, "PREEMPT_RT");
    check(&[dynamic, ("sys/kernel/realtime", "1\n")], TOPIC, State::Good, "PREEMPT_RT");
    check(&[dynamic, debug("none voluntary (full) lazy\n")], TOPIC, State::Good, "full");
    check(&[dynamic, debug("none (voluntary) full\n")], TOPIC, State::Advice, "voluntary");
    check(&[dynamic, debug("(none) voluntary full\n")], TOPIC, State::Problem, "none");
    check(&[dynamic, ("proc/cmdline", "quiet preempt=full root=/dev/sda1")], TOPIC, State::Good, "full");
    check(&[dynamic], TOPIC, State::Advice, "chosen at boot");
    check(&[build("#1 SMP PREEMPT Mon")], TOPIC, State::Good, "full");
    check(&[build("#1 SMP Mon")], TOPIC, State::Problem, "none or voluntary");
}

#[test]
fn throttling_leaves_real_time_threads_most_of_the_time_but_not_all() {
    let examine = |runtime, state, part| {
        let files =
            [("proc/sys/kernel/sched_rt_runtime_us", runtime), ("proc/sys/kernel/sched_rt_period_us", "1000000")];
        check(&files, "real-time throttling", state, part)
    };
    examine("950000", State::Good, "95 %");
    examine("500000", State::Advice, "50 %");
    examine("0", State::Problem, "0 %");
    assert_eq!(examine("-1", State::Advice, "off"), "`sudo sysctl kernel.sched_rt_runtime_us=950000`");
}

#[test]
fn a_slow_clock_source_is_a_problem_with_the_command_that_cures_it() {
    let folder = "sys/devices/system/clocksource/clocksource0";
    let (current, available) = (format!("{folder}/current_clocksource"), format!("{folder}/available_clocksource"));
    check(&[(&current, "tsc\n")], "clock source", State::Good, "tsc");
    let remedy = check(&[(&current, "hpet"), (&available, "hpet tsc")], "clock source", State::Problem, "hpet");
    assert!(remedy.contains("echo tsc"), "{remedy}");
    let remedy = check(&[(&current, "hpet"), (&available, "hpet acpi_pm")], "clock source", State::Problem, "hpet");
    assert!(remedy.contains("dmesg"), "{remedy}");
}

#[test]
fn memory_that_moves_or_leaves_is_worth_advice() {
    let huge = "sys/kernel/mm/transparent_hugepage/enabled";
    check(&[(huge, "[always] madvise never")], "transparent huge pages", State::Advice, "always");
    check(&[(huge, "always [madvise] never")], "transparent huge pages", State::Good, "madvise");
    let none = ("proc/swaps", "Filename\tType\tSize\n");
    let one = ("proc/swaps", "Filename\tType\tSize\n/dev/sda2 partition 1000 0 -2\n");
    check(&[none], "swap", State::Good, "none");
    check(&[one, NO_CAPABILITY], "swap", State::Advice, "1 in use");
    check(&[one, ALL_CAPABILITIES], "swap", State::Good, "locks its memory");
}

#[test]
fn timers_are_fine_in_nanoseconds_and_a_problem_in_ticks() {
    assert_eq!(kernel::timer_resolution(std::time::Duration::from_nanos(1)).state, State::Good);
    assert_eq!(kernel::timer_resolution(std::time::Duration::from_millis(4)).state, State::Problem);
    check(&[("proc/self/timerslack_ns", "50000\n")], "timer slack", State::Good, "50µs");
}

#[test]
fn cores_are_counted_as_far_as_this_process_may_use_them() {
    let examine = |online, allowed, isolated, state, part| {
        let status = format!("Cpus_allowed_list:\t{allowed}\n");
        let files = [
            ("sys/devices/system/cpu/online", online),
            ("sys/devices/system/cpu/isolated", isolated),
            ("proc/self/status", status.as_str()),
        ];
        check(&files, "cores", state, part)
    };
    examine("0-3", "0-127", "\n", State::Good, "4 of 4 usable");
    examine("0-7", "0-5", "6-7", State::Advice, "6 of 8 usable, isolated: 6-7");
    examine("0-3", "2", "\n", State::Problem, "1 of 4 usable");
}

#[test]
fn hardware_threads_of_one_core_are_pointed_out() {
    let siblings = |core: usize| format!("sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let online = ("sys/devices/system/cpu/online", "0-3");
    let paths: Vec<String> = (0..4).map(siblings).collect();
    let shared = ["0,2", "1,3", "0,2", "1,3"];
    let files: Vec<_> = std::iter::once(online).chain(paths.iter().map(String::as_str).zip(shared)).collect();
    let remedy = check(&files, "hardware threads", State::Advice, "2 physical cores; cores 0, 2");
    assert!(remedy.contains("(0-1)"), "{remedy}");
    let alone = ["0", "1", "2", "3"];
    let files: Vec<_> = std::iter::once(online).chain(paths.iter().map(String::as_str).zip(alone)).collect();
    check(&files, "hardware threads", State::Good, "one per physical core");
}

#[test]
fn slow_governors_and_deep_idle_states_are_worth_advice() {
    let online = ("sys/devices/system/cpu/online", "0-1");
    let governor = [
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
    ];
    let driver = ("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
    let examine = |first, second, state, part| {
        check(&[online, driver, (governor[0], first), (governor[1], second)], "frequency governor", state, part);
    };
    examine("performance\n", "performance\n", State::Good, "driver intel_pstate");
    examine("performance\n", "powersave\n", State::Advice, "powersave on cores 1 ");
    check(&[online], "frequency governor", State::Good, "not under this system's control");

    let state = |number, file| format!("sys/devices/system/cpu/cpu0/cpuidle/state{number}/{file}");
    let (shallow, deep, disabled) = (state(0, "latency"), state(1, "latency"), state(1, "disable"));
    check(&[(&shallow, "2"), (&deep, "890")], "idle states", State::Advice, "890µs");
    check(&[(&shallow, "2"), (&deep, "890"), (&disabled, "1")], "idle states", State::Good, "2µs");
}

#[test]
fn a_virtual_machine_is_judged_by_what_its_host_takes() {
    const TOPIC: &str = "virtual machine";
    let virtual_core = ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor\n");
    check(&[("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme\n")], TOPIC, State::Good, "no sign");
    check(&[virtual_core, ("proc/stat", "cpu  500 0 496 9999 99 0 0 4 0 0\n")], TOPIC, State::Advice, "0.4 %");
    check(&[virtual_core, ("proc/stat", "cpu  500 0 400 9999 99 0 0 100 0 0\n")], TOPIC, State::Problem, "10.0 %");
}

#[test]
fn damaged_and_absent_files_are_survived_in_silence() {
    assert_eq!(examine_settings(Path::new("/there/is/no/such/folder")), []);
    let damaged = "\u{fffd} 1-x,9999999999999999999999-3,4-99999999 [ ( : \n\n:::\n";
    let paths = [
        "proc/self/status",
        "proc/self/limits",
        "proc/self/cgroup",
        "proc/self/uid_map",
        "proc/self/timerslack_ns",
        "proc/sys/kernel/version",
        "proc/sys/kernel/sched_rt_runtime_us",
        "proc/swaps",
        "proc/stat",
        "proc/cpuinfo",
        "sys/devices/system/cpu/online",
        "sys/kernel/debug/sched/preempt",
        "sys/kernel/mm/transparent_hugepage/enabled",
    ];
    let machine = Machine::with(&paths.map(|path| (path, damaged)));
    for finding in examine_settings(&machine.root) {
        assert!(!finding.found.is_empty());
    }
    assert_eq!(parse_cores("0-3,8"), Some(vec![0, 1, 2, 3, 8]));
    assert_eq!(parse_cores(""), Some(vec![]));
    assert_eq!(parse_cores("0-999999999999"), None);
}

#[test]
fn people_read_a_list_and_machines_read_json() {
    let findings = [
        Finding::good("swap", "it is slow", "none"),
        Finding::problem("locked memory", "page faults", "limited to \"64 KiB\"", "one two three ".repeat(20)),
    ];
    let text = findings_as_text(&findings, 120);
    assert!(text.starts_with("✓ swap           none\n✗ locked memory  limited to"), "{text}");
    assert!(!text.contains("it is slow"), "no reason where there is nothing to do:\n{text}");
    assert!(text.ends_with("1 in order, 0 to improve, 1 in the way of real time\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");

    let json: serde_json::Value = serde_json::from_str(&findings_as_json(&findings)).expect("valid JSON");
    assert_eq!(json[1]["state"], "problem");
    assert_eq!(json[1]["found"], "limited to \"64 KiB\"");
    assert_eq!(json[0]["remedy"], serde_json::Value::Null);
}
