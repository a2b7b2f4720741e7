//! How a run went.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_runtime::{Message, SafeStateEntry};
use hemiola_trace::{Report, Style};

/// Everything that is told at the end.
pub struct Summary<'a> {
    pub report: &'a Report,
    /// The robot ended in its safe state.
    pub safe_state: Option<&'a SafeStateEntry>,
    pub messages: &'a [Message],
    /// What the robot itself has to say.
    pub lines: &'a [String],
    pub robot_time: Time,
    pub elapsed: Duration,
    pub trace: Option<&'a Path>,
    pub profile: Option<&'a Path>,
}

impl Summary<'_> {
    /// For people; with colours and fitted to its width on a terminal.
    pub fn text(&self, is_for_terminal: bool) -> String {
        let columns = crate::live::terminal_size().map(|size| size.columns);
        let style = match columns.filter(|_| is_for_terminal) {
            Some(columns) => Style::terminal(columns).tasks(TASKS),
            None => Style::plain().tasks(TASKS),
        };
        let mut text = format!("\n{}\n", self.report.table(&style).trim_end());
        if let Some(entry) = self.safe_state {
            let _ = writeln!(text, "\nTHE ROBOT ENDED IN ITS SAFE STATE: {entry}");
        }
        if !self.messages.is_empty() {
            text += "\nmessages\n";
            self.messages.iter().for_each(|message| add_indented(&mut text, &message.to_string()));
        }
        if !self.lines.is_empty() {
            text.push('\n');
            self.lines.iter().for_each(|line| add_indented(&mut text, line));
        }
        let (robot, elapsed) = (self.robot_time.seconds(), self.elapsed.as_secs_f64());
        let _ = writeln!(text, "\n{robot:.1} s on the robot's clock in {elapsed:.1} s");
        if let Some(path) = self.trace {
            let _ = writeln!(
                text,
                "trace    {}: open it in https://ui.perfetto.dev, it stays on your machine",
                path.display()
            );
        }
        if let Some(path) = self.profile {
            let _ = writeln!(text, "profile  {}: the next run plans with these durations", path.display());
        }
        text
    }
}

/// The slowest ones are what people look for; all are in the JSON and in the trace.
const TASKS: usize = 8;

fn add_indented(text: &mut String, paragraph: &str) {
    for line in paragraph.lines() {
        let _ = writeln!(text, "  {line}");
    }
}
