//! Tests that the guard's command softens the joints of a real body, and does no harm without one.
#![cfg(unix)]

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

fn soften(lola: &Path) -> Output {
    let command = Path::new(env!("CARGO_MANIFEST_DIR")).join("soften-joints");
    Command::new(command).env("LOLA", lola).output().unwrap()
}

fn socket(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("nao-{name}-{}", std::process::id()));
    _ = std::fs::remove_file(&path);
    path
}

#[test]
fn the_joints_of_a_body_whose_process_is_gone_are_softened() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no Python here");
        return;
    }
    let path = socket("lola");
    let body = UnixListener::bind(&path).unwrap();
    // The part of LoLA: a state every cycle, and a command in return.
    let lola = thread::spawn(move || {
        let (mut robot, _) = body.accept().unwrap();
        robot.write_all(&[0; 896 * 5]).unwrap();
        let mut commands = Vec::new();
        robot.read_to_end(&mut commands).unwrap();
        commands
    });
    let output = soften(&path);
    assert!(output.status.success(), "{output:?}");
    let commands = lola.join().unwrap();
    // A map with one key, `Stiffness`, and 25 numbers of single precision, all of them zero.
    let mut expected = b"\x81\xa9Stiffness\xdc\x00\x19".to_vec();
    (0..25).for_each(|_| expected.extend(b"\xca\x00\x00\x00\x00"));
    assert_eq!(commands.len(), 5 * expected.len());
    assert!(commands.chunks(expected.len()).all(|command| command == expected));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn without_a_body_the_guards_command_harms_nobody() {
    let output = soften(&socket("nobody"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("nothing moves"), "{text}");
}
