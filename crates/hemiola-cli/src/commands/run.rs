//! `run`: starts the robot, watches it, and reports the result.

mod door;
mod lap;
mod links;
mod measured;
mod runner;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use hemiola_model::Time;
use hemiola_runtime::{Change, Observation, Robot, RobotHandle, Script, StopCause, Tempo, Transport};
use hemiola_trace::perfetto::Trace;

use super::analyze::over_links;
use super::check::warn;
use super::log::read_log;
use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::guard::{self, Line, Message, Oversight};
use crate::interruption::Interruption;
use crate::notes::{note_differences, tell};
use crate::processes::{self, Membership, Processes};
use crate::program::Program;
use crate::session::{self, Session};
use crate::summary::CutShort;
use crate::terminal::Terminal;
use crate::top::Bounds;
use door::{About, OpenDoor};
use hemiola_insight::profile;
use hemiola_insight::{OverLinks, Traces, Verdict};
use hemiola_live::Replayed;
use hemiola_recording::recorder::{Head, Recorder, Recording};
use hemiola_recording::replay::{Beginning, Fidelity, Remarks, Replay, ReplayLog};
use lap::Lap;
use measured::{Learning, admitted, bounds, tell_changes};
use runner::{Runner, stepped};
use watch::{Pace, Shown, Watch, Wish, tempo};

pub fn run(program: &Program, name: &str, arguments: &RunArguments) -> Result<ExitCode, CommandError> {
    if stepped(arguments).is_none()
        && let Some(processes) = Processes::of(program, name, arguments)?
    {
        return processes.run();
    }
    match &arguments.configuration.process {
        Some(process) => {
            let arguments = session::of_process(arguments, process);
            run_here(program, &format!("{name}-{process}"), &arguments)
        }
        None => run_here(program, name, arguments),
    }
}

/// Runs the robot, or a part of it, in this process.
fn run_here(program: &Program, name: &str, arguments: &RunArguments) -> Result<ExitCode, CommandError> {
    let line = Line::to_guard();
    if arguments.configuration.process.is_some() {
        processes::join()?;
    }
    if line.is_none()
        && let Some(oversight) = oversight(program, arguments)?
    {
        return oversight.oversee();
    }
    let log = match &arguments.replay {
        Some(path) => Some(read_log(path)?),
        None => None,
    };
    let terminal = Terminal::default();
    let interruption = Interruption::of_robot(&terminal);
    let mut shown = Shown::choose(arguments, &terminal);
    let mut attempt = Attempt { program, name, arguments, log, interruption, line, again: None };
    let mut lap = attempt.lap(&mut shown)?;
    while arguments.repeat && !attempt.interruption.has_come() {
        attempt.again = lap.tempo;
        lap = attempt.lap(&mut shown)?;
    }
    shown.finish();
    lap.finish(arguments)
}

/// Returns the guard that robot.toml demands. A robot that is stepped moves nothing, and needs
/// none.
fn oversight(program: &Program, arguments: &RunArguments) -> Result<Option<Oversight>, CommandError> {
    if !program.is_process || stepped(arguments).is_some() {
        return Ok(None);
    }
    let mut guard = session::configuration(program, &arguments.configuration)?.0.configuration.guard;
    if guard.is_some() && arguments.configuration.process.is_some() {
        // A part has a guard if something in it moves.
        guard.clone_from(&Session::open(program, &arguments.configuration)?.robot.configuration().guard);
    }
    let base = session::base(program, &arguments.configuration);
    guard.map(|guard| Oversight::of(&guard, &base)).transpose()
}

/// The facts that are the same for every run; `--loop` makes several.
struct Attempt<'a> {
    program: &'a Program,
    name: &'a str,
    arguments: &'a RunArguments,
    log: Option<ReplayLog>,
    interruption: Interruption,
    /// The connection to the guard, if there is one.
    line: Option<Line>,
    /// From the second run on, the pace of the run before.
    again: Option<Tempo>,
}

