//! `frames`: pictures of the live page, of a running robot or of a log.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::{Browser, Door, DoorSettings, LogSubject, Shift, Window};

use crate::command_line::live::FramesArguments;
use crate::commands::print;
use crate::error::CommandError;

/// The step of a log's time line for a key, and with the shift key, in seconds.
const STEPS: [(u64, Shift); 2] = [(10, Shift::Held), (1, Shift::Free)];

pub fn frames(arguments: &FramesArguments) -> Result<ExitCode, CommandError> {
    let is_address = arguments.subject.starts_with("http://") || arguments.subject.starts_with("https://");
    if is_address && arguments.seek.is_some() {
        let text = "--seek is a time of a log; of a running robot, pictures are taken now";
        return Err(CommandError::Usage(text.to_owned()));
    }
    // The door stays open as long as pictures are taken.
    let door = (!is_address).then(|| open(Path::new(&arguments.subject))).transpose()?;
    let url = match &door {
        Some(door) => door.page().unwrap_or_default(),
        None => arguments.subject.clone(),
    };
    fs::create_dir_all(&arguments.folder)
        .map_err(|error| CommandError::Write { path: arguments.folder.clone(), error })?;
    let (width, height) = arguments.size;
    let window = Window { width, height, is_light: arguments.light };
    let mut browser = Browser::start(arguments.browser.as_deref(), &window)?;
    browser.open(&url)?;
    if !arguments.view.is_empty() {
        browser.show(&arguments.view)?;
    }
    if door.is_some() {
        let mut left = arguments.seek.unwrap_or_default().as_secs();
        for (step, shift) in STEPS {
            for _ in 0..left / step {
                browser.press("ArrowRight", shift)?;
            }
            left %= step;
        }
        browser.press(" ", Shift::Free)?;
    }
    thread::sleep(arguments.after);
    take(&mut browser, arguments)?;
    drop(browser);
    if let Some(door) = door {
        door.close("all pictures are taken");
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a log's page, which no other command needs to find.
fn open(log: &Path) -> Result<Door, CommandError> {
    let name = log.file_stem().map_or_else(|| "log".into(), |name| name.to_string_lossy());
    let settings = DoorSettings { has_socket: false, ..DoorSettings::default() };
    Ok(Door::open(&name, settings, Box::new(LogSubject::open(log)?))?)
}

/// Takes the pictures at equal distances, however long each takes.
fn take(browser: &mut Browser, arguments: &FramesArguments) -> Result<(), CommandError> {
    let begin = Instant::now();
    for number in 0..arguments.pictures {
        let due = begin + arguments.every.saturating_mul(number);
        thread::sleep(due.checked_duration_since(Instant::now()).unwrap_or(Duration::ZERO));
        let path = arguments.folder.join(format!("frame-{:03}.png", number + 1));
        fs::write(&path, browser.picture()?).map_err(|error| CommandError::Write { path: path.clone(), error })?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
