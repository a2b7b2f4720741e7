//! How a run is shown while it lasts.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use hemiola_runtime::{Change, JournalEvent, Message, Observer, RobotHandle, Tempo, Transport};

use crate::command_line::RunArguments;
use crate::live::{Frame, Journal, LiveView, Screen};
use crate::notes::tell;
use crate::program::Program;
use crate::traffic::Traffic;
use hemiola_recording::replay::Remarks;

/// Where.
pub enum Shown {
    /// On a terminal.
    View(Box<LiveView>, Screen),
    /// Line by line.
    Journal(Journal),
}

impl Shown {
    pub fn choose(arguments: &RunArguments) -> Self {
        if io::stdout().is_terminal() && !arguments.headless {
            Self::View(Box::default(), Screen::default())
        } else {
            Self::Journal(Journal::default())
        }
    }

    pub fn period(&self) -> Duration {
        match self {
            Self::View(..) => Duration::from_millis(200),
            Self::Journal(_) => Duration::from_secs(1),
        }
    }
}

/// Looks at the running robot now and then.
pub struct Watch<'a> {
    pub program: &'a Program,
    pub name: &'a str,
    pub pace: Pace,
    pub handle: RobotHandle,
    pub shown: &'a mut Shown,
    pub seen: Observer,
    /// What people should know, as far as it is known; repeated ones are counted.
    pub messages: Vec<Message>,
    /// What a replay finds on its way.
    pub remarks: Remarks,
    /// Somebody has changed the robot since it began.
    pub is_changed: bool,
}

impl Watch<'_> {
    pub fn look(&mut self) {
        let lines = self.program.live_lines(&self.handle);
        self.remarks.take_new().into_iter().for_each(|remark| self.handle.note(remark));
        let shown = self.messages.len();
        while let Some(entry) = self.seen.next_entry() {
            self.note(entry.event);
        }
        let now = self.handle.now();
        let safe_state = self.handle.safe_state();
        let safe_state = safe_state.as_ref();
        let report = self.handle.report();
        match &mut self.shown {
            Shown::View(view, screen) => {
                let (robot, pace, messages) = (self.name, self.pace.now(), self.messages.as_slice());
                let traffic = Traffic::of(self.handle.bus());
                let frame =
                    Frame { robot, pace: &pace, now, report: &report, safe_state, traffic, lines: &lines, messages };
                screen.show(|size| view.lines(&frame, size));
            }
            Shown::Journal(journal) => {
                self.messages[shown..].iter().for_each(tell);
                print_line(&journal.line(now, safe_state, &report));
                lines.iter().for_each(|line| print_line(&format!("          {line}")));
            }
        }
    }

    /// Whether somebody has changed what durations depend on, up to now.
    pub fn has_changed(&mut self) -> bool {
        while let Some(entry) = self.seen.next_entry() {
            self.note(entry.event);
        }
        self.is_changed
    }

    /// Adds what people should know, if it is new.
    fn note(&mut self, event: JournalEvent) {
        if let JournalEvent::Change { change, .. } = &event {
            self.is_changed |= !matches!(
                change,
                Change::Trace { .. } | Change::Restart { .. } | Change::EnterSafeState | Change::LeaveSafeState
            );
        }
        let JournalEvent::Message { text, .. } = event else { return };
        let has_room = self.messages.len() < MOST_MESSAGES;
        match self.messages.iter_mut().find(|message| message.text == text) {
            Some(message) => message.count += 1,
            None if has_room => self.messages.push(Message { text, count: 1 }),
            // They are in the log, and counted at the end.
            None => {}
        }
    }
}

/// More different messages than anybody reads.
const MOST_MESSAGES: usize = 1000;

impl Shown {
    pub fn finish(&mut self) {
        if let Self::View(_, screen) = self {
            screen.clear();
        }
    }
}

/// How fast the robot's clock runs, in words.
pub enum Pace {
    Fixed(String),
    /// As somebody says by keys.
    Played(Transport),
}

impl Pace {
    fn now(&self) -> String {
        match self {
            Self::Fixed(text) => text.clone(),
            Self::Played(transport) if transport.is_paused() => {
                "paused, space goes on, n: next run, + -: pace".to_owned()
            }
            Self::Played(transport) => {
                format!("{}, space pauses, + -: pace", tempo(transport.tempo()))
            }
        }
    }
}

/// `as fast as possible`, `0.5 × real time`
pub fn tempo(tempo: Tempo) -> String {
    match tempo {
        Tempo::AsFastAsPossible => "as fast as possible".to_owned(),
        Tempo::Factor(1.0) => "real time".to_owned(),
        Tempo::Factor(factor) => format!("{factor} × real time"),
    }
}

/// A reader that goes away does not stop the robot.
fn print_line(line: &str) {
    _ = writeln!(io::stdout(), "{line}");
}