impl Attempt<'_> {
    fn lap(&self, shown: &mut Shown) -> Result<Lap, CommandError> {
        let Self { program, name, arguments, .. } = *self;
        let session = match &self.log {
            Some(log) => Session::of_log(program, &arguments.configuration, log)?,
            None => Session::open(program, &arguments.configuration)?,
        };
        if self.again.is_none() {
            session.remarks.iter().for_each(tell);
            // The process that starts several others has already warned.
            if std::env::var_os(session::PROCESSES).is_none() {
                warn(&session.warnings, &[]);
            }
        }
        let head = Head::of(&session.robot, name, &session.origins, &session.texts);
        let (mut history, mut known) = (session.history, session.known);
        let (robot, remarks) = match &self.log {
            Some(log) => {
                let take = match arguments.take.as_slice() {
                    [] => session.robot.configuration().replay.take.clone(),
                    take => take.to_vec(),
                };
                let beginning = arguments.from.map_or(Beginning::OfLog, |from| Beginning::Before(Time::ZERO + from));
                let replay = Replay::of(session.robot, log, beginning, &take)?;
                if self.again.is_none() {
                    announce(&replay, log);
                    note_differences(&head.differences(log.split().first())?);
                }
                (replay.robot, replay.remarks)
            }
            None => (session.robot, Remarks::default()),
        };
        let mut options = arguments.recording();
        options.path = options.path.map(guard::after_restart);
        let recording = Recording::of(&options, &robot, name)?;
        if let Some(recording) = &recording {
            warn_of_idle_channels(recording);
            robot.check_observation(&recording.observation())?;
        }
        let output = robot.configuration().output.clone();
        let page = robot.configuration().page.clone();
        let configuration = robot.configuration().clone();
        let is_in_real_time = stepped(arguments).is_none() && arguments.speed.is_none_or(|speed| speed == 1.0);
        let is_bounded = is_in_real_time && output.profile.is_some();
        if is_bounded {
            let conditions = &mut known.profile.conditions;
            conditions.has_priorities = Some(match guard::restarts() {
                0 => profile::calibrate(&mut history),
                // Other processes wait for a robot that has died, and the machine is the same.
                _ => profile::has_priorities(),
            });
            known = history.known(conditions);
            tell_changes(&history, &known.profile.conditions);
        }
        let mut conditions = known.profile.conditions.clone();
        if !is_in_real_time {
            conditions.pace = hemiola_trace::Pace::Other;
        }
        // A process that is restarted does not wait for an analysis of the whole robot.
        let over_links = match guard::restarts() {
            0 if is_bounded => over_links(program, &arguments.configuration),
            _ => OverLinks::default(),
        };
        let promised = if is_in_real_time { Some(admitted(&robot, &known, &over_links)?) } else { None };
        let trace =
            trace_path(arguments, output.trace.clone(), &session::traces(program, &arguments.configuration, name));
        let files = trace.iter().chain(&output.profile).chain(&output.statistics);
        let log = recording.as_ref().map(|recording| &recording.path);
        let log_path = log.map(|path| path.display().to_string());
        for path in files.chain(&arguments.statistics).chain(&arguments.picture).chain(log) {
            make_folder(path)?;
        }

        let robot = self.watched_over(robot, recording.as_ref())?;
        let started = Instant::now();
        let runner = Runner::start(robot, arguments, self.again)?;
        let handle = runner.handle().clone();
        self.interruption.concern(&handle);
        if let Some(from) = arguments.from {
            runner.hurry_to(Time::ZERO + from, &self.interruption);
        }
        let recorder = recording
            .map(|recording| Recorder::start(&handle, recording, head.measured_under(conditions.clone())))
            .transpose()?;
        let transport = runner.transport();
        let pace = match (&transport, &*shown) {
            (Some(transport), Shown::View(_)) if arguments.replay.is_some() => Pace::Played(transport.clone()),
            _ => Pace::Fixed(pace_text(arguments)),
        };
        let watched = promised.as_ref().map(Bounds::from).unwrap_or_default();
        let is_unknown = is_bounded && promised.as_ref().is_some_and(|bounds| bounds.executions.is_empty());
        let learning = is_unknown.then(|| Learning::begin(&handle, &history, &conditions, &over_links)).flatten();
        promised.into_iter().for_each(|bounds| handle.watch_bounds(bounds));
        if let Some(path) = &trace {
            handle.change(Change::Trace { file: Some(path.clone()) }).wait()?;
        }
        let process = arguments.configuration.process.as_deref();
        let membership = runner.prepared().map(|prepared| Membership::begin(process, prepared)).transpose()?.flatten();
        // An address or port that is in use is reported before anything moves.
        let links = links::open(&handle, name, &configuration, arguments)?;
        let shown_links = links.view();
        let about = About {
            name,
            process,
            base: &session::base(program, &arguments.configuration),
            origins: session.origins,
            texts: session.texts,
            known,
            over_links: over_links.clone(),
            replayed: self.log.as_ref().zip(transport.clone()).map(|(log, transport)| Replayed {
                transport,
                begin: handle.now(),
                end: runner::end(arguments).map_or(log.end(), |end| end.min(log.end())),
                events: log.events().to_vec(),
            }),
            links: shown_links.clone(),
            hosts: membership.as_ref().map(Membership::hosts).unwrap_or_default(),
        };
        let door = door::open(&handle, about, page, arguments)?;
        let running = runner.begin();
        program.note_start(&handle);
        let mut watch = Watch {
            program,
            name,
            pace,
            seen: handle.observe(Observation::default().with_journal())?,
            handle: handle.clone(),
            bounds: watched,
            links: shown_links,
            recording: log_path,
            shown,
            messages: Vec::new(),
            remarks: remarks.clone(),
            changes: Vec::new(),
            learning,
        };
        let watched = self.watch(&mut watch, transport.as_ref().filter(|_| arguments.replay.is_some()));
        let robot_time = handle.now();
        let cut_short = self.cut_short(&handle, watched.has_quit);
        // By now every executor has been created.
        handle.unknown_executors().into_iter().for_each(|unknown| handle.note(unknown));
        running.stop();
        drop(membership);
        if let Some(line) = &self.line
            && handle.make_safe()
        {
            line.say(&Message::Safe);
        }
        // The door is closed after the actuators were stopped, which must not wait for clients.
        let begun_at_door = door.and_then(OpenDoor::close);
        let mut lines = links.close();
        remarks.take_new().into_iter().chain(remarks.totals()).for_each(|remark| handle.note(remark));
        let recorded = recorder.and_then(Recorder::finish).into_iter().chain(begun_at_door).collect();
        lines.extend(program.summary_lines(&handle));
        let safe_state = handle.safe_state();
        let changes = watch.changes();
        let is_of_robot = is_in_real_time && changes.is_empty();
        profile::add_run(&mut history, &conditions, handle.measured(), is_of_robot);
        let report = handle.report();
        let (bounds, verdict) = match is_in_real_time {
            true => {
                let session = Session::open(program, &arguments.configuration)?;
                let (text, verdict) = bounds(session, &history.known(&conditions), &over_links, changes);
                (Some(text), verdict.with_run(&report))
            }
            false => (None, Verdict::of_stepped(&report)),
        };
        let (elapsed, tempo) = (started.elapsed(), transport.map(|transport| transport.tempo()));
        Ok(Lap {
            handle,
            tempo,
            output,
            recorded,
            safe_state,
            lines,
            history,
            bounds,
            verdict,
            capture: watched.capture,
            is_traced: trace.is_some(),
            robot_time,
            cut_short,
            elapsed,
        })
    }

    /// Sends the guard the path of the log, and makes the robot send it heartbeats.
    fn watched_over(&self, robot: Robot, recording: Option<&Recording>) -> Result<Robot, CommandError> {
        let (Some(line), Some(guard)) = (&self.line, &robot.configuration().guard) else { return Ok(robot) };
        if let Some(path) = recording.and_then(|recording| std::path::absolute(&recording.path).ok()) {
            line.say(&Message::Log(path));
        }
        let period = guard.beat / BEATS;
        Ok(robot.with_heartbeat(period, line.heartbeat().map_err(CommandError::Guard)?))
    }

    /// Shows the robot until it ends or is requested to.
    fn watch(&self, watch: &mut Watch<'_>, transport: Option<&Transport>) -> Watched {
        let handle = watch.handle.clone();
        watch.shown.begin(&handle);
        let mut watched = Watched { capture: None, has_quit: false };
        let mut next_look = Instant::now() + watch.shown.period();
        // A robot that is stepped ends by itself.
        let deadline = self.arguments.duration.filter(|_| stepped(self.arguments).is_none());
        let deadline = deadline.map(|duration| Time::ZERO + duration);
        let speed = self.arguments.speed.unwrap_or(1.0);
        let left = || deadline.map(|deadline| deadline.since(handle.now()).div_f64(speed));
        // Whoever interrupts the robot stops it.
        while !handle.is_stopping() && left().is_none_or(|left| !left.is_zero()) {
            let until_look = next_look.saturating_duration_since(Instant::now());
            match watch.shown.wait(&handle, left().map_or(until_look, |left| left.min(until_look))) {
                Some(Wish::End) => {
                    watched.has_quit = true;
                    break;
                }
                Some(Wish::Key(key)) => transport.iter().for_each(|transport| press(transport, key)),
                None => {}
            }
            if Instant::now() >= next_look {
                if self.arguments.picture.is_some() {
                    // The events of a robot that has ended are gone with its threads.
                    watched.capture = Some(handle.capture_events());
                }
                watch.look();
                next_look = Instant::now() + watch.shown.period();
            }
        }
        watched
    }

    /// Returns why a robot that has come to its end did not run as long as it was asked to.
    fn cut_short(&self, handle: &RobotHandle, has_quit: bool) -> Option<CutShort> {
        let end = runner::end(self.arguments).filter(|end| handle.now() < *end)?;
        let why = match handle.stop_cause() {
            _ if self.interruption.has_come() => "it was interrupted",
            _ if has_quit => "`q` was pressed",
            Some(StopCause::SourcesEnded) if self.log.is_some() => "the log has ended",
            Some(StopCause::SourcesEnded) => "all of its sources have ended",
            Some(StopCause::CyclesEnded) => "all of its cycles have ended",
            Some(StopCause::Requested) | None => "it was stopped",
        };
        Some(CutShort { end, why })
    }
}

