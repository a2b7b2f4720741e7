//! `deploy` brings a robot to an ssh server on the loopback interface: the system's sshd with its
//! own keys, port and configuration.
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "other tests use other parts of it")]
mod host;

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use host::{Addresses, Host, PATIENCE, PROGRAM, addresses, one_robot};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const SSHD: &str = "/usr/sbin/sshd";

const ROBOT: &str = "\
[cycle.driving]
rate = 50.0
modules = ['Pilot']

[cycle.seeing]
trigger = 'Camera'
modules = ['LineDetector', 'BlindDetector']

[providers]
Line = 'LineDetector'

[process.vision]
cycles = ['seeing']

[deploy.lab]
host = 'robot'
overlays = ['lab']
files = ['maps']
cores = [0]
";

/// An ssh server, and the folders of both sides.
struct Server {
    sshd: Child,
    folder: PathBuf,
}

impl Server {
    /// Starts a server with these lines in its configuration; `None`, with a message, if there is
    /// no sshd. `begin` is a shell command line that ends with the server.
    fn start(name: &str, lines: &str, begin: &str) -> Option<Self> {
        for program in [SSHD, "/usr/bin/ssh", "/usr/bin/rsync", "/usr/bin/ssh-keygen"] {
            if !Path::new(program).exists() {
                eprintln!("SKIPPED: nothing is deployed without {program} (openssh-server, rsync)");
                return None;
            }
        }
        // The paths of sockets must be short.
        let folder = std::env::temp_dir().join(format!("hemiola-ssh-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        for inner in ["crate/overlays", "crate/maps", "there", "run"] {
            fs::create_dir_all(folder.join(inner)).unwrap();
        }
        fs::write(folder.join("crate/robot.toml"), ROBOT).unwrap();
        fs::write(folder.join("crate/overlays/lab.toml"), "[module.Pilot]\ngain = 4.0\n").unwrap();
        fs::write(folder.join("crate/maps/flat"), "a room").unwrap();
        for key in ["host_key", "key"] {
            let mut making = Command::new("ssh-keygen");
            let made = making.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(key)).status();
            assert!(made.unwrap().success());
        }
        fs::copy(folder.join("key.pub"), folder.join("authorized_keys")).unwrap();
        let port = addresses::free_port();
        let at = folder.display();
        let server = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host_key\nPidFile none\nUsePAM no\n\
             AuthorizedKeysFile {at}/authorized_keys\nStrictModes no\nPasswordAuthentication no\n\
             PermitRootLogin yes\nSetEnv XDG_RUNTIME_DIR={at}/run {lines}\n"
        );
        fs::write(folder.join("sshd_config"), server).unwrap();
        let client = format!(
            "Host robot\nHostName 127.0.0.1\nPort {port}\nIdentityFile {at}/key\nIdentitiesOnly yes\n\
             UserKnownHostsFile {at}/known_hosts\nStrictHostKeyChecking accept-new\n\
             Host nobody\nHostName 127.0.0.1\nPort 1\n"
        );
        fs::write(folder.join("ssh_config"), client).unwrap();
        if rustix::process::getuid().is_root() {
            // An sshd that runs as root requires an empty folder there.
            fs::create_dir_all("/run/sshd").unwrap();
        }
        let log = fs::File::create(folder.join("sshd_log")).unwrap();
        let begin = begin.replace("THERE", &folder.join("there").display().to_string());
        let sshd = Command::new("sh")
            .args(["-c", &format!("{begin} {SSHD} -D -e -f {at}/sshd_config")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut server = Self { sshd, folder };
        let started = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = server.sshd.try_wait().unwrap() {
                eprintln!("SKIPPED: this ssh server does not run here: {status}: {}", server.log());
                return None;
            }
            assert!(started.elapsed() < PATIENCE, "no ssh server: {}", server.log());
            thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("sshd_log")).unwrap()
    }

    fn there(&self, name: &str) -> PathBuf {
        self.folder.join("there").join(name)
    }

