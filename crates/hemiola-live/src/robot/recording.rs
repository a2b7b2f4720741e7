//! Logs that begin and end while the robot runs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hemiola_recording::recorder::{Head, Recorder, Recording, RecordingOptions};
use serde_json::{Value, json};

use super::Shared;
use crate::door::errands::Outcome;

/// The log that somebody outside has begun, if there is one.
#[derive(Default)]
pub struct LiveRecording(Mutex<Option<Begun>>);

struct Begun {
    path: PathBuf,
    recorder: Recorder,
}

impl LiveRecording {
    /// Begins a log: in this file, or the next free number in `logs/`.
    pub fn start(&self, shared: &Shared, file: Option<String>) -> Outcome {
        let mut begun = self.lock();
        if let Some(begun) = &*begun {
            return Err(format!("{} is being recorded already: stop it first", begun.path.display()));
        }
        let name = &shared.facts.name;
        let path = file.map_or_else(|| next_free(Path::new("logs"), name), PathBuf::from);
        if path.exists() {
            return Err(format!("{} exists: a log is never overwritten", path.display()));
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        }
        let options = RecordingOptions { path: Some(path.clone()), ..RecordingOptions::default() };
        let handle = &shared.handle;
        let (recording, head) = handle.with_robot(|robot| {
            let recording = Recording::of(&options, robot, name);
            (recording, Head::of(robot, name, &shared.facts.origins, &shared.facts.texts))
        });
        let recording = recording.map_err(|error| error.to_string())?.ok_or("there is nothing to record")?;
        let recorder = Recorder::start(handle, recording, head).map_err(|error| error.to_string())?;
        handle.note(format!("recording to {}", path.display()));
        let answer = json!({"file": path.display().to_string()});
        *begun = Some(Begun { path, recorder });
        Ok(answer)
    }

    /// Ends it.
    pub fn stop(&self) -> Outcome {
        let begun = self.lock().take().ok_or("nothing that was begun from outside is being recorded")?;
        let recorded = begun.recorder.finish().ok_or("the recorder has failed; the robot's terminal says more")?;
        Ok(json!({"file": begun.path.display().to_string(), "whole": recorded.is_whole(), "text": recorded.line()}))
    }

    /// What is being recorded.
    pub fn state(&self) -> Option<Value> {
        // Beginning a log may take some time; the figures do not wait for it.
        let begun = self.0.try_lock().ok()?;
        begun.as_ref().map(|begun| json!({"file": begun.path.display().to_string()}))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Begun>> {
        // There is a recorder or there is none, also after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first number that is free.
fn next_free(folder: &Path, name: &str) -> PathBuf {
    let mut numbered = (1_u32..).map(|number| folder.join(format!("{name}-live-{number}.mcap")));
    numbered.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}