/// The observations of a run.
struct Watched {
    /// The last capture of its events, if a picture is wanted.
    capture: Option<Trace>,
    /// Set if it was to end by the key `q`.
    has_quit: bool,
}

/// Applies a key to a replay.
fn press(transport: &Transport, key: char) {
    match key {
        ' ' if transport.is_paused() => transport.resume(),
        ' ' => transport.pause(),
        'n' => transport.forward(),
        '+' | '-' => {
            let factor = match transport.tempo() {
                Tempo::Factor(factor) if key == '+' => factor * 2.0,
                Tempo::Factor(factor) => factor / 2.0,
                Tempo::AsFastAsPossible => 1.0,
            };
            transport.set_tempo(Tempo::Factor(factor.clamp(SLOWEST, FASTEST)));
        }
        _ => {}
    }
}

/// The number of heartbeats in the time after which the robot is considered dead.
const BEATS: u32 = 5;

const SLOWEST: f64 = 1.0 / 64.0;
const FASTEST: f64 = 64.0;

/// Reports how the replay differs from the recorded run.
fn announce(replay: &Replay, log: &ReplayLog) {
    replay.warnings.iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    if let Some(resumed) = &replay.resumed {
        tell(format_args!("note: the replay resumes from the checkpoint of {:.3} s", resumed.time.seconds()));
    }
    if let Fidelity::DueTimes(reason) = &replay.fidelity {
        tell(format_args!("note: runs begin when they are due, not in the recorded order: {reason}"));
    } else if let Some(break_off) = log.script().ok().and_then(Script::break_off) {
        tell(format_args!("note: the replay ends before the log does: {break_off}"));
    }
}

/// Warns about channels without a provider: a robot for several purposes may be configured to
/// record what only some of them provide.
fn warn_of_idle_channels(recording: &Recording) {
    if !recording.idle.is_empty() {
        let idle = recording.idle.join(", ");
        tell(format_args!(
            "warning: `[log]` names channels that have no provider in this run, and are not recorded: {idle}\n"
        ));
    }
}

fn pace_text(arguments: &RunArguments) -> String {
    tempo(stepped(arguments).unwrap_or(Tempo::Factor(arguments.speed.unwrap_or(1.0))))
}

/// Returns the path of the trace: that of the command line, that of the configuration, or the next
/// free one beside earlier traces.
fn trace_path(arguments: &RunArguments, configured: Option<PathBuf>, traces: &Traces) -> Option<PathBuf> {
    // A robot that runs repeatedly has a trace only on request.
    if arguments.no_trace || (arguments.repeat && arguments.trace.is_none()) {
        return None;
    }
    Some(arguments.trace.clone().or(configured).unwrap_or_else(|| traces.next_free()))
}

fn make_folder(path: &Path) -> Result<(), CommandError> {
    match path.parent() {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| CommandError::Write { path: path.to_owned(), error })
        }
        None => Ok(()),
    }
}
