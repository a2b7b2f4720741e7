//! The program `hemiola`: looks at running robots and changes them, reads logs, examines the machine. It needs no robot's code.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
