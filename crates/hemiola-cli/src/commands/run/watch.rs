//! The display of a run in progress.

use std::io::{self, Write};
use std::time::Duration;

use hemiola_link::LinksView;
use hemiola_runtime::{Change, JournalEntry, JournalEvent, Message, Observer, RobotHandle, Tempo, Transport};

use super::measured::Learning;
use crate::command_line::RunArguments;
use crate::lines::Lines;
use crate::notes::tell;
use crate::program::Program;
use crate::terminal::{self, Bell, Key, Screen, Terminal};
use crate::top::{Bounds, Ends, Frame, Notes, Pressed, Top};
use hemiola_recording::replay::Remarks;

/// The place where a run is shown.
pub enum Shown {
    /// The whole terminal.
    View(Box<View>),
    /// The standard output, line by line.
    Lines(Lines),
}

/// The view on the whole terminal, which it takes over when there is something to show.
pub struct View {
    top: Top,
    terminal: Terminal,
    screen: Option<Screen>,
    notes: Notes,
    /// The bell that is rung when the robot stops.
    bell: Bell,
}

/// A key that concerns the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    End,
    Key(char),
}

impl Shown {
    pub fn choose(arguments: &RunArguments, terminal: &Terminal) -> Self {
        if arguments.headless || !terminal::is_ours() {
            return Self::Lines(Lines::default());
        }
        // A system without file descriptors has none for a terminal either.
        let Ok(bell) = Bell::new() else { return Self::Lines(Lines::default()) };
        let keys = match arguments.replay {
            Some(_) => {
                vec![("space", "pause or resume the replay"), ("n", "one more run"), ("+ -", "faster, slower")]
            }
            None => Vec::new(),
        };
        let (top, terminal) = (Top::new(Ends::Robot, keys), terminal.clone());
        Self::View(Box::new(View { top, terminal, screen: None, notes: Notes::default(), bell }))
    }

    /// Shows this robot from now on.
    pub fn begin(&self, robot: &RobotHandle) {
        if let Self::View(view) = self {
            robot.notify_of_turns(view.bell.event());
        }
    }

    pub fn period(&self) -> Duration {
        match self {
            Self::View(_) => Duration::from_millis(200),
            Self::Lines(_) => Duration::from_secs(1),
        }
    }

    /// Waits for `patience`, or until the robot stops or a key is pressed.
    pub fn wait(&mut self, robot: &RobotHandle, patience: Duration) -> Option<Wish> {
        let Self::View(view) = self else {
            robot.wait_for_stop(patience);
            return None;
        };
        let View { top, screen: Some(screen), bell, .. } = &mut **view else {
            robot.wait_for_stop(patience);
            return None;
        };
        // Keys that were read together wait in the program, not in the terminal.
        let key = screen.key().or_else(|| {
            bell.wait(screen.input(), Some(patience));
            screen.key()
        });
        match top.press(key?) {
            Pressed::Quit => return Some(Wish::End),
            Pressed::Other(Key::Character(key)) => return Some(Wish::Key(key)),
            Pressed::Other(_) => return None,
            Pressed::Shown => screen.draw(|canvas| top.draw(canvas)),
        }
        None
    }

    pub fn finish(&mut self) {
        if let Self::View(view) = self {
            view.screen = None;
        }
    }
}

impl View {
    /// Shows a frame. A terminal that cannot be taken over shows nothing.
    fn show(&mut self, frame: Frame) {
        let Self { top, terminal, screen, notes, .. } = self;
        top.update(Frame { notes: notes.clone(), ..frame });
        if screen.is_none() {
            *screen = Screen::open(terminal).ok();
        }
        if let Some(screen) = screen {
            screen.draw(|canvas| top.draw(canvas));
        }
    }
}

/// Shows the running robot at intervals.
pub struct Watch<'a> {
    pub program: &'a Program,
    pub name: &'a str,
    pub pace: Pace,
    pub handle: RobotHandle,
    /// The bounds that the robot guarantees.
    pub bounds: Bounds,
    pub links: LinksView,
    /// The log that is being written.
    pub recording: Option<String>,
    pub shown: &'a mut Shown,
    pub seen: Observer,
    /// The messages for people so far; repeated ones are counted.
    pub messages: Vec<Message>,
    /// The remarks of a replay in progress.
    pub remarks: Remarks,
    /// The changes since it began on which durations depend, in words: `Pilot.speed`.
    pub changes: Vec<String>,
    /// Set while bounds are not known yet.
    pub learning: Option<Learning>,
}

