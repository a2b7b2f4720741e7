//! The machine to which a robot is deployed, reached by ssh and rsync.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::step::{Ended, Step};
use super::{NOT_RUNNING, releases};
use crate::error::CommandError;
use crate::shell::quoted;

/// A machine, as a destination of ssh.
pub struct Machine {
    pub destination: String,
    pub ssh_config: Option<PathBuf>,
}

/// The facts about a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The processor, as `uname -m` prints it.
    pub processor: String,
    pub home: String,
    pub user: String,
    pub user_number: String,
    pub has_systemd: bool,
}

/// The script that prints the facts, a line each.
const PROBE: &str = "uname -s; uname -m; printf '%s\\n' \"$HOME\"; id -un; id -u; command -v rsync || echo; \
                     [ -d /run/systemd/system ] && echo systemd || echo";

impl Machine {
    /// Returns the command that runs a script there, with a short timeout for the connection. It
    /// asks for no password where none can be typed.
    pub fn ssh(&self, script: &str) -> Step {
        Step::new("ssh").with(self.options()).with([self.destination.as_str(), script])
    }

    /// Returns the command that runs a script there on this terminal. Meanwhile, a port of this
    /// machine leads to one of that: `forward` is both.
    pub fn ssh_on_terminal(&self, script: &str, forward: Option<(u16, u16)>) -> Step {
        let forward = forward.map(|(here, there)| ["-L".to_owned(), format!("{here}:127.0.0.1:{there}")]);
        let step = Step::new("ssh").with(["-t"]).with(forward.into_iter().flatten());
        step.with(self.options()).with([self.destination.as_str(), script])
    }

    /// Returns the command that copies the changed parts of files into a folder there, and prints a
    /// line for each changed file.
    pub fn rsync(&self, options: &[&str], files: &[String], folder: &str) -> Step {
        let ssh: Vec<_> = ["ssh".to_owned()].into_iter().chain(self.options()).map(|word| quoted(&word)).collect();
        Step::new("rsync")
            .with(["--recursive", "--links", "--perms", "--times", "--compress", "--out-format=%n"])
            .with(options.iter().copied())
            .with(["--rsh".to_owned(), ssh.join(" "), "--".to_owned()])
            .with(files.iter().cloned())
            .with([format!("{}:{folder}/", self.before_colon())])
    }

    /// Returns the destination in the form in which a colon and a folder can follow it: an IPv6
    /// address is put in brackets.
    fn before_colon(&self) -> String {
        let (user, host) = self.destination.rsplit_once('@').unwrap_or(("", &self.destination));
        let at = if user.is_empty() { "" } else { "@" };
        if host.contains(':') { format!("{user}{at}[{host}]") } else { self.destination.clone() }
    }

    fn options(&self) -> Vec<String> {
        let mut options = vec!["-o".to_owned(), "ConnectTimeout=10".to_owned()];
        if !io::stdin().is_terminal() {
            options.extend(["-o".to_owned(), "BatchMode=yes".to_owned()]);
        }
        if let Some(file) = &self.ssh_config {
            options.extend(["-F".to_owned(), file.display().to_string()]);
        }
        options
    }

    /// Returns the command that asks for the facts.
    pub fn probe(&self) -> Step {
        self.ssh(PROBE)
    }

    /// Asks the machine for its facts.
    ///
    /// # Errors
    /// Returns an error if it cannot be reached, does not run Linux, or has no rsync.
    pub fn facts(&self) -> Result<Facts, CommandError> {
        let ended = self.probe().run()?;
        let lines: Vec<&str> = ended.printed.lines().collect();
        let [system, processor, home, user, user_number, rsync, systemd] = lines[..] else {
            return Err(self.failure("cannot be examined", &ended));
        };
        if system != "Linux" {
            let what = format!("{} runs {system}, but robots run on Linux", self.destination);
            let remedy = "deploy to a machine with Linux".to_owned();
            return Err(CommandError::Deploy { what, said: String::new(), remedy });
        }
        if rsync.is_empty() {
            let what = format!("{} has no rsync", self.destination);
            let remedy = format!(
                "install it there, for example with `ssh {} sudo apt install rsync`; a static build is sufficient",
                self.destination
            );
            return Err(CommandError::Deploy { what, said: String::new(), remedy });
        }
        let [processor, home, user, user_number] = [processor, home, user, user_number].map(str::to_owned);
        Ok(Facts { processor, home, user, user_number, has_systemd: !systemd.is_empty() })
    }

