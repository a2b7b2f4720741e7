//! Captures of the robot's state on request: of a module when the robot falls, or of a person by
//! `kill -USR1`.
//!
//! A client never waits: files are written on a thread without real-time priority, which serves
//! [`SaveSnapshot`].

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use hemiola::bus::{Client, Priority, RunningExecutor};
use hemiola::prelude::*;
use hemiola::realtime::{ThreadSettings, spawn};
use hemiola::runtime::CapturedValues;
use hemiola::{Representation, RobotHandle};
use serde_json::json;
use signal_hook::consts::SIGUSR1;
use signal_hook::iterator::Signals;

use crate::NaoError;
use crate::representations::events::Remark;

/// The request for a file with the current values of all representations. The service has the same
/// name; its response is [`CaptureSaved`].
#[derive(Representation, Clone, Default, Debug)]
pub struct SaveSnapshot {
    /// The reason for the capture, which is also written into the file.
    pub reason: CaptureReason,
}

/// The reason for a capture.
#[derive(Data, Clone, Copy, Default, Debug, PartialEq, Eq)]
pub enum CaptureReason {
    /// A person has requested it.
    #[default]
    Asked,
    /// The robot has fallen.
    Fell,
}

/// The path of the capture, or the reason why there is none.
pub type CaptureSaved = Result<PathBuf, String>;

/// The maximum number of waiting requests per client.
const CAPACITY: usize = 4;
/// The maximum wait for a response, longer than any disk takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Saves captures of the robot into a folder, under numbers that no file has yet, until the result
/// is dropped.
///
/// # Errors
/// The service exists already or has another type, or no thread can be started.
pub fn serve(robot: &RobotHandle, folder: impl Into<PathBuf>) -> Result<RunningExecutor, NaoError> {
    let mut executor = robot.executor("captures")?;
    let (asked, mut files) = (robot.clone(), NumberedFiles::new(folder.into()));
    let save = move |request: &SaveSnapshot| -> CaptureSaved {
        save(&asked.capture_values(), request.reason, &mut files)
            .map_err(|error| format!("no capture in {}: {error}", files.folder.display()))
    };
    executor.serve(robot.bus(), SaveSnapshot::NAME, Priority(1), CAPACITY, save)?;
    Ok(executor.spawn(ThreadSettings::new("captures"))?)
}

/// Requests a capture whenever this process gets the signal USR1, and publishes the result as a
/// remark, until the process ends.
///
/// # Errors
/// A name has another type, the signal cannot be handled, or no thread can be started.
pub fn ask_on_signal(robot: &RobotHandle) -> Result<(), NaoError> {
    let mut signals = Signals::new([SIGUSR1]).map_err(NaoError::Signal)?;
    let mut client: Client<SaveSnapshot, CaptureSaved> = robot.bus().client(SaveSnapshot::NAME)?;
    let mut remarks = robot.bus().topic::<Remark>(Remark::NAME)?.publisher();
    let robot = robot.clone();
    spawn(ThreadSettings::new("capture signal"), move || {
        for _ in signals.forever() {
            let text = match client.call(SaveSnapshot::default(), PATIENCE) {
                Ok(Ok(path)) => format!("was asked what it believes: {}", path.display()),
                Ok(Err(reason)) => reason,
                Err(error) => format!("no capture: {error}"),
            };
            remarks.publish(Remark { at: robot.now(), text });
        }
    })?;
    Ok(())
}

fn save(captured: &CapturedValues, reason: CaptureReason, files: &mut NumberedFiles) -> io::Result<PathBuf> {
    let (path, file) = files.create()?;
    let reason = match reason {
        CaptureReason::Asked => "asked",
        CaptureReason::Fell => "fell",
    };
    let CapturedValues { at, cycles, silent } = captured;
    let text = json!({ "at": at.seconds(), "reason": reason, "cycles": cycles, "silent": silent });
    let mut writer = BufWriter::new(file);
    serde_json::to_writer(&mut writer, &text)?;
    writer.flush()?;
    Ok(path)
}

/// Creates files, each with a higher number than those before.
struct NumberedFiles {
    folder: PathBuf,
    /// The last number that was tried.
    last: u64,
}

impl NumberedFiles {
    fn new(folder: PathBuf) -> Self {
        Self { folder, last: 0 }
    }

    /// Creates a new file. Only the first one has to skip files of earlier runs.
    fn create(&mut self) -> io::Result<(PathBuf, File)> {
        fs::create_dir_all(&self.folder)?;
        loop {
            self.last += 1;
            let path = self.folder.join(format!("nao-snapshot-{}.json", self.last));
            match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return Ok((path, created?)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered_on_from_those_of_earlier_runs_and_no_number_comes_twice() {
        let folder = std::env::temp_dir().join(format!("nao-{}-numbers", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        let mut earlier = NumberedFiles::new(folder.clone());
        (0..3).for_each(|_| _ = earlier.create().unwrap());

        let mut files = NumberedFiles::new(folder.clone());
        let (fourth, _) = files.create().unwrap();
        assert_eq!(fourth, folder.join("nao-snapshot-4.json"));
        // The number of a file that is removed meanwhile is not used again.
        fs::remove_file(folder.join("nao-snapshot-2.json")).unwrap();
        fs::remove_file(&fourth).unwrap();
        assert_eq!(files.create().unwrap().0, folder.join("nao-snapshot-5.json"));
        // Another process creates files, too.
        fs::write(folder.join("nao-snapshot-6.json"), "").unwrap();
        assert_eq!(files.create().unwrap().0, folder.join("nao-snapshot-7.json"));
        fs::remove_dir_all(folder).unwrap();
    }
}
