//! Logs that begin and end while the robot runs.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola_recording::recorder::{Head, Recorded, Recorder, Recording, RecordingOptions};
use serde_json::{Value, json};

use super::Shared;
use crate::door::errands::Outcome;

/// The log that somebody outside has begun, if there is one.
///
/// Whoever ends the robot [ends](Self::finish) it, too:
/// [`RunningRobotSubject::recording`](crate::RunningRobotSubject::recording).
#[derive(Clone, Default)]
pub struct LiveRecording(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Nobody waits for a disk while this is locked.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    /// This log is being begun or ended.
    Busy(PathBuf),
    Begun(Begun),
    /// The robot has ended.
    Over,
}

struct Begun {
    path: PathBuf,
    recorder: Recorder,
}

/// Who ends the robot waits so long for a log that is being begun or ended at this moment.
const END_PATIENCE: Duration = Duration::from_secs(30);

impl LiveRecording {
    /// Begins a log: in this file, or the next free number in `logs/`.
    pub(super) fn start(&self, shared: &Shared, file: Option<String>) -> Outcome {
        let name = &shared.facts.name;
        let path = file.map_or_else(|| next_free(Path::new("logs"), name), PathBuf::from);
        let mut state = self.lock();
        match &*state {
            State::Idle => *state = State::Busy(path.clone()),
            State::Busy(path) | State::Begun(Begun { path, .. }) => {
                return Err(format!("{} is being recorded already: stop it first", path.display()));
            }
            State::Over => return Err("the robot has ended".to_owned()),
        }
        drop(state);
        let mut busy = Busy { recording: self, next: State::Idle };
        let recorder = begin(shared, &path)?;
        shared.handle.note(format!("recording to {}", path.display()));
        let answer = json!({"file": path.display().to_string()});
        busy.next = State::Begun(Begun { path, recorder });
        Ok(answer)
    }

    /// Ends it.
    pub(super) fn stop(&self) -> Outcome {
        let mut state = self.lock();
        let Begun { path, recorder } = match mem::take(&mut *state) {
            State::Begun(begun) => begun,
            other => {
                *state = other;
                return Err("nothing that was begun from outside is being recorded".to_owned());
            }
        };
        *state = State::Busy(path.clone());
        drop(state);
        let _busy = Busy { recording: self, next: State::Idle };
        let recorded = recorder.finish().ok_or("the recorder has failed; the robot's terminal says more")?;
        Ok(json!({"file": path.display().to_string(), "whole": recorded.is_whole(), "text": recorded.line()}))
    }

    /// What is being recorded.
    pub(super) fn state(&self) -> Option<Value> {
        match &*self.lock() {
            State::Begun(Begun { path, .. }) => Some(json!({"file": path.display().to_string()})),
            State::Idle | State::Busy(_) | State::Over => None,
        }
    }

    /// Ends the log that nobody has ended, when the robot has ended; from then on none can be
    /// begun. Waits for one that is being ended at this moment, but not for ever for a disk that
    /// takes nothing.
    pub fn finish(&self) -> Option<Recorded> {
        let is_busy = |state: &mut State| matches!(state, State::Busy(_));
        let waited = self.0.changed.wait_timeout_while(self.lock(), END_PATIENCE, is_busy);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let before = mem::replace(&mut *state, State::Over);
        drop(state);
        match before {
            State::Begun(Begun { recorder, .. }) => recorder.finish(),
            State::Busy(path) => Some(Recorded::without_end(path, END_PATIENCE)),
            State::Idle | State::Over => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // It is whole, also after a panic.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits for a disk. Says what comes after that, also where it panics.
struct Busy<'r> {
    recording: &'r LiveRecording,
    next: State,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let next = mem::take(&mut self.next);
        let mut state = self.recording.lock();
        match (&*state, next) {
            // The robot did not wait for it.
            (State::Over, State::Begun(Begun { recorder, .. })) => {
                drop(state);
                _ = recorder.finish();
            }
            (State::Over, _) => {}
            (_, next) => *state = next,
        }
        self.recording.0.changed.notify_all();
    }
}

fn begin(shared: &Shared, path: &Path) -> Result<Recorder, String> {
    if path.exists() {
        return Err(format!("{} exists: a log is never overwritten", path.display()));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    }
    let options = RecordingOptions { path: Some(path.to_owned()), ..RecordingOptions::default() };
    let (handle, name) = (&shared.handle, &shared.facts.name);
    let (recording, head) = handle.with_robot(|robot| {
        let recording = Recording::of(&options, robot, name);
        (recording, Head::of(robot, name, &shared.facts.origins, &shared.facts.texts))
    });
    let recording = recording.map_err(|error| error.to_string())?.ok_or("there is nothing to record")?;
    Recorder::start(handle, recording, head).map_err(|error| error.to_string())
}

/// The first number that is free.
fn next_free(folder: &Path, name: &str) -> PathBuf {
    let mut numbered = (1_u32..).map(|number| folder.join(format!("{name}-live-{number}.mcap")));
    numbered.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}
