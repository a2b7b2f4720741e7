//! `run`: starts the robot, watches it, and tells how it went.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_runtime::{Message, Pace, PreparedRobot, Robot, RobotHandle, RunningRobot, Stepper, Transcript};
use hemiola_trace::Timeline;

use super::check::warn;
use crate::application::Application;
use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::live::{Frame, Journal, LiveView, Screen};
use crate::recorder::{Head, Recorder, Recording};
use crate::replay::{Course, Fed, Replay, ReplayLog};
use crate::session::Session;
use crate::summary::Summary;
use crate::traffic::Traffic;

/// How often Ctrl-C and the end of the sources are looked for.
const LOOK_PERIOD: Duration = Duration::from_millis(20);

pub fn run(application: &Application, name: &str, arguments: &RunArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(application, &arguments.configuration)?;
    warn(&session.warnings, &[]);
    let head = Head::of(&session, name);
    let robot = session.robot;
    let robot = match &arguments.replay {
        Some(path) => {
            let robot = replayed(robot, path, arguments.fast)?;
            note_differences(&head.differences(path)?);
            robot
        }
        None => robot,
    };
    let recording = Recording::of(arguments, &robot, name)?;
    let robot = match &recording {
        Some(recording) => {
            warn_of_idle_channels(recording);
            robot.tapped(recording.requests.clone())?.transcribed()
        }
        None => robot,
    };
    let output = robot.configuration().output.clone();
    let trace = trace_path(arguments, output.trace, name);
    let interrupted = interruption();

    let started = Instant::now();
    let files = trace.iter().chain(&output.profile).chain(&output.statistics);
    let log = recording.as_ref().map(|recording| &recording.path);
    for path in files.chain(&arguments.json).chain(&arguments.picture).chain(log) {
        make_folder(path)?;
    }
    let runner = Runner::start(robot, arguments)?;
    let handle = runner.handle().clone();
    let recorder = match recording {
        Some(recording) => Some(Recorder::start(&handle, recording, head)?),
        None => None,
    };
    let runner = runner.begin();
    application.note_start(&handle);
    if let Some(path) = &trace {
        handle.start_trace(path)?;
    }
    let mut watch = Watch {
        application,
        name,
        pace: pace_text(arguments),
        handle: handle.clone(),
        shown: Shown::choose(arguments),
        messages: Vec::new(),
    };
    let deadline = arguments.duration.map(|duration| Time::ZERO + duration);
    let mut capture = None;
    let mut next_look = started + watch.shown.period();
    let goes_on = || !interrupted.load(Ordering::Relaxed) && deadline.is_none_or(|deadline| handle.now() < deadline);
    while !handle.is_stopping() && goes_on() {
        thread::sleep(LOOK_PERIOD);
        if Instant::now() >= next_look {
            if arguments.picture.is_some() {
                // The events of a robot that has ended are gone with its threads.
                capture = Some(handle.capture());
            }
            watch.look();
            next_look = Instant::now() + watch.shown.period();
        }
    }
    let now = handle.now();
    runner.stop();
    let recorded = recorder.and_then(Recorder::finish);
    let safe_state = handle.safe_state();
    watch.finish();
    let lines = application.summary_lines(&handle);

    let trace = handle.stop_trace()?;
    if let Some(path) = &arguments.picture {
        let (capture, catalog, scale) = capture.unwrap_or_else(|| handle.capture());
        let mut timeline = Timeline::of(&capture, &catalog, &scale).last(PICTURE_LENGTH);
        if arguments.fast || arguments.speed.is_some() {
            timeline = timeline.remark(format!("times are wall time: the robot's clock ran {}", pace_text(arguments)));
        }
        timeline.save(path)?;
    }
    if let Some(path) = &output.profile {
        handle.profile().save(path)?;
    }
    let report = handle.report();
    for path in arguments.json.iter().chain(&output.statistics) {
        report.save(path)?;
    }
    let summary = Summary {
        report: &report,
        safe_state: safe_state.as_ref(),
        messages: &handle.messages(),
        bus: handle.bus(),
        lines: &lines,
        robot_time: now,
        elapsed: started.elapsed(),
        trace: trace.as_deref(),
        profile: output.profile.as_deref(),
        recorded: recorded.as_ref(),
    };
    super::print(&summary.text(io::stdout().is_terminal()))
}

