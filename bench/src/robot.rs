//! Programs of robots, for measurements of a whole one: the NAO's, and another one of the bench.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds the NAO's program beside this one. The error says why there is none.
pub fn program(bench: &Path) -> Result<PathBuf, String> {
    build(bench, "nao", "nao")
}

/// Builds a program of a package. The error says why there is none.
pub fn build(bench: &Path, package: &str, name: &str) -> Result<PathBuf, String> {
    let folder = bench.parent().unwrap_or(Path::new("."));
    eprintln!("building {name}, if it has changed");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args(["build", "--quiet", "--package", package, "--bin", name]);
    cargo.arg("--target-dir").arg(folder.parent().unwrap_or(folder));
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    let built = cargo.stdin(Stdio::null()).status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if built.success() { Ok(program) } else { Err(format!("`cargo build --release -p {package}` fails.")) }
}

/// Returns the path of the NAO's `robot.toml`.
pub fn configuration() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots/nao/robot.toml")
}
