use super::*;
use crate::affinity::CoreId;
use crate::policy::{Niceness, Priority};
use std::time::Duration;

fn policies() -> [Policy; 4] {
    let milliseconds = Duration::from_millis;
    [
        Policy::Fifo(Priority::LOWEST),
        Policy::RoundRobin(Priority::LOWEST),
        Policy::Deadline { runtime: milliseconds(1), deadline: milliseconds(10), period: milliseconds(10) },
        Policy::TimeSharing { nice: Niceness::new(19).expect("it is within -20 to 19") },
    ]
}

#[test]
fn a_thread_runs_under_every_policy_whether_it_is_granted_or_denied() {
    for policy in policies() {
        let spawned = spawn(ThreadSettings::new("any").policy(policy), || 7).expect("a thread starts");
        match &spawned.report.policy {
            Outcome::NotRequested => panic!("{policy} was requested"),
            Outcome::Granted => {}
            Outcome::Denied(denial) => {
                assert!(denial.setting.contains("SCHED_"), "{denial}");
                assert!(!denial.remedy.is_empty());
            }
        }
        assert_eq!(spawned.thread.join().expect("the body runs"), 7);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_reported_as_granted_is_what_the_kernel_says() {
    for (policy, number) in policies().into_iter().zip([1, 2, 6, 0]) {
        let spawned = spawn(ThreadSettings::new("policy").policy(policy), || {
            let status = std::fs::read_to_string("/proc/thread-self/stat").expect("proc is mounted");
            // The value is field 41 of proc_pid_stat(5); the name in field 2 may hold spaces, so
            // the fields are counted from its closing bracket.
            let after_name = status.rsplit_once(')').expect("a name in brackets").1;
            after_name.split_whitespace().nth(38).expect("41 fields").parse::<u32>().expect("a number")
        })
        .expect("a thread starts");
        let actual = spawned.thread.join().expect("the body runs");
        assert_eq!(actual == number, spawned.report.policy.is_granted(), "{policy}: the kernel says {actual}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn name_cores_and_timer_slack_are_in_force_when_the_body_starts() {
    let core = Affinity::of_this_thread().cores()[0];
    let settings = ThreadSettings::new("a-name-of-more-than-15-bytes")
        .policy(Policy::TimeSharing { nice: Niceness::default() })
        .affinity(Affinity::of([core]))
        .prefaulted_stack(64 * 1024);
    let spawned = spawn(settings, || {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/thread-self/{file}")).ok();
        (read("comm"), Affinity::of_this_thread(), read("timerslack_ns"))
    })
    .expect("a thread starts");
    let report = &spawned.report;
    assert_eq!(report.denials().count(), 0, "{report:?}");
    assert!(report.timer_slack.is_granted());
    assert_eq!(report.prefaulted_stack, 64 * 1024);
    let (name, affinity, _) = spawned.thread.join().expect("the body runs");
    assert_eq!(name.as_deref(), Some("a-name-of-more-\n"));
    assert_eq!(affinity, Affinity::of([core]));
}

#[test]
fn helper_threads_of_a_real_time_thread_share_time() {
    let outer = spawn(ThreadSettings::new("outer").policy(Policy::Fifo(Priority::LOWEST)), || {
        std::thread::spawn(|| std::fs::read_to_string("/proc/thread-self/stat").ok()).join().expect("it ends")
    })
    .expect("a thread starts");
    if let Some(status) = outer.thread.join().expect("the body runs") {
        let after_name = status.rsplit_once(')').expect("a name in brackets").1;
        assert_eq!(after_name.split_whitespace().nth(38), Some("0"), "SCHED_OTHER");
    }
}

#[test]
fn cores_that_do_not_exist_are_denied_with_those_that_do() {
    for cores in [vec![], vec![CoreId(1_000_000)]] {
        let affinity = Affinity::of(cores);
        let spawned = spawn(ThreadSettings::new("nowhere").affinity(affinity), || ()).expect("a thread starts");
        let denial = spawned.report.affinity.denial().expect("there is no such core").clone();
        assert!(!denial.remedy.is_empty(), "{denial}");
        spawned.thread.join().expect("the body runs");
    }
}

#[test]
fn a_missing_permission_is_explained_with_all_three_remedies() {
    let settings = ThreadSettings::new("motion");
    let error = io::Error::from_raw_os_error(libc::EPERM);
    let text = explain_policy(Policy::Fifo(Priority::nearest(60)), &settings, &error, &nothing_known()).to_string();
    for part in ["SCHED_FIFO with priority 60", "setcap cap_sys_nice", "rtprio", "LimitRTPRIO"] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn a_control_group_that_gives_no_real_time_is_named_as_the_reason() {
    let root = std::env::temp_dir().join(format!("hemiola-group-{}", std::process::id()));
    let group = root.join("sys/fs/cgroup/cpu/robot");
    std::fs::create_dir_all(&group).expect("folders can be made");
    std::fs::create_dir_all(root.join("proc/self")).expect("folders can be made");
    std::fs::write(root.join("proc/self/cgroup"), "4:cpu:/robot\n").expect("files can be written");
    std::fs::write(group.join("cpu.rt_runtime_us"), "0\n").expect("files can be written");
    let error = io::Error::from_raw_os_error(libc::EPERM);
    let explain = |tree: &SystemTree| {
        explain_policy(Policy::Fifo(Priority::nearest(60)), &ThreadSettings::new("motion"), &error, tree).to_string()
    };
    let text = explain(&SystemTree::below(&root));
    assert!(text.contains("write 950000 to cpu.rt_runtime_us") && !text.contains("setcap"), "{text}");
    std::fs::write(group.join("cpu.rt_runtime_us"), "950000\n").expect("files can be written");
    assert!(explain(&SystemTree::below(&root)).contains("setcap"), "a group with a share is not the reason");
    std::fs::remove_dir_all(&root).expect("it is ours");
}

#[test]
fn deadline_scheduling_explains_what_the_kernel_disliked() {
    let [_, _, deadline, _] = policies();
    let explain = |settings: &ThreadSettings, code| {
        explain_policy(deadline, settings, &io::Error::from_raw_os_error(code), &nothing_known()).reason
    };
    let plain = ThreadSettings::new("motion");
    assert!(explain(&plain, libc::EBUSY).contains("admission"));
    assert!(explain(&plain, libc::EINVAL).contains("runtime <= deadline <= period"));
    assert!(explain(&plain.affinity(Affinity::of([CoreId(0)])), libc::EPERM).contains("affinity"));
}

#[test]
fn a_name_with_a_zero_byte_is_an_error_and_no_panic() {
    let settings = ThreadSettings::new("a\0b");
    assert!(matches!(apply_to_this_thread(&settings), Err(RealtimeError::NameWithZeroByte { .. })));
    assert!(matches!(spawn(settings, || ()), Err(RealtimeError::NameWithZeroByte { .. })));
}

#[test]
fn levels_outside_their_range_do_not_exist() {
    assert!(Priority::new(0).is_err() && Priority::new(100).is_err());
    assert!(Priority::new(1).is_ok() && Priority::new(99).is_ok());
    assert!(Niceness::new(-21).is_err() && Niceness::new(20).is_err());
    assert!(Niceness::new(-20).is_ok() && Niceness::new(19).is_ok());
}

/// Returns a machine without any file that could explain something.
fn nothing_known() -> SystemTree {
    SystemTree::below(std::path::Path::new("/nowhere"))
}