/// A robot on the samples of a log. One that is stepped repeats the runs of the log as well.
fn replayed(robot: Robot, path: &Path, fast: bool) -> Result<Robot, CommandError> {
    if !fast {
        let Fed { robot, warnings, .. } = Fed::of(robot, path, &ReplayLog::overview(path)?)?;
        warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
        return Ok(robot);
    }
    let log = ReplayLog::read(path)?;
    let Replay { robot, course, warnings } = Replay::of(robot, path, &log)?;
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    if let Course::DueTimes(reason) = course {
        eprintln!("note: runs come when they are due, not as they did when it was recorded: {reason}");
    } else if let Some(break_off) = log.transcript().ok().and_then(Transcript::break_off) {
        eprintln!("note: the replay ends before the log does: {break_off}");
    }
    Ok(robot)
}

/// A replay with another configuration is what many come for, and what others do not expect.
fn note_differences(differences: &[String]) {
    if !differences.is_empty() {
        eprintln!("note: this robot is not configured as when the log was recorded");
        differences.iter().take(MOST_DIFFERENCES).for_each(|difference| eprintln!("  {difference}"));
        if differences.len() > MOST_DIFFERENCES {
            eprintln!("  and {} more", differences.len() - MOST_DIFFERENCES);
        }
        eprintln!();
    }
}

/// As many are told.
const MOST_DIFFERENCES: usize = 20;

/// A robot for several occasions may be told to record what only some of them have.
fn warn_of_idle_channels(recording: &Recording) {
    if !recording.idle.is_empty() {
        let idle = recording.idle.join(", ");
        eprintln!("warning: `[log]` speaks of what nobody provides in this run, and what is not recorded: {idle}\n");
    }
}

/// A run of cognition, and the runs of motion and audio around it.
const PICTURE_LENGTH: Duration = Duration::from_millis(40);

/// What will run the robot: its own threads, or a thread that steps it.
enum Runner {
    Live(PreparedRobot),
    Stepped { handle: RobotHandle, thread: thread::JoinHandle<()>, may_begin: mpsc::Sender<()> },
}

/// What runs it.
enum Running {
    Live(RunningRobot),
    Stepped { handle: RobotHandle, thread: thread::JoinHandle<()> },
}

impl Runner {
    fn start(robot: Robot, arguments: &RunArguments) -> Result<Self, CommandError> {
        if !arguments.fast {
            let pace = arguments.speed.map_or(Pace::RealTime, Pace::Factor);
            return Ok(Self::Live(robot.prepare(pace)?));
        }
        let end = arguments.duration.map(|duration| Time::ZERO + duration);
        let (sender, receiver) = mpsc::channel();
        let (may_begin, begin) = mpsc::channel();
        // Made there as well: whoever steps a robot has its panics contained.
        let steps = move || match robot.into_stepper() {
            Ok(stepper) => {
                _ = sender.send(Ok(stepper.handle().clone()));
                if begin.recv().is_ok() {
                    step_until(stepper, end);
                }
            }
            Err(error) => _ = sender.send(Err(error)),
        };
        let thread =
            thread::Builder::new().name("hemiola stepper".into()).spawn(steps).map_err(CommandError::Thread)?;
        let handle = receiver.recv().map_err(|_| CommandError::Thread(io::Error::other("it ended at once")))??;
        Ok(Self::Stepped { handle, thread, may_begin })
    }

    fn handle(&self) -> &RobotHandle {
        match self {
            Self::Live(prepared) => prepared.handle(),
            Self::Stepped { handle, .. } => handle,
        }
    }

    /// Lets it begin, now that everybody is there who looks on.
    fn begin(self) -> Running {
        match self {
            Self::Live(prepared) => Running::Live(prepared.begin()),
            Self::Stepped { handle, thread, may_begin } => {
                // It waits for it.
                _ = may_begin.send(());
                Running::Stepped { handle, thread }
            }
        }
    }
}