impl Watch<'_> {
    pub fn look(&mut self) {
        let lines = self.program.live_lines(&self.handle);
        self.remarks.take_new().into_iter().for_each(|remark| self.handle.note(remark));
        let told = self.messages.len();
        while let Some(entry) = self.seen.next_entry() {
            self.note(&entry);
        }
        self.learn();
        match &mut self.shown {
            Shown::View(view) => view.show(Frame {
                robot: self.name.to_owned(),
                pace: self.pace.now(),
                bounds: self.bounds.clone(),
                links: self.links.statistics(),
                recording: self.recording.clone(),
                lines,
                ..Frame::of_robot(&self.handle)
            }),
            Shown::Lines(printed) => {
                self.messages[told..].iter().for_each(tell);
                let safe_state = self.handle.safe_state();
                print_line(&printed.line(self.handle.now(), safe_state.as_ref(), &self.handle.report()));
                lines.iter().for_each(|line| print_line(&format!("          {line}")));
            }
        }
    }

    /// Watches the bounds that are known by now. Those of a robot that was changed meanwhile are
    /// not learnt: its measurements are of two robots.
    fn learn(&mut self) {
        let learning = self.learning.as_mut().filter(|_| self.changes.is_empty());
        let Some(bounds) = learning.and_then(|learning| learning.poll(&self.handle)) else { return };
        self.learning = None;
        self.bounds = Bounds::from(&bounds);
        self.handle.watch_bounds(bounds);
        self.handle.note("bounds are watched from now on: this run has measured everything".to_owned());
    }

    /// Drains the journal, and returns all changes on which durations depend.
    pub fn changes(&mut self) -> &[String] {
        while let Some(entry) = self.seen.next_entry() {
            self.note(&entry);
        }
        &self.changes
    }

    /// Adds a message for people, or counts it if it is known.
    fn note(&mut self, entry: &JournalEntry) {
        if let Shown::View(view) = &mut self.shown {
            view.notes.add_entry(entry);
        }
        if let JournalEvent::Change { change, .. } = &entry.event {
            let changed = affecting(change).filter(|changed| !self.changes.contains(changed));
            self.changes.extend(changed);
        }
        let JournalEvent::Message { text, .. } = &entry.event else { return };
        let has_room = self.messages.len() < MOST_MESSAGES;
        match self.messages.iter_mut().find(|message| message.text == *text) {
            Some(message) => message.count += 1,
            None if has_room => self.messages.push(Message { text: text.clone(), count: 1 }),
            // Messages beyond the limit are in the log, and counted at the end.
            None => {}
        }
    }
}

/// Returns what a change concerns, in words, if durations may depend on it.
fn affecting(change: &Change) -> Option<String> {
    match change {
        Change::Trace { .. } | Change::Restart { .. } | Change::EnterSafeState | Change::LeaveSafeState => None,
        Change::Parameter { module, parameter, .. } => Some(format!("{module}.{parameter}")),
        Change::Override { representation, .. } => Some(format!("{representation} overridden")),
        change => Some(change.to_string()),
    }
}

/// The number of different messages that are kept, which is more than anybody reads.
const MOST_MESSAGES: usize = 1000;

/// The speed of the robot's clock, in words.
pub enum Pace {
    Fixed(String),
    /// The pace that is chosen by keys.
    Played(Transport),
}

impl Pace {
    fn now(&self) -> String {
        match self {
            Self::Fixed(text) => text.clone(),
            Self::Played(transport) if transport.is_paused() => {
                "paused, space: resume, n: next run, + -: pace".to_owned()
            }
            Self::Played(transport) => {
                format!("{}, space: pause, + -: pace", tempo(transport.tempo()))
            }
        }
    }
}

/// Writes a pace: `as fast as possible`, `0.5 × real time`.
pub fn tempo(tempo: Tempo) -> String {
    match tempo {
        Tempo::AsFastAsPossible => "as fast as possible".to_owned(),
        Tempo::Factor(1.0) => "real time".to_owned(),
        Tempo::Factor(factor) => format!("{factor} × real time"),
    }
}

/// Prints a line. A reader that closes its end does not stop the robot.
fn print_line(line: &str) {
    _ = writeln!(io::stdout(), "{line}");
}
