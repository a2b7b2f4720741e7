//! `doctor`: whether this machine is fit for real time.

use std::process::ExitCode;

use hemiola_realtime::{examine, findings_as_json, findings_as_text};

use super::{columns, print};
use crate::command_line::DoctorArguments;
use crate::error::CommandError;

pub fn doctor(arguments: &DoctorArguments) -> Result<ExitCode, CommandError> {
    let findings = examine();
    if arguments.json {
        return print(&(findings_as_json(&findings) + "\n"));
    }
    print(&findings_as_text(&findings, columns(120).clamp(60, 120)))
}
