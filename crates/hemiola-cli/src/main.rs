//! The program `hemiola`: observes and changes running robots, reads logs, and examines the
//! machine. It does not need a robot's code.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    hemiola_cli::tools(std::env::args_os())
}
