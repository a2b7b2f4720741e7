//! The systemd unit of a robot.

use std::path::Path;

use super::machine::Facts;
use super::releases::start_path;

/// The robot that a unit starts, with its settings.
pub struct Unit<'a> {
    /// The robot's name.
    pub robot: &'a str,
    /// The robot's folder.
    pub folder: &'a Path,
    /// The processor cores that it may use; all if the list is empty.
    pub cores: &'a [usize],
    pub facts: &'a Facts,
}

impl Unit<'_> {
    /// Returns the name of the unit of that robot.
    pub fn name(robot: &str) -> String {
        format!("hemiola-{robot}.service")
    }

    /// Returns the text of the unit.
    ///
    /// The program starts the guards and processes of the robot itself, and ends them in order on
    /// request: systemd sends SIGTERM to all of them, and kills what has not ended long after the
    /// robot's own timeouts. A robot with a wrong configuration (exit code 2) is not restarted.
    ///
    /// The release in force says how it is started, so that files and arguments change at once.
    pub fn text(&self) -> String {
        let Self { robot, folder, cores, facts } = self;
        let Facts { user, user_number, .. } = facts;
        let start = quoted(&folder.join(start_path(robot)).display().to_string());
        let folder = specified(&folder.display().to_string());
        let cores: Vec<_> = cores.iter().map(ToString::to_string).collect();
        let affinity = if cores.is_empty() { String::new() } else { format!("CPUAffinity={}\n", cores.join(" ")) };
        format!(
            "\
# Written by `hemiola deploy`, which writes it anew each time.
[Unit]
Description=The robot {robot}
Wants=network-online.target user@{user_number}.service
After=network-online.target user@{user_number}.service

[Service]
Type=exec
User={user}
WorkingDirectory={folder}
# Where commands of this user look for running robots.
Environment=XDG_RUNTIME_DIR=/run/user/{user_number}
ExecStart=/bin/sh {start}
# What it says of each second is for a terminal; warnings and errors are in the journal.
StandardOutput=null
StandardError=journal
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=2
TimeoutStopSec=30
# Real-time priorities, and memory that stays where it is.
LimitRTPRIO=98
LimitNICE=-20
LimitMEMLOCK=infinity
{affinity}
[Install]
WantedBy=multi-user.target
"
        )
    }
}

/// Returns a word of a command line in the syntax of systemd.
fn quoted(word: &str) -> String {
    let text = specified(word).replace('$', "$$");
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+=:,%$@".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
    }
}

/// Returns a text with the specifiers of systemd escaped.
fn specified(text: &str) -> String {
    text.replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn words_of_its_command_are_quoted_as_systemd_reads_them() {
        assert_eq!(quoted("/home/nao/rover"), "/home/nao/rover");
        assert_eq!(quoted("module.Pilot.name='a b'"), "\"module.Pilot.name='a b'\"");
        assert_eq!(quoted("100%$"), "100%%$$");
        assert_eq!(quoted(r#"say "no""#), r#""say \"no\"""#);
    }

    #[test]
    fn it_has_what_real_time_needs_and_the_cores_that_were_chosen() {
        let facts = Facts { user: "nao".into(), user_number: "1000".into(), ..Facts::unknown() };
        let unit = |cores| Unit { robot: "rover", folder: Path::new("/opt/a b"), cores, facts: &facts };
        let text = unit(&[2, 3]).text();
        for line in [
            "LimitRTPRIO=98",
            "LimitMEMLOCK=infinity",
            "CPUAffinity=2 3",
            "User=nao",
            "WorkingDirectory=/opt/a b",
            "ExecStart=/bin/sh \"/opt/a b/.releases/current/.start-rover\"",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        assert!(!unit(&[]).text().contains("CPUAffinity"));
    }

    #[test]
    fn systemd_accepts_it() {
        let folder = tempfile::tempdir().unwrap();
        let user = Command::new("id").arg("-un").output().unwrap();
        let user = String::from_utf8(user.stdout).unwrap().trim().to_owned();
        let facts = Facts { user, user_number: "0".into(), ..Facts::unknown() };
        let path = folder.path().join(Unit::name("rover"));
        let verify = |text: String| {
            std::fs::write(&path, text).unwrap();
            Command::new("systemd-analyze").arg("verify").arg(&path).output()
        };
        for in_folder in ["", "a b", "100%"] {
            let robots = folder.path().join(in_folder);
            std::fs::create_dir_all(&robots).unwrap();
            let text = Unit { robot: "rover", folder: &robots, cores: &[0], facts: &facts }.text();
            let Ok(verified) = verify(text.clone()) else {
                eprintln!("SKIPPED: there is no systemd-analyze that verifies units (Debian: systemd)");
                return;
            };
            let said = String::from_utf8_lossy(&verified.stderr).into_owned();
            assert!(verified.status.success() && !said.contains("hemiola-rover"), "{said}\n{text}");
            // It is one that would say so.
            let broken = verify(text.replace("LimitNICE=-20", "LimitNICE=x")).unwrap();
            assert!(String::from_utf8_lossy(&broken.stderr).contains("hemiola-rover"), "it does not look");
        }
    }
}
