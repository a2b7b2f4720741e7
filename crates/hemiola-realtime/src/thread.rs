//! Threads with a scheduling policy, a set of cores and a pre-faulted stack.
//!
//! Settings are applied on the new thread before its body starts. Settings that the system refuses
//! are reported, and the body runs all the same: a robot on a developer's laptop must work, only
//! with less precise timing.

mod kernel_thread;

pub use kernel_thread::KernelThread;

use crate::affinity::Affinity;
use crate::denial::{Denial, Outcome, how_to_obtain_permission, remedy_for_permission};
use crate::error::RealtimeError;
use crate::policy::Policy;
use crate::privileges::GroupShare;
use crate::system_tree::SystemTree;
use crate::{errands, memory, os};
use std::io;
use std::sync::mpsc;
use std::thread::JoinHandle;

/// The settings of a thread: its name, how the kernel schedules it, where it runs and how much
/// stack it has.
///
/// ```
/// use hemiola_realtime::{Affinity, CoreId, Niceness, Policy, ThreadSettings};
///
/// let settings = ThreadSettings::new("cognition-1")
///     .policy(Policy::TimeSharing { nice: Niceness::new(5)? })
///     .affinity(Affinity::of([CoreId(0)]))
///     .stack_size(512 * 1024)
///     .prefaulted_stack(128 * 1024);
/// assert_eq!(settings.name(), "cognition-1");
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadSettings {
    name: String,
    policy: Option<Policy>,
    affinity: Option<Affinity>,
    stack_size: usize,
    prefaulted_stack: usize,
}

impl ThreadSettings {
    /// Creates settings of a thread called `name` (the kernel keeps the first 15 bytes) that shares
    /// time as threads do by default, runs on the cores of the thread that starts it, and has 2 MiB
    /// of stack, none of it pre-faulted.
    pub fn new(name: impl Into<String>) -> Self {
        ThreadSettings {
            name: name.into(),
            policy: None,
            affinity: None,
            stack_size: 2 * 1024 * 1024,
            prefaulted_stack: 0,
        }
    }

    /// Sets how the kernel schedules the thread.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Sets the cores on which the thread may run.
    #[must_use]
    pub fn affinity(mut self, affinity: Affinity) -> Self {
        self.affinity = Some(affinity);
        self
    }

    /// Sets the size of the stack in bytes. It has no effect on a thread that already runs.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = bytes;
        self
    }

    /// Sets how much of the stack is touched before the body starts, in bytes, so that the first
    /// deep call costs no page fault. Where memory is locked the whole stack would be resident;
    /// with this setting that much is, and each page beyond it from its first touch on.
    #[must_use]
    pub fn prefaulted_stack(mut self, bytes: usize) -> Self {
        self.prefaulted_stack = bytes;
        self
    }

    /// Returns the thread's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The outcome of each setting of a thread.
///
/// ```
/// use hemiola_realtime::{Policy, Priority, ThreadSettings, spawn};
///
/// let motion = spawn(ThreadSettings::new("motion").policy(Policy::Fifo(Priority::HIGHEST)), || ())?;
/// assert_eq!(motion.report.policy.is_granted(), motion.report.denials().count() == 0);
/// # motion.thread.join().unwrap();
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadReport {
    /// The outcome of the name.
    pub name: Outcome,
    /// The outcome of the cores.
    pub affinity: Outcome,
    /// The outcome of the scheduling policy.
    pub policy: Outcome,
    /// The outcome of timers without slack, which are requested for threads that share time.
    pub timer_slack: Outcome,
    /// The number of bytes of stack that were touched in advance; less than requested when the
    /// stack is smaller.
    pub prefaulted_stack: usize,
    /// The thread, to change its policy later; nothing if it ended before it was ready.
    pub thread: Option<KernelThread>,
}

impl ThreadReport {
    /// Returns the settings that were refused.
    pub fn denials(&self) -> impl Iterator<Item = &Denial> {
        [&self.name, &self.affinity, &self.policy, &self.timer_slack].into_iter().filter_map(Outcome::denial)
    }
}

/// A running thread and the outcome of its settings.
///
/// ```
/// use hemiola_realtime::{ThreadSettings, spawn};
///
/// let spawned = spawn(ThreadSettings::new("adder"), || 1 + 1)?;
/// assert!(spawned.report.name.is_granted());
/// assert_eq!(spawned.thread.join().unwrap(), 2);
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug)]
pub struct Spawned<T> {
    /// The handle that waits for the thread's end and its result.
    pub thread: JoinHandle<T>,
    /// The outcome of each setting.
    pub report: ThreadReport,
}

/// Starts a thread, applies the settings on it, and then runs `body`. Returns when the settings are
/// applied.
///
/// # Errors
/// Returns [`RealtimeError::ThreadNotStarted`] if the thread cannot be created, or
/// [`RealtimeError::NameWithZeroByte`]. A setting that the system refuses is not an error: see
/// [`Spawned::report`].
pub fn spawn<T, F>(settings: ThreadSettings, body: F) -> Result<Spawned<T>, RealtimeError>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    if settings.name.contains('\0') {
        return Err(RealtimeError::NameWithZeroByte { name: settings.name });
    }
    let name = settings.name.clone();
    let (report_sender, report_receiver) = mpsc::sync_channel(1);
    let thread = std::thread::Builder::new()
        .name(name.clone())
        .stack_size(settings.stack_size)
        .spawn(move || {
            // The send cannot block (there is room for one) and cannot fail (the receiver waits).
            // The sender ends here, so that `body` starts on a thread that holds nothing of ours.
            let _ = report_sender.send(apply(&settings));
            drop((report_sender, settings));
            body()
        })
        .map_err(|source| RealtimeError::ThreadNotStarted { name, source })?;
    // Without a report the thread has panicked while applying its settings; joining it returns the
    // reason.
    let report = report_receiver.recv().unwrap_or_default();
    Ok(Spawned { thread, report })
}

