//! The logs that clients start and finish while the robot is running.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola_recording::recorder::{Head, Recorded, Recorder, Recording, RecordingOptions};
use serde_json::{Value, json};

use super::Shared;
use crate::door::errands::Outcome;

/// The log that a client has started, if there is one.
///
/// The owner of the robot must also [finish](Self::finish) the log:
/// [`RunningRobotSubject::recording`](crate::RunningRobotSubject::recording).
#[derive(Clone, Default)]
pub struct LiveRecording(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// The state of the log. No thread holds this lock while it waits for a disk.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    /// The log is being started or finished.
    Busy(PathBuf),
    Begun(Begun),
    /// The robot has ended.
    Over,
}

struct Begun {
    path: PathBuf,
    recorder: Recorder,
}

/// The time for which the end of a robot waits while a log is being started or finished.
const END_PATIENCE: Duration = Duration::from_secs(30);

impl LiveRecording {
    /// Starts a log in this file, or in `logs/` under the next free number.
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

    /// Finishes the log.
    pub(super) fn stop(&self) -> Outcome {
        let mut state = self.lock();
        let Begun { path, recorder } = match mem::take(&mut *state) {
            State::Begun(begun) => begun,
            other => {
                *state = other;
                return Err("no client has started a log that could be stopped".to_owned());
            }
        };
        *state = State::Busy(path.clone());
        drop(state);
        let _busy = Busy { recording: self, next: State::Idle };
        let recorded = recorder.finish().ok_or("the recorder has failed: see the robot's terminal")?;
        Ok(json!({"file": path.display().to_string(), "whole": recorded.is_whole(), "text": recorded.line()}))
    }

    /// Returns the file of the log that is being recorded.
    pub(super) fn state(&self) -> Option<Value> {
        match &*self.lock() {
            State::Begun(Begun { path, .. }) => Some(json!({"file": path.display().to_string()})),
            State::Idle | State::Busy(_) | State::Over => None,
        }
    }

    /// Finishes the log that is being recorded when the robot has ended. No further log can be
    /// started afterwards. If a log is already being finished, waits for it, but gives up after
    /// some time if its disk does not respond.
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
        // The state is consistent even after a panic.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a thread that waits for a disk. When it is dropped, also by a panic, the log gets the
/// state `next`.
struct Busy<'r> {
    recording: &'r LiveRecording,
    next: State,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let next = mem::take(&mut self.next);
        let mut state = self.recording.lock();
        match (&*state, next) {
            // The robot has ended without waiting for this log.
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
        return Err(format!("{} exists already, and a log is never overwritten", path.display()));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
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

/// Returns a path in the folder with the first free number.
fn next_free(folder: &Path, name: &str) -> PathBuf {
    let mut numbered = (1_u32..).map(|number| folder.join(format!("{name}-live-{number}.mcap")));
    numbered.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}