    /// Returns the error that a command there, or a copy to it, has failed, with a remedy if the
    /// cause can be recognised.
    pub fn failure(&self, what: &str, ended: &Ended) -> CommandError {
        let Self { destination, .. } = self;
        let Ended { said, code, .. } = ended;
        let has = |text: &str| said.contains(text);
        let remedy = if what == NOT_RUNNING && *code != Some(UNREACHABLE) {
            format!("mend that and deploy again, or go back to the release before it: `deploy {destination} --back`")
        } else if has(releases::NONE) {
            "deploy one".to_owned()
        } else if has("No space left on device") || has("Disk quota exceeded") {
            format!("its disk is full: `ssh {destination} df -h` shows which; remove old logs, or use another `folder`")
        } else if has("Host key verification failed") {
            format!("log in once by hand, and verify its key: `ssh {destination}`")
        } else if *code == Some(UNREACHABLE) && has("Permission denied") {
            format!("authorise your key there, once: `ssh-copy-id {destination}`; or use another `user`")
        } else if has("sudo: ") {
            format!("allow the user to run `sudo` there, or install the unit by hand: `ssh -t {destination}`")
        } else if has("Permission denied") || has("Read-only file system") {
            "use a `folder` that the user may write to".to_owned()
        } else if *code == Some(UNREACHABLE) || has("connection unexpectedly closed") {
            format!("check that it is on and in this network: `ssh {destination}` must work")
        } else {
            format!("examine it there: `ssh {destination}`")
        };
        CommandError::Deploy { what: format!("{destination} {what}"), said: said.clone(), remedy }
    }
}

/// The exit code of ssh if it could not reach the machine.
const UNREACHABLE: i32 = 255;

impl Facts {
    /// Returns placeholders for the facts of a machine that is not examined.
    pub fn unknown() -> Self {
        let [processor, home, user, user_number] = ["PROCESSOR", "HOME", "USER", "UID"].map(str::to_owned);
        Self { processor, home, user, user_number, has_systemd: true }
    }

    /// Returns the target whose programs run there regardless of its libraries.
    pub fn target(&self) -> String {
        format!("{}-unknown-linux-musl", self.processor)
    }

    /// Returns the absolute path of a folder there.
    pub fn absolute(&self, folder: &str) -> PathBuf {
        Path::new(&self.home).join(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nao() -> Machine {
        Machine { destination: "nao@10.0.0.2".into(), ssh_config: None }
    }

    #[test]
    fn what_fails_there_comes_with_what_helps() {
        for (said, code, remedy) in [
            ("rsync: write failed on \"x\": No space left on device (28)", 11, "df -h"),
            ("nao@10.0.0.2: Permission denied (publickey).", 255, "ssh-copy-id nao@10.0.0.2"),
            ("ssh: connect to host 10.0.0.2 port 22: No route to host", 255, "check that it is on"),
            ("rsync: mkdir \"/opt/x\" failed: Permission denied (13)", 11, "`folder` that the user may write"),
            ("sudo: a password is required", 1, "allow the user to run `sudo` there"),
        ] {
            let ended = Ended { code: Some(code), printed: String::new(), said: said.to_owned() };
            let error = nao().failure("does not take it", &ended).to_string();
            assert!(error.contains(remedy) && error.contains(said), "{error}");
        }
    }

    #[test]
    fn the_colons_of_an_address_do_not_end_it() {
        let copied = |destination: &str| {
            let machine = Machine { destination: destination.into(), ssh_config: None };
            machine.rsync(&[], &["robot.toml".into()], "rover").to_string()
        };
        assert!(copied("nao@fd00::2").ends_with(" robot.toml 'nao@[fd00::2]:rover/'"), "{}", copied("nao@fd00::2"));
        assert!(copied("nao@10.0.0.2").ends_with(" robot.toml nao@10.0.0.2:rover/"), "{}", copied("nao@10.0.0.2"));
    }

    #[test]
    fn folders_are_meant_from_the_users_home() {
        let facts = Facts { home: "/home/nao".into(), processor: "aarch64".into(), ..Facts::unknown() };
        assert_eq!(facts.absolute("robots/rover"), Path::new("/home/nao/robots/rover"));
        assert_eq!(facts.absolute("/opt/rover"), Path::new("/opt/rover"));
        assert_eq!(facts.target(), "aarch64-unknown-linux-musl");
    }
}
