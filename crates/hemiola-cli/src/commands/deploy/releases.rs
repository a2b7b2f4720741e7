//! Releases of a robot on its machine: scripts for a POSIX shell there.
//!
//! What is deployed is copied beside what runs, checked there, and only then put in force, by
//! renaming one link. A robot that starts at any moment, whatever has crashed, starts with all
//! files of one release.
//!
//! | in the robot's folder | what it is |
//! |---|---|
//! | `.releases/7/` | a release: the program, the configuration, the other files, the unit, and `.start-NAME`, which starts it |
//! | `.releases/next/` | the one that is copied and checked |
//! | `.releases/current` | a link to the one in force |
//! | `.releases/previous` | a link to the last one before that whose robot has run |
//! | `NAME`, `robot.toml`, .. | links through `current`: what the robot and people use |
//!
//! All else in the folder, such as logs and profiles, belongs to no release.

use super::unit::Unit;
use crate::shell::quoted;

/// The folder of the releases, in that of the robot.
pub const FOLDER: &str = ".releases";

/// The releases of a robot.
pub struct Releases<'a> {
    /// The name of the robot, which is that of the program.
    pub robot: &'a str,
    /// The absolute path of the robot's folder.
    pub folder: &'a str,
    /// The files and folders in a release, without what is below those.
    pub entries: &'a [String],
}

