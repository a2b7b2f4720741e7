//! A terminal for the commands of one page: bash with the programs of this workspace.
//!
//! `hemiola new my-robot` makes a robot that would take minutes to build; the same robot is a crate
//! of this workspace (`tests/templates/cart`), which is built already. So `cargo run` starts the
//! program of that crate with the new robot.toml, in which the paths of modules are those of that
//! crate.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::workspace::Program;

const PROGRAMS: &str = r#"
hemiola() {
    "$PROGRAMS/hemiola" "$@" || return
    [ "$1" != new ] || [ ! -d my-robot ] || sed -i "s/my_robot/hemiola_cart/; s/my-robot/hemiola-cart/" my-robot/{Cargo,robot}.toml
}
robot() {
    case ${1:-run} in
        run | check | graph | simulate | analyze | assign | modules | profile)
            local command=${1:-run}
            [ $# = 0 ] || shift
            "$PROGRAMS/hemiola-cart" "$command" --config "$PWD/robot.toml" "$@" ;;
        -*) robot run "$@" ;;
        *) "$PROGRAMS/hemiola-cart" "$@" ;;
    esac
}
cargo() {
    [ "$1" = run ] || { echo "only \`cargo run\` is run here"; return 1; }
    shift
    while [ "${1:-}" = --release ] || [ "${1:-}" = -- ]; do shift; done
    robot "$@"
}
run() { printf '\001%s\n' "$1"; eval "$1" 2>&1 </dev/null; printf '\002%s\n' "$?"; }
begin() {
    eval "$1" >"$FOLDER/robot.output" 2>&1 </dev/null &
    for _ in $(seq 600); do
        hemiola ps 2>/dev/null | grep -q real && return
        sleep 0.1
    done
    echo "no robot runs:"; cat "$FOLDER/robot.output"
}
finish() { hemiola stop >/dev/null 2>&1; wait; }
"#;

/// A command of a page and its result.
pub struct Done {
    pub command: String,
    pub output: String,
    pub status: i32,
}

/// A command that is to be run.
pub enum Typed {
    /// A command that ends.
    Command(String),
    /// A robot, which runs until the next one, or until the end of the page.
    Robot(String),
}

pub struct Terminal {
    folder: TempDir,
}

impl Terminal {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Runs commands one after the other; returns those that end.
    pub fn run(&self, commands: &[Typed]) -> Vec<Done> {
        let mut script = PROGRAMS.to_owned();
        let quoted = |command: &str| format!("'{}'", command.replace('\'', r"'\''"));
        for command in commands {
            script += &match command {
                Typed::Command(command) => format!("run {}\n", quoted(command)),
                Typed::Robot(command) => format!("finish\nbegin {}\n", quoted(command)),
            };
        }
        script += "finish\n";
        let output = self.bash(&script);
        let parts = output.split('\u{1}').skip(1);
        let done = parts.filter_map(|part| {
            let (said, status) = part.split_once('\u{2}')?;
            let (command, output) = said.split_once('\n')?;
            let status = status.trim().lines().next()?.parse().ok()?;
            Some(Done { command: as_written(command), output: as_written(output), status })
        });
        done.collect()
    }

    fn bash(&self, script: &str) -> String {
        let file = self.folder.path().join("script");
        fs::write(&file, script).unwrap();
        let output = Command::new("bash")
            .arg(file)
            .current_dir(self.folder.path())
            .env("FOLDER", self.folder.path())
            .env("PROGRAMS", programs())
            .env("XDG_RUNTIME_DIR", self.folder.path()) // hides the other robots of this host
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }
}

/// Returns the folder of the programs.
fn programs() -> PathBuf {
    let programs = [("hemiola-cart", "hemiola-cart"), ("hemiola-cli", "hemiola")];
    let [_, hemiola] = programs.map(|(package, name)| Program::new(package, name).file());
    hemiola.with_file_name("")
}

/// Returns the text as the robot of a reader would have printed it.
fn as_written(text: &str) -> String {
    let names = [("hemiola-cart", "my-robot"), ("hemiola_cart", "my_robot"), ("tests/templates/cart/", "")];
    names.iter().fold(text.to_owned(), |text, (built, written)| text.replace(built, written))
}
