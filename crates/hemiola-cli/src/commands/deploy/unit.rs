//! The systemd unit of a robot.

use std::path::Path;

use super::machine::Facts;

/// The program that a unit starts, with its settings.
pub struct Unit<'a> {
    /// The robot's name.
    pub robot: &'a str,
    /// The folder with the program.
    pub folder: &'a Path,
    /// The arguments of the program.
    pub arguments: &'a [String],
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
    pub fn text(&self) -> String {
        let Self { robot, folder, arguments, cores, facts } = self;
        let Facts { user, user_number, .. } = facts;
        let program = folder.join(robot).display().to_string();
        let words: Vec<_> = [&program].into_iter().chain(*arguments).map(|word| quoted(word)).collect();
        let command = words.join(" ");
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
ExecStart={command}
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
        let arguments = ["run".to_owned(), "--headless".to_owned()];
        let unit =
            |cores| Unit { robot: "rover", folder: Path::new("/opt/a b"), arguments: &arguments, cores, facts: &facts };
        let text = unit(&[2, 3]).text();
        for line in [
            "LimitRTPRIO=98",
            "LimitMEMLOCK=infinity",
            "CPUAffinity=2 3",
            "User=nao",
            "WorkingDirectory=/opt/a b",
            "ExecStart=\"/opt/a b/rover\" run --headless",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        assert!(!unit(&[]).text().contains("CPUAffinity"));
    }
}
