//! One run of a robot, and what is written and printed at its end.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::time::Duration;

use hemiola_insight::Verdict;
use hemiola_model::Time;
use hemiola_model::configuration::OutputConfiguration;
use hemiola_recording::recorder::Recorded;
use hemiola_runtime::{Change, RobotHandle, SafeStateEntry, Tempo};
use hemiola_trace::perfetto::Trace;
use hemiola_trace::{ProfileHistory, Timeline};

use super::pace_text;
use super::runner::stepped;
use crate::command_line::RunArguments;
use crate::commands::log::LOSSY;
use crate::commands::print;
use crate::error::CommandError;
use crate::summary::{CutShort, Summary};

/// One run, from the beginning to the end.
pub struct Lap {
    pub handle: RobotHandle,
    /// The pace at which it was stepped, if it was.
    pub tempo: Option<Tempo>,
    pub output: OutputConfiguration,
    /// The log that was requested at the start, and the one that was started at the door.
    pub recorded: Vec<Recorded>,
    pub safe_state: Option<SafeStateEntry>,
    /// The lines that the robot adds.
    pub lines: Vec<String>,
    /// The measurements of this run and of earlier ones.
    pub history: ProfileHistory,
    /// The bounds and what was observed, for a run in real time.
    pub bounds: Option<String>,
    /// The verdict on the run.
    pub verdict: Verdict,
    pub capture: Option<Trace>,
    /// Set if a trace was to be written.
    pub is_traced: bool,
    pub robot_time: Time,
    /// Set if it ran less long than it was asked to.
    pub cut_short: Option<CutShort>,
    pub elapsed: Duration,
}

impl Lap {
    /// Writes the requested files, and prints the summary.
    pub fn finish(mut self, arguments: &RunArguments) -> Result<ExitCode, CommandError> {
        let capture = self.capture.take();
        let Self { handle, output, .. } = &self;
        let trace = handle.trace();
        let traced = handle.change(Change::Trace { file: None }).wait();
        if let Some(path) = &arguments.picture {
            let Trace { capture, catalog, scale } = capture.unwrap_or_else(|| handle.capture_events());
            let mut timeline = Timeline::of(&capture, &catalog, &scale).last(PICTURE_LENGTH);
            if stepped(arguments).is_some() || arguments.speed.is_some() {
                let pace = pace_text(arguments);
                timeline = timeline.remark(format!("times are wall time: the robot's clock ran {pace}"));
            }
            timeline.save(path)?;
        }
        if let Some(path) = &output.profile {
            self.history.save(path)?;
        }
        let report = handle.report();
        for path in arguments.statistics.iter().chain(&output.statistics) {
            report.save(path)?;
        }
        let mut verdict = self.verdict.clone();
        if let Some(entry) = &self.safe_state {
            verdict = verdict.with_failure(format!("the robot ended in its safe state, {entry}"));
        }
        let summary = Summary {
            report: &report,
            safe_state: self.safe_state.as_ref(),
            messages: &handle.messages(),
            bus: handle.bus(),
            lines: &self.lines,
            bounds: self.bounds.as_deref(),
            verdict: &verdict,
            robot_time: self.robot_time,
            cut_short: self.cut_short.as_ref(),
            elapsed: self.elapsed,
            trace: trace.as_deref().filter(|_| traced.is_ok()),
            profile: output.profile.as_deref(),
            recorded: &self.recorded,
        };
        let mut code = print(&summary.text(io::stdout().is_terminal()))?;
        // Everything has been written by now, and the modules are no longer needed.
        handle.end_modules();
        if let Some(fault) = handle.fault() {
            return Err(fault.into());
        }
        traced?;
        if self.is_traced && trace.is_none() {
            // The reason is among the messages.
            code = ExitCode::FAILURE;
        }
        if !self.recorded.iter().all(Recorded::is_whole) {
            code = ExitCode::from(LOSSY);
        }
        Ok(code)
    }
}

/// The time that a picture shows: a run of cognition, and the runs of motion and audio around it.
const PICTURE_LENGTH: Duration = Duration::from_millis(40);
