//! The end of a process of a robot, and the processes that it has left behind.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The time within which the children of a dead process have to end: a robot whose guard was killed
/// makes itself safe meanwhile.
const LEFT_PATIENCE: Duration = Duration::from_secs(2);

/// Waits until all children of a dead process have ended, above all the robot of which it was the
/// guard: two robots would move the same motors.
pub fn end_what_is_left(group: Pid) {
    _ = kill_process_group(group, Signal::TERM);
    let patience = Instant::now() + LEFT_PATIENCE;
    while test_kill_process_group(group).is_ok() {
        if Instant::now() >= patience {
            _ = kill_process_group(group, Signal::KILL);
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns whether a process has died: a signal has ended it, it has panicked, or something failed
/// while it ran, such as a thread of the robot. Its guard reports signals as shells do.
///
/// A process that cannot begin with its configuration (2) would not begin the next time, and one
/// whose log is incomplete (3) has ended by itself.
pub fn has_died(status: ExitStatus) -> bool {
    const FAILED: i32 = 1;
    const PANICKED: i32 = 101;
    const SIGNALLED: i32 = 128;
    status.code().is_none_or(|code| code == FAILED || code == PANICKED || code >= SIGNALLED)
}

/// Returns the exit code of a process as shells report it.
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_a_dead_process_had_started_ends_before_it_is_started_again() {
        // It stays there for a minute, and says when the other one is there, too.
        let script = "sleep 60 & echo there; wait";
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script]).stdout(Stdio::piped()).stdin(Stdio::null()).process_group(0);
        let mut shell = shell.spawn().unwrap();
        let group = Pid::from_child(&shell);
        let mut line = [0; 6];
        shell.stdout.take().unwrap().read_exact(&mut line).unwrap();
        shell.kill().unwrap();
        shell.wait().unwrap();
        assert!(test_kill_process_group(group).is_ok(), "what it has started is left");
        end_what_is_left(group);
        // Whoever has died stays known until somebody has asked how.
        let patience = Instant::now() + Duration::from_secs(20);
        while test_kill_process_group(group).is_ok() {
            assert!(Instant::now() < patience, "it does not end");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn whoever_fails_while_it_runs_has_died_and_whoever_is_not_configured_to_run_has_not() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        let died: Vec<i32> = (0..=255).filter(|code| has_died(exited(*code))).collect();
        assert_eq!(died, [1, 101].into_iter().chain(128..=255).collect::<Vec<_>>());
        assert!(has_died(ExitStatus::from_raw(9)), "a signal");
    }
}