    fn deploy(&self, arguments: &[&str]) -> Output {
        let at = |name: &str| self.folder.join(name).display().to_string();
        let program: &[&str] = if arguments.contains(&"--program") { &[] } else { &["--program", PROGRAM] };
        Command::new(PROGRAM)
            .args(["deploy", "--config", &at("crate/robot.toml"), "--ssh-config", &at("ssh_config")])
            .args(program)
            .args(["--folder", &at("there"), "--no-attach"])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    #[track_caller]
    fn deploys(&self, arguments: &[&str]) -> String {
        let output = self.deploy(arguments);
        let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}\nsshd: {}", self.log());
        said.into_owned()
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.deploy(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        said
    }

    /// Reads a value of the robot as a person does who has logged in there.
    #[track_caller]
    fn shows(&self, value: &str, expected: &str) {
        let started = Instant::now();
        loop {
            let mut ssh = Command::new("ssh");
            let ssh = ssh.arg("-F").arg(self.folder.join("ssh_config")).arg("robot");
            let output = ssh.arg(format!("{} show {value}", self.there("convoy").display())).output().unwrap();
            let shown = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            if shown == expected {
                return;
            }
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(started.elapsed() < PATIENCE, "{value} is {shown}: {said}");
        }
    }

    /// Writes a program of the robot's name that is this script.
    fn script(&self, folder: &str, text: &str) -> String {
        let program = self.folder.join(folder).join("convoy");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        program.display().to_string()
    }

    /// Starts the robot as its machine does when it boots.
    fn boot(&self) -> Child {
        let started = Command::new("/bin/sh")
            .arg(self.there(".releases/current/.start-convoy"))
            .env("XDG_RUNTIME_DIR", self.folder.join("run"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        fs::write(self.there("convoy.pid"), started.id().to_string()).unwrap();
        started
    }

    /// Returns the ID of the robot's process that was started there.
    fn robot(&self) -> Option<Pid> {
        let number = fs::read_to_string(self.there("convoy.pid")).ok()?;
        Pid::from_raw(number.trim().parse().ok()?)
    }
}

/// Returns whether a process has ended, even if its exit code has not been read yet.
fn has_ended(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    stat.map_or(true, |stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(robot) = self.robot() {
            _ = kill_process(robot, Signal::TERM);
            let since = Instant::now();
            while !has_ended(robot) && since.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(20));
            }
        }
        _ = self.sshd.kill();
        _ = self.sshd.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_robot_is_brought_to_a_machine_and_runs_there() {
    let Some(server) = Server::start("runs", "", "exec") else { return };
    let said = server.deploys(&["lab"]);
    assert!(said.contains("convoy, robot.toml, maps/flat, overlays/lab.toml"), "{said}");
    assert!(said.contains("convoy runs on robot"), "{said}");
    assert!(said.contains("page: http://127.0.0.1:"), "{said}");
    let status = fs::read_to_string(format!("/proc/{}/status", server.robot().unwrap().as_raw_nonzero())).unwrap();
    match Path::new("/usr/bin/taskset").exists() {
        true => assert!(status.lines().any(|line| line == "Cpus_allowed_list:\t0"), "{status}"),
        false => assert!(said.contains("`cores` need systemd or taskset"), "{said}"),
    }
    // Both processes run, with the overlay of the table.
    server.shows("Line.offset", "0.25");
    server.shows("Drive.turn", "1.0");
    assert_eq!(fs::read_to_string(server.there("maps/flat")).unwrap(), "a room");

    let release = server.there(".releases/current");
    let start = fs::read_to_string(release.join(".start-convoy")).unwrap();
    assert!(start.contains("exec ./convoy run --headless --no-trace --config"), "{start}");
    assert!(start.ends_with("--overlay lab\n"), "{start}");
    let unit = fs::read_to_string(release.join("hemiola-convoy.service")).unwrap();
    assert!(unit.contains("LimitMEMLOCK=infinity"), "{unit}");
    match Command::new("systemd-analyze").args(["verify", "./hemiola-convoy.service"]).current_dir(release).output() {
        Ok(verified) => {
            let said = String::from_utf8_lossy(&verified.stderr).into_owned();
            assert!(verified.status.success() && !said.contains("hemiola-convoy"), "{said}");
        }
        Err(_) => eprintln!("SKIPPED: there is no systemd-analyze that verifies the unit"),
    }

    // The changed file is copied, and the robot is a new process afterwards.
    let first = server.robot();
    let changed = format!("{ROBOT}[module.LineDetector]\noffset = 0.5\n");
    fs::write(server.folder.join("crate/robot.toml"), changed).unwrap();
    let said = server.deploys(&["lab"]);
    assert!(said.lines().any(|line| line.ends_with("/there: robot.toml")), "{said}");
    assert_ne!(server.robot(), first);
    server.shows("Line.offset", "0.5");
    assert!(has_ended(first.unwrap()), "the one before has ended");
}

#[test]
fn a_host_is_deployed_when_its_own_processes_run() {
    let Some(server) = Server::start("hosts", "", "exec") else { return };
    let addresses = Addresses::of_test(14);
    let robot = one_robot(addresses, "") + "[deploy.head]\nhost = 'robot'\n";
    fs::write(server.folder.join("crate/robot.toml"), &robot).unwrap();
    // Its process is reached from the host that is deployed as soon as the two have met.
    let body = Host::start("deploy", "body", &robot, &[]);
    body.until(&["ps"], |robots| robots[0]["processes"][0]["time"].is_i64());
    let said = server.deploys(&["head"]);
    assert!(said.contains("convoy runs on robot"), "{said}");
    let mut there = Command::new(PROGRAM);
    let listed = there.args(["ps", "--json"]).env("XDG_RUNTIME_DIR", server.folder.join("run")).output().unwrap();
    let robots: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let processes = robots[0]["processes"].as_array().unwrap();
    let vision = processes.iter().find(|process| process["name"] == "vision");
    assert!(vision.is_some_and(|process| process["time"].is_i64()), "{robots}");
    body.has_both();
}

#[test]
fn a_robot_that_is_killed_between_copy_and_switch_starts_with_the_old_files() {
    let Some(server) = Server::start("killed", "", "exec") else { return };
    server.deploys(&["lab"]);
    let running = server.robot().unwrap();

    // Its check does not end, so that the new files are there and not in force.
    let checking = server.folder.join("checking");
    let stuck =
        server.script("stuck", &format!("echo $$ > {}.new\nmv {0}.new {0}\nexec sleep 300", checking.display()));
    fs::write(server.folder.join("crate/robot.toml"), format!("{ROBOT}[module.LineDetector]\noffset = 0.5\n")).unwrap();
    let mut booted = thread::scope(|scope| {
        let deploying = scope.spawn(|| server.deploy(&["lab", "--program", &stuck]));
        let since = Instant::now();
        while !checking.exists() {
            assert!(since.elapsed() < PATIENCE && !deploying.is_finished(), "nothing is checked: {}", server.log());
            thread::sleep(Duration::from_millis(20));
        }
        let new = fs::read_to_string(server.there(".releases/next/robot.toml")).unwrap();
        assert!(new.contains("offset = 0.5"), "{new}");

        // The machine crashes.
        kill_process(running, Signal::KILL).unwrap();
        let check = fs::read_to_string(&checking).unwrap();
        kill_process(Pid::from_raw(check.trim().parse().unwrap()).unwrap(), Signal::KILL).unwrap();
        assert!(!deploying.join().unwrap().status.success());
        server.boot()
    });
    server.shows("Line.offset", "0.25");
    server.shows("Drive.turn", "1.0");
    let program = fs::read_link(format!("/proc/{}/exe", booted.id())).unwrap();
    assert_eq!(fs::read(program).unwrap().len(), fs::read(PROGRAM).unwrap().len());

    kill_process(server.robot().unwrap(), Signal::TERM).unwrap();
    booted.wait().unwrap();
    // What was copied is not in the way of the next attempt.
    server.deploys(&["lab"]);
    server.shows("Line.offset", "0.5");
}

#[test]
fn one_can_go_back_from_a_robot_that_does_not_start() {
    let Some(server) = Server::start("back", "", "exec") else { return };
    let said = server.fails(&["lab", "--back"]);
    assert!(said.contains("there is no earlier release"), "{said}");
    server.deploys(&["lab"]);
    // It accepts its configuration, and fails when it runs.
    let broken = server.script("broken", "[ \"$1\" = check ] && exit 0\necho 'no motors' >&2\nexit 1");
    fs::write(server.folder.join("crate/robot.toml"), format!("{ROBOT}[module.LineDetector]\noffset = 0.5\n")).unwrap();
    let said = server.fails(&["lab", "--program", &broken]);
    assert!(
        said.contains("has started the robot, but not all of its processes there are running")
            && said.contains("no motors"),
        "{said}"
    );
    assert!(said.contains("`deploy robot --back`"), "{said}");

    let said = server.deploys(&["lab", "--back"]);
    assert!(said.contains("convoy runs on robot"), "{said}");
    server.shows("Line.offset", "0.25");
}

#[test]
fn what_fails_on_the_way_is_told_with_what_helps() {
    let Some(server) = Server::start("fails", "", "exec") else { return };
    let said = server.fails(&["nobody"]);
    assert!(said.contains("nobody cannot be examined") && said.contains("check that it is on"), "{said}");

    // A wrong configuration is reported, and the robot that runs there goes on.
    server.deploys(&["lab"]);
    let running = server.robot().unwrap();
    fs::write(server.folder.join("crate/overlays/lab.toml"), "[module.Pilto]\ngain = 4.0\n").unwrap();
    let said = server.fails(&["lab"]);
    assert!(said.contains("convoy cannot be configured on robot: the files are there, but not in force"), "{said}");
    assert!(said.contains("did you mean `Pilot`"), "{said}");
    assert!(server.robot() == Some(running) && !has_ended(running));
    server.shows("Drive.turn", "1.0");
    let overlay = fs::read_to_string(server.there("overlays/lab.toml")).unwrap();
    assert!(overlay.contains("[module.Pilot]"), "it would start with what runs: {overlay}");

    // So is a program that does not run.
    let rover = server.folder.join("convoy");
    fs::write(&rover, "#!/nowhere/sh\n").unwrap();
    let said = server.fails(&["lab", "--program", &rover.display().to_string()]);
    assert!(said.contains("robot cannot run the program") && !has_ended(running), "{said}");

    fs::write(server.folder.join("authorized_keys"), "").unwrap();
    let said = server.fails(&["lab"]);
    assert!(said.contains("Permission denied (publickey") && said.contains("ssh-copy-id robot"), "{said}");
}

#[test]
fn a_machine_without_rsync_is_told_to_have_it() {
    let programs = std::env::temp_dir().join(format!("hemiola-no-rsync-{}", std::process::id()));
    fs::create_dir_all(&programs).unwrap();
    for program in ["uname", "id", "sh"] {
        _ = std::os::unix::fs::symlink(Path::new("/usr/bin").join(program), programs.join(program));
    }
    let server = Server::start("rsync", &format!("PATH={}", programs.display()), "exec");
    if let Some(server) = server {
        let said = server.fails(&["lab"]);
        assert!(said.contains("robot has no rsync") && said.contains("apt install rsync"), "{said}");
    }
    fs::remove_dir_all(programs).unwrap();
}

#[test]
fn a_full_disk_is_told() {
    // The server needs a disk of its own that only it can see, which requires root.
    let begin = "exec unshare --mount sh -c 'mount -t tmpfs -o size=64k tmpfs THERE && exec \"$@\"' sh";
    let Some(server) = Server::start("full", "", begin) else { return };
    let said = server.fails(&["lab"]);
    assert!(said.contains("No space left on device") && said.contains("its disk is full"), "{said}");
}

#[test]
fn a_dry_run_prints_every_command_and_runs_none() {
    let folder = std::env::temp_dir().join(format!("hemiola-dry-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let hosts = "[host.body]\naddress = '10.9.8.7'\n[host.head]\naddress = '10.9.8.6'\n[deploy.head]\nuser = 'nao'\n\
        cores = [2, 3]\n";
    fs::write(folder.join("robot.toml"), hosts).unwrap();
    let dry = Command::new(PROGRAM)
        .args(["deploy", "--dry-run", "--program", PROGRAM, "--config"])
        .arg(folder.join("robot.toml"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8(dry.stdout).unwrap();
    assert!(dry.status.success(), "{}", String::from_utf8_lossy(&dry.stderr));
    for expected in [
        "ssh -o ConnectTimeout=10 -o BatchMode=yes nao@10.9.8.6 'uname -s; uname -m;",
        "rsync --recursive --links --perms --times --compress",
        "10.9.8.7:HOME/convoy/.releases/next/",
        "CPUAffinity=2 3\n",
        "./convoy check --config HOME/convoy/.releases/next/robot.toml > /dev/null",
        "run --headless --no-trace --config HOME/convoy/robot.toml --host head'",
        "run --headless --no-trace --config HOME/convoy/robot.toml --host body'",
        "systemctl restart hemiola-convoy.service",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let dry = Command::new(PROGRAM)
        .args(["deploy", "--dry-run", "--json", "--program", PROGRAM, "--config"])
        .arg(folder.join("robot.toml"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&dry.stdout).unwrap();
    let machines = answer["machines"].as_array().unwrap();
    let destination = |name: &str| &machines.iter().find(|it| it["machine"] == name).unwrap()["destination"];
    assert_eq!((destination("head"), destination("body")), (&"nao@10.9.8.6".into(), &"10.9.8.7".into()));
    assert_eq!(answer["robot"], "convoy");
    let commands = machines.iter().flat_map(|machine| machine["commands"].as_array().unwrap());
    let commands: Vec<_> = commands.map(|command| command.as_str().unwrap()).collect();
    assert!(commands.len() > 10 && commands.iter().all(|command| printed.contains(command)), "{commands:#?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_page_is_at_another_port_here_if_its_own_is_in_use() {
    // Whoever has it, if this test cannot.
    let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 8765));
    let folder = std::env::temp_dir().join(format!("hemiola-port-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("robot.toml"), "[deploy.head]\n").unwrap();
    let dry = Command::new(PROGRAM)
        .args(["deploy", "--dry-run", "--program", PROGRAM, "--config"])
        .arg(folder.join("robot.toml"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (printed, said) = (String::from_utf8(dry.stdout).unwrap(), String::from_utf8(dry.stderr).unwrap());
    let forward = printed.rsplit("ssh -t -L ").next().and_then(|rest| rest.split(' ').next()).unwrap();
    let here = forward.strip_suffix(":127.0.0.1:8765").unwrap();
    assert_ne!(here, "8765");
    let told = format!("port 8765 is in use on this machine: the page is at http://127.0.0.1:{here}/");
    assert!(said.contains(&told), "{said}");
    fs::remove_dir_all(folder).unwrap();
}
