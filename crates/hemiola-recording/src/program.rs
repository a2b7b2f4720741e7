//! Which program this is.

mod build_id;

use std::fs;
use std::sync::OnceLock;

/// Describes this program so that builds can be told apart: a debug build takes many times as
/// long, and a change may take anything. By what the linker calls it (its GNU build id), or a hash
/// of the file; a program that is built again from the same sources is the same.
///
/// Reads the program's file the first time.
///
/// ```
/// assert!(hemiola_recording::this_program().contains(" build "));
/// ```
pub fn this_program() -> String {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(describe).clone()
}

fn describe() -> String {
    let kind = if cfg!(debug_assertions) { "debug" } else { "release" };
    // The kernel's name for what runs, also if another program has been put in its place since.
    let running = fs::File::open("/proc/self/exe");
    let file = running.or_else(|_| std::env::current_exe().and_then(fs::File::open));
    match file.and_then(build_id::of) {
        Ok(id) => format!("{kind} build {id}"),
        // As a last resort no program is taken for another one.
        Err(_) => format!("{kind} build of process {}", std::process::id()),
    }
}
