//! `view`: a log in the live page.

use std::process::ExitCode;

use hemiola_live::{Door, DoorSettings, LogSubject};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::command_line::live::ViewArguments;
use crate::commands::print;
use crate::error::CommandError;
use crate::notes::tell;

pub fn view(arguments: &ViewArguments) -> Result<ExitCode, CommandError> {
    let log = LogSubject::open(&arguments.log)?;
    log.damage().iter().for_each(|damage| tell(format_args!("note: {damage}")));
    // Signals are handled before the address is printed, so that none is missed.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(CommandError::Thread)?;
    let name = arguments.log.file_stem().map_or_else(|| "log".into(), |name| name.to_string_lossy());
    // The page has no socket, so that commands for running robots do not find the log.
    let settings = DoorSettings { has_socket: false, port: arguments.page, ..DoorSettings::default() };
    let door = Door::open(&name, settings, Box::new(log))?;
    door.notes().iter().for_each(|note| tell(format_args!("note: {note}")));
    if let Some(page) = door.page() {
        print(&format!("page: {page}\n"))?;
    }
    // Ctrl-C ends the view.
    _ = signals.forever().next();
    door.close("the viewer was ended");
    Ok(ExitCode::SUCCESS)
}