/// Applies the settings to the calling thread, except for the stack's size.
///
/// On Linux the name of the main thread is also the name of the process in `ps` and `top`.
///
/// # Errors
/// Returns [`RealtimeError::NameWithZeroByte`]. A setting that the system refuses is not an error:
/// see [`ThreadReport`].
pub fn apply_to_this_thread(settings: &ThreadSettings) -> Result<ThreadReport, RealtimeError> {
    if settings.name.contains('\0') {
        return Err(RealtimeError::NameWithZeroByte { name: settings.name.clone() });
    }
    Ok(apply(settings))
}

/// Applies settings. A real-time priority comes before the cores: without it, a thread might wait a
/// second for a core that another one has taken with such a priority. `SCHED_DEADLINE` comes after
/// them, because the kernel refuses to move a thread that is under it. The stack comes last, so
/// that it is touched on the core where the thread will run.
fn apply(settings: &ThreadSettings) -> ThreadReport {
    settings.policy.into_iter().for_each(errands::note_policy);
    let name = Outcome::of(os::set_name(&settings.name), |error| Denial {
        setting: format!("the thread name `{}`", settings.name),
        reason: error.to_string(),
        remedy: "harmless: only tools such as top and perf show it".to_string(),
    });
    let cores = || {
        settings.affinity.as_ref().map_or(Outcome::NotRequested, |affinity| {
            Outcome::of(os::set_affinity(affinity.cores().iter().map(|core| core.0)), |error| {
                explain_affinity(affinity, &error)
            })
        })
    };
    let scheduling = || {
        settings.policy.map_or(Outcome::NotRequested, |policy| {
            Outcome::of(os::set_policy(policy), |error| {
                explain_policy(policy, settings, &error, &SystemTree::of_this_machine())
            })
        })
    };
    let (affinity, policy) = if let Some(Policy::Deadline { .. }) = settings.policy {
        let affinity = cores();
        (affinity, scheduling())
    } else {
        let policy = scheduling();
        (cores(), policy)
    };
    // Real-time policies have no slack. If one was refused, the thread shares time after all.
    let shares_time = matches!(settings.policy, None | Some(Policy::TimeSharing { .. })) || policy.denial().is_some();
    let timer_slack = if shares_time {
        Outcome::of(os::remove_timer_slack(), |error| Denial {
            setting: "timers without slack".to_string(),
            reason: error.to_string(),
            remedy: "sleeps end up to 50 us later than they would; a real-time policy has no slack".to_string(),
        })
    } else {
        Outcome::NotRequested
    };
    let prefaulted_stack = memory::settle_stack(settings.prefaulted_stack);
    let thread = Some(KernelThread::current());
    ThreadReport { name, affinity, policy, timer_slack, prefaulted_stack, thread }
}

fn explain_affinity(affinity: &Affinity, error: &io::Error) -> Denial {
    let allowed = Affinity::of_this_thread();
    let remedy = match error.kind() {
        io::ErrorKind::Unsupported => "leave the affinity out on this system".to_string(),
        _ => format!(
            "choose among {allowed}; if cores are missing there, look at the cpuset of the container or cgroup and at \
             /sys/devices/system/cpu/online"
        ),
    };
    Denial { setting: format!("to run on {affinity}"), reason: error.to_string(), remedy }
}

fn explain_policy(policy: Policy, settings: &ThreadSettings, error: &io::Error, tree: &SystemTree) -> Denial {
    let setting = policy.to_string();
    let (reason, remedy) = match (error.raw_os_error(), policy) {
        (Some(libc::EPERM), Policy::Deadline { .. }) if settings.affinity.is_some() => (
            format!(
                "SCHED_DEADLINE needs all cores of its scheduling domain, but this thread has an affinity ({error})"
            ),
            "leave the affinity out, or use SCHED_FIFO".to_string(),
        ),
        (Some(libc::EPERM), Policy::Deadline { .. }) => (
            format!("no permission: SCHED_DEADLINE needs CAP_SYS_NICE ({error})"),
            format!("{}; for SCHED_DEADLINE only the first helps", how_to_obtain_permission()),
        ),
        (Some(libc::EBUSY), Policy::Deadline { .. }) => (
            format!(
                "the kernel's admission test says that the cores cannot bear it beside the other deadline threads ({error})"
            ),
            "ask for less runtime per period, or raise /proc/sys/kernel/sched_rt_runtime_us".to_string(),
        ),
        (Some(libc::EINVAL), Policy::Deadline { .. }) => (
            format!("the kernel wants 1 us <= runtime <= deadline <= period, and a period of 100 us to 4 s ({error})"),
            "correct the three durations".to_string(),
        ),
        (Some(libc::EPERM), _) if GroupShare::of_this_process(tree).is_some_and(GroupShare::is_none) => (
            format!("{}; this one has none ({} is 0) ({error})", GroupShare::WHY, GroupShare::FILE),
            GroupShare::REMEDY.to_string(),
        ),
        (Some(libc::EPERM), _) => (
            format!("no permission: the process has neither CAP_SYS_NICE nor a large enough limit ({error})"),
            remedy_for_permission(),
        ),
        _ => (error.to_string(), "not supported by this system; run on Linux without a system call filter".to_string()),
    };
    Denial { setting, reason, remedy }
}

#[cfg(test)]
mod tests;