impl Releases<'_> {
    /// Returns the folder of the release that is being copied and checked.
    pub fn next(&self) -> String {
        format!("{}/{FOLDER}/next", self.folder)
    }

    /// Returns the script that begins a release with what is in force, so that only changes need to
    /// be sent and nothing that exists only there is lost. Unchanged files are shared by hard
    /// links: rsync replaces files instead of writing into them.
    pub fn prepare(&self) -> String {
        let (folder, robot) = (quoted(self.folder), quoted(self.robot));
        let (start, unit) = (quoted(&start_name(self.robot)), Unit::name(self.robot));
        format!(
            "mkdir -p {folder}/{FOLDER} && cd {folder}/{FOLDER} || exit
rm -rf failed && if [ -d next ]; then mv next failed; fi && mkdir next || exit
if [ -d current ]; then
  cp -al current/. next/ 2> /dev/null || {{ rm -rf next && mkdir next && cp -a current/. next/; }} || exit
fi
for entry in {entries}; do
  [ -e next/\"$entry\" ] || [ -L ../\"$entry\" ] || [ ! -e ../\"$entry\" ] || cp -a ../\"$entry\" next/ || exit
done
rm -f next/.started next/{start} next/{unit}
# The program of an attempt that failed is not sent again.
[ ! -f failed/{robot} ] || ln -f failed/{robot} next/ || exit
rm -rf failed",
            entries = self.words(),
        )
    }

    /// Returns the script that writes how the next release is started and its unit, which comes
    /// from the standard input and is checked if that is possible there.
    pub fn describe(&self, arguments: &[String]) -> String {
        let (next, start, unit) = (quoted(&self.next()), quoted(&start_name(self.robot)), Unit::name(self.robot));
        format!(
            "cd {next} && printf '%s\\n' {} > {start} && cat > {unit} && \
             if command -v systemd-analyze > /dev/null; then systemd-analyze verify ./{unit} || true; fi",
            quoted(&self.start(arguments)),
        )
    }

    /// Returns the text of the script that starts a release.
    fn start(&self, arguments: &[String]) -> String {
        let words = [format!("./{}", self.robot)].into_iter().chain(arguments.iter().cloned());
        let words: Vec<_> = words.map(|word| quoted(&word)).collect();
        let folder = quoted(self.folder);
        format!("# Written by `hemiola deploy`: starts this release.\ncd {folder} && exec {}", words.join(" "))
    }

    /// Returns a function of the shell, `switch`, that puts the next release in force. It keeps the
    /// one before if its robot has run.
    pub fn switch(&self) -> String {
        format!(
            "switch() (
  cd {folder} || exit
  # A link that leads nowhere yet harms nobody, but a release without its links would be incomplete.
  for entry in {entries}; do
    [ -e \"$entry\" ] || [ -L \"$entry\" ] || ln -s {FOLDER}/current/\"$entry\" \"$entry\" || exit
  done
  cd {FOLDER} && number=1 || exit
  while [ -e $number ]; do number=$((number + 1)); done
  # What the robot has written there since the copy was begun.
  [ ! -d current ] || (cd current/ && find . -type f ! -name .started) | while IFS= read -r file; do
    [ -e \"next/$file\" ] || {{ mkdir -p \"next/${{file%/*}}\" && ln \"current/$file\" \"next/$file\"; }}
  done 2> /dev/null
  mv next $number && sync || exit
  [ ! -e current/.started ] || ln -sfn \"$(readlink current)\" previous || exit
{FORCE}
  cd .. || exit
  # What somebody has put there in the place of a link.
  for entry in {entries}; do
    [ \"$(readlink \"$entry\")\" != {FOLDER}/current/\"$entry\" ] || continue
    mkdir -p {FOLDER}/replaced-$number && mv \"$entry\" {FOLDER}/replaced-$number/ || exit
    echo \"$entry was there, and is now in {FOLDER}/replaced-$number\" >&2
    ln -s {FOLDER}/current/\"$entry\" \"$entry\" || exit
  done
)
",
            folder = quoted(self.folder),
            entries = self.words(),
        )
    }

    /// Returns a function of the shell, `switch`, that puts the release before the present one in
    /// force again.
    pub fn switch_back(&self) -> String {
        format!(
            "switch() (
  cd {folder}/{FOLDER} && number=$(readlink previous) && [ -d \"$number\" ] || {{ echo '{NONE}' >&2; exit 1; }}
  now=$(readlink current)
{FORCE}
  ln -sfn \"$now\" previous
)
",
            folder = quoted(self.folder),
        )
    }

    /// Returns the script that fails if there is no release to go back to.
    pub fn require_previous(&self) -> String {
        format!("[ -d {}/{FOLDER}/previous ] || {{ echo '{NONE}' >&2; exit 1; }}", quoted(self.folder))
    }

    /// Returns the script, to be run in the robot's folder, that notes that the release in force
    /// has run, and removes those that nobody can go back to.
    pub fn settle(&self) -> String {
        format!(
            "touch {FOLDER}/current/.started
for release in {FOLDER}/[0-9]*; do
  for link in current previous; do
    [ \"$release\" != {FOLDER}/\"$(readlink {FOLDER}/$link)\" ] || continue 2
  done
  rm -rf \"$release\"
done
"
        )
    }

    fn words(&self) -> String {
        let words: Vec<_> = self.entries.iter().map(|entry| quoted(entry)).collect();
        words.join(" ")
    }
}

/// Returns the path of the script that starts the release in force, from the robot's folder.
pub fn start_path(robot: &str) -> String {
    format!("{FOLDER}/current/{}", start_name(robot))
}

fn start_name(robot: &str) -> String {
    format!(".start-{robot}")
}

/// Makes the release `$number` the one in force. A busybox of before 2020 cannot rename onto a link
/// to a folder: there, the link is removed and made again.
const FORCE: &str = "  ln -sfn \"$number\" new || exit
  mv -fT new current 2> /dev/null || { rm -f new; ln -sfn \"$number\" current; } || exit
  sync";

/// The message of a machine that has no release to go back to; a remedy is found by it.
pub const NONE: &str = "there is no earlier release";

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Output};

    use super::*;

    /// A robot's folder, in which the scripts run as on its machine.
    struct Machine {
        folder: tempfile::TempDir,
        entries: Vec<String>,
    }

    impl Machine {
        fn new() -> Self {
            let entries = ["rover", "robot.toml", "maps"].map(str::to_owned).to_vec();
            Self { folder: tempfile::tempdir().unwrap(), entries }
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn shell(&self, script: impl Fn(&Releases<'_>) -> String) -> Output {
            let folder = self.folder.path().display().to_string();
            let releases = Releases { robot: "rover", folder: &folder, entries: &self.entries };
            let script = format!("cd {} || exit\n{}", quoted(&folder), script(&releases));
            Command::new("/bin/sh").args(["-c", &script]).output().unwrap()
        }

        #[track_caller]
        fn runs(&self, script: impl Fn(&Releases<'_>) -> String) {
            let output = self.shell(script);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }

        /// Copies a release whose files have this text, as rsync does: each is replaced.
        fn copy(&self, text: &str) {
            self.runs(|releases| releases.prepare());
            for name in ["rover", "robot.toml", "maps/flat"] {
                let path = self.path(".releases/next").join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path.with_extension("new"), text).unwrap();
                fs::rename(path.with_extension("new"), path).unwrap();
            }
            self.runs(|releases| releases.describe(&["run".to_owned(), text.to_owned()]));
        }

        fn deploy(&self, text: &str) {
            self.copy(text);
            self.runs(|releases| releases.switch() + "switch && " + &releases.settle());
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.path(name)).unwrap()
        }

        /// Returns the words of a start, wherever the program would be started from.
        fn start(&self) -> String {
            self.read(".releases/current/.start-rover")
                .lines()
                .last()
                .unwrap()
                .split("exec ")
                .last()
                .unwrap()
                .to_owned()
        }

        #[track_caller]
        fn is(&self, text: &str) {
            let files = ["rover", "robot.toml", "maps/flat"].map(|name| self.read(name));
            assert_eq!(files, [text; 3]);
            assert_eq!(self.start(), format!("./rover run {text}"));
        }

        fn releases(&self) -> Vec<String> {
            let entries = fs::read_dir(self.path(FOLDER)).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn what_is_copied_is_in_force_only_when_it_is_switched() {
        let machine = Machine::new();
        machine.deploy("old");
        machine.copy("new");
        machine.is("old");
        machine.runs(|releases| releases.switch() + "switch");
        machine.is("new");
    }

    #[test]
    fn what_exists_only_there_stays_and_belongs_to_the_next_release_too() {
        let machine = Machine::new();
        machine.deploy("old");
        fs::write(machine.path("maps/own"), "tuned").unwrap();
        fs::write(machine.path("game.mcap"), "a log").unwrap();
        machine.deploy("new");
        machine.is("new");
        assert_eq!([machine.read("maps/own"), machine.read("game.mcap")], ["tuned", "a log"]);
    }

    #[test]
    fn what_the_robot_writes_while_it_is_deployed_stays_too() {
        let machine = Machine::new();
        machine.deploy("old");
        machine.copy("new");
        fs::write(machine.path("maps/room"), "seen just now").unwrap();
        machine.runs(|releases| releases.switch() + "switch");
        machine.is("new");
        assert_eq!(machine.read("maps/room"), "seen just now");
        // Only a release whose robot has run is one to go back to.
        assert!(!machine.path(".releases/current/.started").exists());
    }

    #[test]
    fn an_attempt_that_failed_leaves_nothing_but_its_program() {
        let machine = Machine::new();
        machine.deploy("old");
        machine.copy("broken");
        fs::write(machine.path(".releases/next/maps/broken"), "").unwrap();
        machine.runs(|releases| releases.prepare());
        let next = |name: &str| machine.read(&format!(".releases/next/{name}"));
        assert_eq!([next("rover"), next("robot.toml")], ["broken", "old"]);
        assert!(!machine.path(".releases/next/maps/broken").exists());
        machine.is("old");
    }

    #[test]
    fn one_goes_back_to_the_last_release_that_has_run_and_forth_again() {
        let machine = Machine::new();
        machine.deploy("good");
        // This one is put in force, but does not start.
        machine.copy("bad");
        machine.runs(|releases| releases.switch() + "switch");
        machine.deploy("newest");
        assert_eq!(machine.releases(), ["1", "3", "current", "previous"]);
        let back = |releases: &Releases<'_>| releases.switch_back() + "switch && " + &releases.settle();
        machine.runs(back);
        machine.is("good");
        machine.runs(back);
        machine.is("newest");
    }

    #[test]
    fn without_an_earlier_release_nothing_is_changed() {
        let machine = Machine::new();
        machine.deploy("only");
        let output = machine.shell(|releases| releases.switch_back() + "switch");
        assert!(String::from_utf8_lossy(&output.stderr).contains(NONE) && !output.status.success());
        machine.is("only");
    }

    #[test]
    fn files_in_the_place_of_a_link_are_used_at_first_and_kept_aside() {
        let machine = Machine::new();
        fs::create_dir(machine.path("maps")).unwrap();
        fs::write(machine.path("maps/own"), "by hand").unwrap();
        fs::write(machine.path("rover"), "copied without releases").unwrap();
        machine.deploy("new");
        machine.is("new");
        assert_eq!(machine.read("maps/own"), "by hand");
        assert_eq!(machine.read(".releases/replaced-1/rover"), "copied without releases");
        assert!(Path::new(&machine.path("maps")).is_symlink());
    }
}
