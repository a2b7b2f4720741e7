//! The identification of this program.

mod build_id;

use std::fs;
use std::sync::OnceLock;

/// Returns a description of this program that distinguishes builds: a debug build takes many times
/// as long, and a change of the sources may affect anything. It consists of the kind of build and
/// the linker's build id, or a hash of the file; a program that is built again from the same
/// sources has the same description.
///
/// The program's file is read at the first call.
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
    // This is the file that runs, even if another program has replaced it since.
    let running = fs::File::open("/proc/self/exe");
    let file = running.or_else(|_| std::env::current_exe().and_then(fs::File::open));
    match file.and_then(build_id::of) {
        Ok(id) => format!("{kind} build {id}"),
        // With the process's number, this program is at least not mistaken for another one.
        Err(_) => format!("{kind} build of process {}", std::process::id()),
    }
}
