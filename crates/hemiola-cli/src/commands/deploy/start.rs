//! The start of a robot on its machine: scripts for a POSIX shell there.

use std::path::Path;

use super::releases::{FOLDER, start_path};
use super::unit::Unit;
use crate::shell::quoted;

/// Checks the configuration with the robot's own program, and prints nothing but what is wrong.
pub fn check(robot: &str, folder: &Path, configuration: &[String]) -> String {
    let (folder, robot) = (quoted(&folder.display().to_string()), quoted(robot));
    format!("cd {folder} && ./{robot} check {} > /dev/null", words(configuration))
}

/// Returns words of a command in the syntax of a shell.
fn words(arguments: &[String]) -> String {
    let arguments: Vec<_> = arguments.iter().map(|argument| quoted(argument)).collect();
    arguments.join(" ")
}

/// The folder of systemd's units.
const UNITS: &str = "/etc/systemd/system";

/// The program in its folder, on the machine where the scripts run.
pub struct Started<'a> {
    /// The name of the robot, which is that of the program.
    pub robot: &'a str,
    /// The absolute path of the folder.
    pub folder: &'a str,
    /// Set if systemd starts it.
    pub by_systemd: bool,
}

impl Started<'_> {
    /// Puts a release in force by `switch`, a function of the shell, installs its unit, and starts
    /// it, after the running one has ended: no process of that may begin with files of the new one.
    /// The folder of its sockets has to exist even if no user is logged in.
    pub fn install(&self, switch: &str, user: &str) -> String {
        let unit = Unit::name(self.robot);
        let script = format!(
            "cp {FOLDER}/current/{unit} {UNITS}/.{unit}.new && chmod 644 {UNITS}/.{unit}.new \
             && mv -f {UNITS}/.{unit}.new {UNITS}/{unit} && loginctl enable-linger {} && systemctl daemon-reload \
             && systemctl enable {unit} && systemctl restart {unit}",
            quoted(user)
        );
        format!(
            "{switch}as_root() {{ $([ \"$(id -u)\" = 0 ] || echo sudo) \"$@\"; }}
cd {folder} || exit
# A connection that is lost from here on stops nothing.
trap '' HUP
as_root sh -c 'systemctl stop {unit} 2> /dev/null; true' || exit
if switch; then
  as_root sh -c {script}
else
  as_root systemctl start {unit}; exit 1
fi
",
            folder = quoted(self.folder),
            script = quoted(&script),
        )
    }

    /// Puts a release in force by `switch`, a function of the shell, and starts it without systemd,
    /// after a running one has ended, on these cores; on all if the list is empty. It keeps running
    /// when the connection is closed.
    pub fn start(&self, switch: &str, cores: &[usize]) -> String {
        let (folder, robot) = (quoted(self.folder), quoted(self.robot));
        let cores: Vec<_> = cores.iter().map(ToString::to_string).collect();
        let cores = cores.join(",");
        let choose = if cores.is_empty() {
            "on=".to_owned()
        } else {
            format!(
                "if command -v taskset > /dev/null; then on='taskset -c {cores}'; else on=; \
                 echo 'warning: `cores` need systemd or taskset, and neither is there: it runs on all cores' >&2; fi"
            )
        };
        format!(
            "{switch}cd {folder} || exit
here=$(pwd -P)
# The kernel says `(deleted)` of a program that was replaced.
is_ours() {{ case \"$(readlink \"/proc/$1/exe\")\" in \"$here\"/{robot}|\"$here\"/{robot}' (deleted)'|\"$here\"/{FOLDER}/*/{robot}|\"$here\"/{FOLDER}/*/{robot}' (deleted)') true;; *) false;; esac; }}
old=$(cat {robot}.pid 2>/dev/null) && is_ours \"$old\" && kill \"$old\"
left=150
while [ -n \"$old\" ] && is_ours \"$old\" && [ $left -gt 0 ]; do left=$((left - 1)); sleep 0.1; done
[ $left -gt 0 ] || {{ echo \"the running one does not end\" >&2; exit 1; }}
# Whatever happens to that, something is started.
switch; switched=$?
ulimit -r 98 2>/dev/null; ulimit -l unlimited 2>/dev/null
if command -v setsid > /dev/null; then apart=setsid; else apart=; fi
{choose}
$apart $on /bin/sh {start} < /dev/null > /dev/null 2> {robot}.log &
echo $! > {robot}.pid
exit $switched
",
            start = quoted(&start_path(self.robot)),
        )
    }

    /// Waits until all processes of the robot that run there have opened their doors, runs
    /// `settle`, and prints the address of its page. Those of other hosts do not count, even if
    /// they are reached from there. Fails with the robot's output if it ends before, or takes
    /// longer than its processes have by default (`begin_within`).
    pub fn await_doors(&self, settle: &str) -> String {
        let robot = quoted(self.robot);
        let (runs, said) = match self.by_systemd {
            true => {
                let unit = Unit::name(self.robot);
                (
                    format!("systemctl is-active --quiet {unit}"),
                    format!("journalctl --unit={unit} --output=cat --lines=20 --no-pager"),
                )
            }
            false => (format!("kill -0 \"$(cat {robot}.pid)\" 2>/dev/null"), format!("tail -n 20 {robot}.log")),
        };
        format!(
            "cd {} || exit
{}left=300
until ./{robot} ps --running {robot} > /dev/null; do
  left=$((left - 1))
  [ $left -gt 0 ] && {runs} || {{ ./{robot} ps >&2; {said} >&2; exit 1; }}
  sleep 0.2
done
{settle}{said} 2>/dev/null | grep '^page: ' | tail -n 1
true
",
            quoted(self.folder),
            self.sockets()
        )
    }

    /// Shows the robot, on the terminal.
    pub fn top(&self) -> String {
        format!(
            "cd {} && {}./{robot} top --robot {robot}",
            quoted(self.folder),
            self.sockets(),
            robot = quoted(self.robot)
        )
    }

    /// Returns the setting of the folder for sockets of programs that systemd has started, which
    /// may differ from that of a login.
    fn sockets(&self) -> &'static str {
        if self.by_systemd { "export XDG_RUNTIME_DIR=\"/run/user/$(id -u)\"; " } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::process::{Command, Output, Stdio};

    use super::*;

    /// Another process writes it: a process that another test starts at this moment would hold it
    /// open for a while, and what is open for writing cannot be started.
    fn write_program(path: &Path, script: &str) {
        let mut install = Command::new("install");
        let mut install = install.args(["-m", "755", "/dev/stdin"]).arg(path).stdin(Stdio::piped()).spawn().unwrap();
        writeln!(install.stdin.take().unwrap(), "#!/bin/sh\n{script}").unwrap();
        assert!(install.wait().unwrap().success());
    }

    /// Awaits a robot that answers as this script does, of which a process of this ID was started.
    fn awaits(script: &str, process: u32) -> (Output, String) {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().display().to_string();
        write_program(&folder.path().join("rover"), &format!("echo \"$*\" >> asked\n{script}"));
        fs::write(folder.path().join("rover.pid"), process.to_string()).unwrap();
        fs::write(folder.path().join("rover.log"), "it says so\npage: http://127.0.0.1:8765/\n").unwrap();
        let started = Started { robot: "rover", folder: &text, by_systemd: false };
        let output = Command::new("/bin/sh").args(["-c", &started.await_doors("")]).output().unwrap();
        (output, fs::read_to_string(folder.path().join("asked")).unwrap())
    }

    #[test]
    fn it_is_awaited_until_it_says_that_all_of_its_processes_run() {
        let (output, asked) = awaits("[ $(grep -c '' asked) -ge 3 ]", std::process::id());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout, b"page: http://127.0.0.1:8765/\n");
        assert_eq!(asked, "ps --running rover\n".repeat(3));
    }

    #[test]
    fn a_robot_that_ends_before_is_awaited_no_longer() {
        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let (output, asked) = awaits("echo 'main  is not running'; exit 1", gone.id());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), asked.as_str()), (Some(1), "ps --running rover\nps\n"), "{said}");
        assert!(said.contains("main  is not running") && said.contains("it says so"), "{said}");
    }

    /// Starts a robot that only writes how it was started, where there are these programs.
    fn start(programs: &[(&str, &str)], cores: &[usize]) -> (Output, String) {
        let folder = tempfile::tempdir().unwrap();
        for program in ["cat", "readlink"] {
            symlink(Path::new("/usr/bin").join(program), folder.path().join(program)).unwrap();
        }
        for (name, script) in programs {
            write_program(&folder.path().join(name), script);
        }
        let release = folder.path().join(".releases/1");
        fs::create_dir_all(&release).unwrap();
        symlink("1", release.with_file_name("current")).unwrap();
        fs::write(release.join(".start-rover"), "echo alone > told").unwrap();
        let text = folder.path().display().to_string();
        let started = Started { robot: "rover", folder: &text, by_systemd: false };
        // The shell waits for what it has started.
        let script = started.start("switch() { trap wait EXIT; }\n", cores);
        let output = Command::new("/bin/sh").args(["-c", &script]).env("PATH", folder.path()).output().unwrap();
        (output, fs::read_to_string(folder.path().join("told")).unwrap())
    }

    #[test]
    fn it_runs_on_the_chosen_cores_or_says_what_is_missing() {
        let taskset = [("taskset", "echo \"taskset $*\" > told")];
        let (output, told) = start(&taskset, &[2, 3]);
        assert_eq!(
            (told.as_str(), output.stderr.len()),
            ("taskset -c 2,3 /bin/sh .releases/current/.start-rover\n", 0)
        );
        let (output, told) = start(&[], &[2, 3]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(told, "alone\n");
        assert!(output.status.success() && said.contains("`cores` need systemd or taskset"), "{said}");
        let (output, told) = start(&taskset, &[]);
        assert_eq!((told.as_str(), output.stderr.len()), ("alone\n", 0));
    }
}
