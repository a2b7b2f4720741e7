//! The program `hemiola`: looks at running robots and changes them, reads logs, examines the
//! machine. It needs no robot's code.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    hemiola_cli::tools(std::env::args_os())
}
