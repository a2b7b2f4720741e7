//! Which program is running.

use std::time::UNIX_EPOCH;

/// Describes this program so that builds can be told apart: a debug build takes many times as
/// long, and a change may take anything.
///
/// ```
/// assert!(hemiola_recording::this_program().contains(" build of "));
/// ```
pub fn this_program() -> String {
    let describe = || {
        let path = std::env::current_exe().ok()?;
        let file = path.metadata().ok()?;
        let built = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let kind = if cfg!(debug_assertions) { "debug" } else { "release" };
        Some(format!("{kind} build of {} bytes, made {}.{:09}", file.len(), built.as_secs(), built.subsec_nanos()))
    };
    describe().unwrap_or_else(|| "unknown".to_owned())
}