impl Running {
    fn stop(self) {
        match self {
            Self::Live(running) => drop(running.stop()),
            Self::Stepped { handle, thread } => {
                handle.stop();
                // A panic of the framework's own was reported by the default hook.
                _ = thread.join();
            }
        }
    }
}

/// Steps until the clock shows `end`, the sources have ended, or somebody stops the robot.
fn step_until(mut stepper: Stepper, end: Option<Time>) {
    while end.is_none_or(|end| stepper.now() < end) && stepper.step().is_some() {}
    for remark in [stepper.failure(), stepper.deviation()].into_iter().flatten() {
        stepper.handle().note(remark.to_owned());
    }
    // Nothing more to do, but what the last steps left behind is gathered.
    let now = stepper.now();
    stepper.run_until(now);
    stepper.handle().stop();
}

/// How a run is shown while it lasts.
enum Shown {
    /// On a terminal.
    View(Box<LiveView>, Screen),
    /// Line by line.
    Journal(Journal),
}

impl Shown {
    fn choose(arguments: &RunArguments) -> Self {
        if io::stdout().is_terminal() && !arguments.headless {
            Self::View(Box::default(), Screen::default())
        } else {
            Self::Journal(Journal::default())
        }
    }

    fn period(&self) -> Duration {
        match self {
            Self::View(..) => Duration::from_millis(200),
            Self::Journal(_) => Duration::from_secs(1),
        }
    }
}

/// Looks at the running robot now and then.
struct Watch<'a> {
    application: &'a Application,
    name: &'a str,
    pace: String,
    handle: RobotHandle,
    shown: Shown,
    messages: Vec<Message>,
}

impl Watch<'_> {
    fn look(&mut self) {
        let lines = self.application.live_lines(&self.handle);
        let new = self.handle.new_messages();
        let now = self.handle.now();
        let safe_state = self.handle.safe_state();
        let safe_state = safe_state.as_ref();
        let report = self.handle.report();
        match &mut self.shown {
            Shown::View(view, screen) => {
                self.messages.extend(new);
                let (robot, pace, messages) = (self.name, self.pace.as_str(), self.messages.as_slice());
                let traffic = Traffic::of(self.handle.bus());
                let frame = Frame { robot, pace, now, report: &report, safe_state, traffic, lines: &lines, messages };
                screen.show(|size| view.lines(&frame, size));
            }
            Shown::Journal(journal) => {
                new.iter().for_each(|message| eprintln!("{message}"));
                print_line(&journal.line(now, safe_state, &report));
                lines.iter().for_each(|line| print_line(&format!("          {line}")));
            }
        }
    }

    fn finish(&mut self) {
        if let Shown::View(_, screen) = &mut self.shown {
            screen.clear();
        }
    }
}

/// A reader that goes away does not stop the robot.
fn print_line(line: &str) {
    _ = writeln!(io::stdout(), "{line}");
}

/// Becomes true at the first Ctrl-C or request to end; the second one ends the program at once.
fn interruption() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The order matters: the first signal finds the flag unset and sets it. Without them, a signal ends the program, which is
        // no reason not to run.
        _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&interrupted));
        _ = signal_hook::flag::register(signal, Arc::clone(&interrupted));
    }
    interrupted
}

fn pace_text(arguments: &RunArguments) -> String {
    match arguments.speed {
        _ if arguments.fast => "as fast as possible".to_owned(),
        Some(speed) => format!("{speed} × real time"),
        None => "real time".to_owned(),
    }
}

/// Where the trace goes: as said, as configured, or the next free number in `traces/`.
fn trace_path(arguments: &RunArguments, configured: Option<PathBuf>, name: &str) -> Option<PathBuf> {
    if arguments.no_trace {
        return None;
    }
    let numbered = || (1..).map(|number| PathBuf::from(format!("traces/{name}-{number}.pftrace")));
    arguments.trace.clone().or(configured).or_else(|| numbered().find(|path| !path.exists()))
}

fn make_folder(path: &Path) -> Result<(), CommandError> {
    match path.parent() {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| CommandError::Write { path: path.to_owned(), error })
        }
        None => Ok(()),
    }
}
