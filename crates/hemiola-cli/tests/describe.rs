//! `completions` and `man`, of the program `hemiola` and of robots' own programs.
#![forbid(unsafe_code)]

use std::fs;
use std::process::{Command, ExitCode, Stdio};

use hemiola::Application;

/// Returns what the program prints.
fn hemiola(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hemiola")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn shells_understand_what_completes_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = hemiola(&["completions", shell]);
        for word in ["hemiola", "completions", "safe-state", "what-if", "template"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let file = folder.path().join(shell);
        fs::write(&file, script).unwrap();
        // A shell that is installed says whether it is one of its scripts.
        let mut reader = Command::new(shell);
        if let Ok(read) = reader.arg("-n").arg(&file).stdin(Stdio::null()).output() {
            assert!(read.status.success(), "{shell}: {}", String::from_utf8_lossy(&read.stderr));
        }
    }
    let error = Command::new(env!("CARGO_BIN_EXE_hemiola")).args(["completions", "tcsh"]).output().unwrap();
    assert_eq!(error.status.code(), Some(2));
}

#[test]
fn bash_completes_a_command_that_is_half_typed() {
    let script = hemiola(&["completions", "bash"]);
    let ask = "COMP_WORDS=(hemiola log ex) COMP_CWORD=2; _hemiola hemiola ex log; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let Ok(output) = Command::new("bash").args(["-c", &format!("{script}\n{ask}")]).stdin(Stdio::null()).output()
    else {
        return; // without bash there is nobody who completes
    };
    let completed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(completed.lines().collect::<Vec<_>>(), ["extract-cycle", "export"]);
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    hemiola(&["man", pages.to_str().unwrap()]);
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("hemiola.1").contains("hemiola\\-log(1)"));
    assert!(page("hemiola-log-cat.1").contains("Print messages"));
    assert!(page("hemiola-new.1").contains("\\-\\-template"));
    assert!(!pages.join("hemiola-help.1").exists());
}

#[test]
fn a_robots_program_has_pages_for_its_own_commands_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().to_str().unwrap();
    let robot = Application::embedded("").command("score", "Scores a game", |_| ExitCode::SUCCESS);
    assert_eq!(robot.run_with(["./nao", "man", pages]), ExitCode::SUCCESS);
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(page("nao.1").contains("nao\\-run(1)"));
    assert!(page("nao-score.1").contains("Scores a game"));

    let below_a_file = folder.path().join("nao.1/man");
    let robot = Application::embedded("");
    assert_eq!(robot.run_with(["nao", "man", below_a_file.to_str().unwrap()]), ExitCode::from(1));
}
